"""The contract can fail: each broken task queue fails the guarantee it breaks."""

import pytest

from tests.contract.tasks.broken_queues import BROKEN
from tests.contract.tasks.suite import TaskQueueContract

CAUGHT = (AssertionError, pytest.fail.Exception)


@pytest.mark.parametrize(("make", "guarantee", "arguments"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_task_queue_fails_its_guarantee(tmp_path, make, guarantee, arguments):
    contract = type("BrokenTasks", (TaskQueueContract,), {"make": staticmethod(make)})()
    with pytest.raises(CAUGHT):
        getattr(contract, guarantee)(tmp_path, **arguments)
