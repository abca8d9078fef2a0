"""What all tests share."""

import pytest

from shared.runtime import platform


@pytest.fixture
def no_platform():
    """A process in which nobody has bound a platform yet."""
    before = list(platform._bound)
    platform._bound.clear()
    yield
    platform._bound[:] = before
