"""What all tests share."""

import pytest

from shared.runtime import platform
from tests.support.budget import Costs


def pytest_configure(config):
    """Add up what the tests cost."""
    config.pluginmanager.register(Costs(config))


def pytest_collection_modifyitems(items):
    """Count what lies under soak to that tier."""
    for item in items:
        if "soak" in item.path.parts:
            item.add_marker("soak")


@pytest.fixture
def no_platform():
    """A process in which nobody has bound a platform yet."""
    before = list(platform._bound)
    platform._bound.clear()
    yield
    platform._bound[:] = before
