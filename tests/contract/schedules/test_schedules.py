"""The embedded schedules keep every promise of the contract."""

from tests.contract.schedules.suite import SchedulesContract


class TestEmbeddedSchedules(SchedulesContract):
    """The schedules on SQLite."""
