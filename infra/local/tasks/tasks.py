"""The task queue on SQLite: enqueue is one commit; each function's queue calls in its own time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from infra.local.delivery.dispatching import Dispatched
from infra.local.delivery.instants import instant, micros
from infra.local.delivery.keeping import Keeping
from infra.local.delivery.parts import DeliveryParts
from infra.local.delivery.refusal import Check
from infra.local.tasks.dispatcher import Dispatcher, Queued
from infra.local.tasks.rows import COUNT, LIST, StoredTask, delete, enqueue, loaded, purge, retry
from infra.local.tasks.specs import QueueSpec
from shared.ports.task_limits import check_name, due_time, encoded_body
from shared.ports.tasks import Task, TaskRefused

PURGED_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """A task that waits, or that failed for good and why."""

    cursor: str
    function: str
    name: str
    due: datetime
    created_at: datetime
    attempts: int
    failed: bool
    reason: str
    last_status: int | None


class Tasks(Dispatched):
    """Implements TaskQueue, durably, with the semantics of Cloud Tasks."""

    def __init__(self, means: DeliveryParts, queues: Sequence[QueueSpec]) -> None:
        self._means, self._keeping = means, Keeping(means.engine)
        self._dispatchers: dict[str, Dispatcher] = {}
        for spec in queues:
            if spec.name in self._dispatchers:
                Check(f"queue {spec.name!r}").refuse("name", "is taken", "rename one of the two")
            self._dispatchers[spec.name] = Dispatcher(spec, means)

    async def enqueue(self, task: Task) -> str:
        """Keep the task durably and return its name."""
        now = self._means.clock.now()
        dispatcher = self._dispatcher(task.function)
        stored = self._stored(task, now)
        self._means.counters["tasks"] += 1
        await self._keeping.write(
            partial(enqueue, task=stored, now=micros(now)),
            lambda identity: dispatcher.add(Queued(stored.due, identity, stored.created_at)),
        )
        return stored.name

    async def delete(self, function: str, name: str) -> bool:
        """Delete a task, waiting or failed; a call under way is finished, but not repeated."""
        now = micros(self._means.clock.now())
        return await self._means.engine.write(partial(delete, queue=function, name=name, now=now))

    async def retry(self, function: str, name: str) -> bool:
        """Queue the latest failed task of a name anew; return whether there was one, or raise TaskExists."""
        dispatcher, now = self._dispatcher(function), micros(self._means.clock.now())

        def noticed(identity: int | None) -> None:
            if identity is not None:
                dispatcher.add_again(Queued(now, identity, now))

        return await self._keeping.write(partial(retry, queue=function, name=name), noticed) is not None

    async def purge(self, before: datetime) -> int:
        """Delete for ever what failed for good before then, a batch to a commit; return how many."""
        purged, batch = 0, PURGED_AT_ONCE
        while batch == PURGED_AT_ONCE:
            batch = await self._means.engine.write(partial(purge, before=micros(before), most=PURGED_AT_ONCE))
            purged += batch
        return purged

    def count(self, *, function: str | None = None, failed: bool | None = None) -> int:
        """Return how many tasks wait or have failed for good, or only how many of one kind."""
        return int(self._means.engine.read(COUNT, (function, failed))[0][0])

    def page(
        self, *, function: str | None = None, failed: bool | None = None, after: str = "0", limit: int = 100
    ) -> tuple[TaskStatus, ...]:
        """Return tasks in the order they were enqueued, from beyond the cursor `after`."""
        rows = self._means.engine.read(LIST, (int(after), function, function, failed, failed, limit))
        return tuple(_status(loaded(row)) for row in rows)

    def _dispatcher(self, function: str) -> Dispatcher:
        if function not in self._dispatchers:
            raise TaskRefused(f"function {function!r} has no queue: declare one, or correct the name")
        return self._dispatchers[function]

    def _stored(self, task: Task, now: datetime) -> StoredTask:
        name = self._means.ids.ulid() if task.name is None else task.name
        check_name(name)
        body, due = encoded_body(task.body), micros(due_time(task.not_before, now))
        return StoredTask(task.function, name, task.name is not None, body, micros(now), due, due)


def _status(task: StoredTask) -> TaskStatus:
    return TaskStatus(
        cursor=str(task.id),
        function=task.queue,
        name=task.name,
        due=instant(task.due),
        created_at=instant(task.created_at),
        attempts=task.attempts,
        failed=task.reason is not None,
        reason=task.reason or "",
        last_status=task.last_status,
    )
