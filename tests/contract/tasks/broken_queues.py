"""Task queues that are wrong in one way each: every one must fail the guarantee it breaks."""

import dataclasses
from datetime import timedelta

from infra.local.delivery.backoff import Retry
from infra.local.tasks import Tasks
from shared.vendor_kit.http import Answer


def respecified(**changes):
    """A task queue that reads its queues wrongly."""

    def make(means, queues):
        return Tasks(means, [dataclasses.replace(spec, **changes) for spec in queues])

    return make


class FreesNamesAtOnce(Tasks):
    """Forgets a name with its task."""

    async def enqueue(self, task):
        await self._means.engine.write(lambda connection: connection.execute("DELETE FROM task_name_taken"))
        return await super().enqueue(task)


class AcceptsAMonth(Tasks):
    """Takes 31 days for 30."""

    def _stored(self, task, now):
        lenient = dataclasses.replace(
            task, not_before=task.not_before and task.not_before - timedelta(days=1)
        )
        return super()._stored(lenient, now)


class ForgetsOnRestart(Tasks):
    """Begins with nothing to do."""

    def start(self):
        super().start()
        for dispatcher in self._dispatchers.values():
            dispatcher._waiting.clear()


class CallsDeletedTasks(Tasks):
    """Says that it deleted."""

    async def delete(self, function, name):
        return True


class Complacent:
    """A transport that hears a yes in every answer."""

    def __init__(self, transport):
        self._transport = transport

    async def send(self, call):
        await self._transport.send(call)
        return Answer(204)


def hears_yes(means, queues):
    return Tasks(dataclasses.replace(means, transport=Complacent(means.transport)), queues)


class DropsSpentTasks(Tasks):
    """Deletes what failed for good, as Cloud Tasks does."""

    def page(self, **filters):
        return tuple(each for each in super().page(**filters) if not each.failed)


BROKEN = {
    "frees names at once": (
        FreesNamesAtOnce,
        "test_a_name_is_taken_for_an_hour_after_its_task_is_done_and_free_again_then",
        {},
    ),
    "accepts 31 days": (AcceptsAMonth, "test_thirty_days_ahead_is_kept_and_more_is_refused", {}),
    "forgets on restart": (ForgetsOnRestart, "test_tasks_survive_a_crash", {}),
    "calls deleted tasks": (CallsDeletedTasks, "test_a_deleted_task_is_not_called", {}),
    "hears yes in a 500": (
        hears_yes,
        "test_every_other_answer_and_no_answer_is_called_again",
        {"answer": 500},
    ),
    "drops spent tasks": (
        DropsSpentTasks,
        "test_a_spent_task_is_kept_as_failed_and_can_be_deleted",
        {},
    ),
    "knows no rate": (respecified(max_per_second=500), "test_a_queue_keeps_to_its_rate", {}),
    "calls without limit": (
        respecified(max_concurrent=5000),
        "test_no_more_than_max_concurrent_are_under_way",
        {},
    ),
    "always waits the same": (
        respecified(retry=Retry(min_backoff=10, max_backoff=10)),
        "test_waits_double_then_grow_evenly_then_stay_as_cloud_tasks_documents",
        {},
    ),
}
