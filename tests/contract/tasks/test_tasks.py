"""The embedded task queue keeps every promise of the contract."""

from tests.contract.tasks.suite import TaskQueueContract


class TestEmbeddedTasks(TaskQueueContract):
    """The task queue on SQLite."""
