"""One installation a run: it is only read, so all workers have the same."""

import pytest

from tests.soak.deployed.installed import Deployed
from tests.support.once import made_once


@pytest.fixture(scope="session")
def deployed(tmp_path_factory):
    return Deployed.there(made_once(tmp_path_factory, "deployed", Deployed.install))
