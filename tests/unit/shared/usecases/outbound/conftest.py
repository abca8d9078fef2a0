"""What the tests of sending share."""

from datetime import UTC, datetime

import pytest


@pytest.fixture
def now():
    """Return a moment."""
    return datetime(2026, 3, 1, 9, tzinfo=UTC)
