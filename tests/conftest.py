"""What all tests share."""

import gc
import os
import shutil
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from shared.runtime import platform
from tests.support.budget import Costs
from tests.support.dealing import Dealer

MEMORY: Final = Path("/dev/shm")
ROOM: Final = 4 * 1024**3
LONGEST_SOAK: Final = 900
YOUNG: Final = 50_000
"""How many more objects there may be before the collector looks: one request makes more than its own 700.

So does each module of tests, of which nothing goes again: with 700, a quarter of what it took to read them
in was the collector's, in every worker."""


def pytest_configure(config):
    """Add up what the tests cost, and keep their files in memory where there is room.

    The files are as real there, and no test can tell: a power cut is played by a store that forgets what was
    not synced. But a simulated day has thousands of commits, and a busy disk makes each of them wait.
    """
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
    # How long an example of Hypothesis takes is the machine's matter, and no failure.
    settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("any machine")
    config.pluginmanager.register(Costs(config))
    config.pluginmanager.register(Dealer())
    gc.set_threshold(YOUNG, *gc.get_threshold()[1:])


def pytest_collection_modifyitems(items):
    """Count what lies under soak to that tier."""
    for item in items:
        if "soak" in item.path.parts:
            item.add_marker("soak")


def pytest_collection_finish(session):
    """Give all of soak time; let the collector pass over what stays: the tests and all they imported."""
    for item in session.items:
        if item.get_closest_marker("soak") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONGEST_SOAK))
    gc.freeze()


@pytest.fixture
def no_platform():
    """A process in which nobody has bound a platform yet."""
    before = list(platform._bound)
    platform._bound.clear()
    yield
    platform._bound[:] = before
