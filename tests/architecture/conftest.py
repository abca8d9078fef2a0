"""The real tree, and a skeleton to plant violations in: both read once."""

import pytest

from tests.architecture.planting import raise_skeleton
from tests.architecture.tree import ROOT, Tree


@pytest.fixture(scope="session")
def tree():
    """This repository."""
    return Tree.at(ROOT)


@pytest.fixture(scope="session")
def skeleton(tmp_path_factory):
    """A small checkout that holds every package of the design and breaks no gate."""
    return raise_skeleton(tmp_path_factory.mktemp("skeleton"))
