"""One queue at work: call what is due, as fast as the queue allows, until it succeeds or is spent."""

import asyncio
import contextlib
import dataclasses
import heapq
import sqlite3
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from infra.local.delivery.attempt import Outcome, attempt
from infra.local.delivery.dispatching import Dispatching
from infra.local.delivery.instants import set_back
from infra.local.delivery.parts import DeliveryParts
from infra.local.home_clock import patience
from infra.local.tasks.bucket import Bucket
from infra.local.tasks.rows import (
    NOTE_ATTEMPT,
    NOTE_RETRY,
    QUEUED,
    READ,
    StoredTask,
    fail,
    finish,
    loaded,
)
from infra.local.tasks.specs import QueueSpec
from shared.ports.documents import StorageFull

LONGEST_WAIT = 3600.0
OVERLOADED = frozenset({429, 503})
LAST_TASK = "SELECT seq FROM sqlite_sequence WHERE name = 'task'"
INTERRUPTED = Outcome(None, "the process ended during the last attempt")
TIME_UP = Outcome(None, "its time was up before another attempt")


@dataclasses.dataclass(slots=True, order=True)
class Queued:
    """What is kept in memory of a waiting task: when it is due, and how it has gone so far.

    `since` is when its wait was counted from.
    """

    due: int
    id: int
    since: int = dataclasses.field(compare=False)
    attempts: int = dataclasses.field(default=0, compare=False)
    answers: int = dataclasses.field(default=0, compare=False)
    first_at: int | None = dataclasses.field(default=None, compare=False)
    last_status: int | None = dataclasses.field(default=None, compare=False)
    inherited: bool = dataclasses.field(default=False, compare=False)

    def set_right(self, now: int) -> None:
        """Count the same wait from now, if it was counted from a clock that has been set back since."""
        if set_back(self.since, now):
            self.due, self.since = now + self.due - self.since, now
        if self.first_at is not None:
            self.first_at = min(self.first_at, now)


class Dispatcher(Dispatching):
    """Calls the tasks of one queue."""

    def __init__(self, spec: QueueSpec, means: DeliveryParts) -> None:
        super().__init__(means)
        self._spec = spec
        self._bucket = Bucket(spec.max_per_second, spec.burst)
        self._waiting: list[Queued] = []
        self._calling: dict[asyncio.Task[None], None] = {}
        self._seen = 0

    def start(self) -> None:
        """Take up what an earlier process left."""
        rows = self._means.engine.read(LAST_TASK)
        self._inherited = rows[0][0] if rows else 0
        waiting = self._means.engine.read(QUEUED, (self._spec.name,))
        self._waiting = [_inherited(self._spec.retry.max_backoff, *row) for row in waiting]
        self._set_right()
        self._running = True
        self.wake()

    async def stop(self) -> None:
        """Call nothing new and give up what is under way; it is called again at the next start."""
        await super().stop()
        self._waiting.clear()

    @property
    def _under_way(self) -> Collection["asyncio.Task[None]"]:
        return self._calling

    def add(self, queued: Queued) -> None:
        """Take up a new task, unless it was already there at the start."""
        if self._running and queued.id > self._inherited:
            heapq.heappush(self._waiting, queued)
            self.wake()

    def add_again(self, queued: Queued) -> None:
        """Take up a task that had failed, unless a start has found it queued already."""
        if self._running and all(each.id != queued.id for each in self._waiting):
            heapq.heappush(self._waiting, queued)
            self.wake()

    def wake(self) -> None:
        """Call what is due, as far as rate and room allow."""
        if not self._running:
            return
        if set_back(self._seen, self._stored_now):
            self._set_right()
        self._seen = self._stored_now
        while self._due() and self._room() and self._bucket.wait(self._loop_now) <= 0:
            self._bucket.take(self._loop_now)
            self._begin(heapq.heappop(self._waiting))
        self._plan()

    def _set_right(self) -> None:
        for queued in self._waiting:
            queued.set_right(self._stored_now)
        heapq.heapify(self._waiting)

    def _due(self) -> bool:
        return bool(self._waiting) and self._waiting[0].due <= self._stored_now

    def _room(self) -> bool:
        return len(self._calling) < self._spec.max_concurrent

    def _begin(self, queued: Queued) -> None:
        call = asyncio.get_running_loop().create_task(self._run(queued))
        self._calling[call] = None
        call.add_done_callback(partial(self._ended, queued))

    def _plan(self) -> None:
        if self._waiting and self._room():
            until_due = (self._waiting[0].due - self._stored_now) / 1e6
            # Looked at again after an hour at most, because clocks are set and laptops sleep.
            longest = patience(self._means.clock, LONGEST_WAIT)
            wait = min(max(until_due, self._bucket.wait(self._loop_now)), longest)
            self._alarm.set(self._loop_now + wait)
        if self._calling or self._due():
            self._quiet.clear()
        else:
            self._quiet.set()

    def _ended(self, queued: Queued, call: "asyncio.Task[None]") -> None:
        del self._calling[call]
        if not call.cancelled() and (error := call.exception()) is not None:
            asyncio.get_running_loop().call_exception_handler({"message": "task failed", "exception": error})
            self._again(queued)
        self.wake()

    async def _run(self, queued: Queued) -> None:
        rows = self._means.engine.read(READ, (queued.id,))
        if not rows:  # deleted meanwhile
            return
        task = loaded(rows[0])
        if queued.attempts and self._spent(queued):
            await self._give_up(queued, task, INTERRUPTED if queued.inherited else TIME_UP)
            return
        outcome = await self._attempt(queued, task)
        queued.answers += outcome.status is not None
        queued.last_status = outcome.status
        if outcome.ok:
            self._succeed(task)
        elif self._spent(queued):
            await self._give_up(queued, task, outcome)
        else:
            self._slow_down(outcome)
            self._again(queued)

    async def _attempt(self, queued: Queued, task: StoredTask) -> Outcome:
        before = queued.attempts
        try:
            await self._count_attempt(queued)
            return await self._call(queued, task)
        except asyncio.CancelledError:  # we stopped; the function did not fail
            self._write_soon(NOTE_ATTEMPT, before, queued.first_at, queued.id)
            raise

    async def _count_attempt(self, queued: Queued) -> None:
        """Count before calling, on the disk first if an earlier process may have died of this task."""
        queued.attempts += 1
        if queued.first_at is None:
            queued.first_at = self._stored_now
        values = (NOTE_ATTEMPT, queued.attempts, queued.first_at, queued.id)
        if queued.attempts == 1 and queued.id > self._inherited:
            self._write_soon(*values)
            return
        with contextlib.suppress(StorageFull):
            await self._means.engine.write(_executing(*values))

    async def _call(self, queued: Queued, task: StoredTask) -> Outcome:
        means = self._means
        means.faults.reach("before-task-call")
        means.counters["task-calls"] += 1
        outcome = await attempt(
            means.transport, means.tokens, self._spec.target, _headers(queued, task), task.body
        )
        means.faults.reach("after-task-call")
        return outcome

    def _succeed(self, task: StoredTask) -> None:
        self._means.counters["tasks-done"] += 1
        self._means.engine.write_soon(partial(finish, task=task, now=self._stored_now))

    async def _give_up(self, queued: Queued, task: StoredTask, outcome: Outcome) -> None:
        spent = dataclasses.replace(
            task, reason=outcome.reason, answers=queued.answers, last_status=queued.last_status
        )
        try:
            await self._means.engine.write(partial(fail, task=spent, now=self._stored_now))
        except StorageFull:
            self._again(queued)
            return
        self._means.counters["tasks-failed"] += 1

    def _again(self, queued: Queued) -> None:
        self._means.counters["task-retries"] += 1
        queued.since = self._stored_now
        queued.due = queued.since + int(self._spec.retry.wait(max(1, queued.attempts)) * 1e6)
        self._write_soon(NOTE_RETRY, queued.due, queued.answers, queued.last_status, queued.id)
        heapq.heappush(self._waiting, queued)

    def _slow_down(self, outcome: Outcome) -> None:
        """Rest the whole queue when its function says that it has too much to do."""
        if outcome.status in OVERLOADED:
            asked = self._spec.retry.min_backoff if outcome.retry_after is None else outcome.retry_after
            self._bucket.hold(self._loop_now + min(asked, self._spec.retry.max_backoff))

    def _spent(self, queued: Queued) -> bool:
        first_at = self._stored_now if queued.first_at is None else queued.first_at
        return self._spec.retry.spent(queued.attempts, (self._stored_now - first_at) / 1e6)

    def _write_soon(self, sql: str, *values: Any) -> None:
        self._means.engine.write_soon(_executing(sql, *values))


def _inherited(max_backoff: float, identity: int, due: int, created_at: int, *history: Any) -> Queued:
    attempts, answers, first_at, last_status = history
    since = due - int(max_backoff * 1e6) if attempts else created_at
    return Queued(due, identity, since, attempts, answers, first_at, last_status, inherited=True)


def _executing(sql: str, *values: Any) -> Callable[[sqlite3.Connection], None]:
    def operation(connection: sqlite3.Connection) -> None:
        connection.execute(sql, values)

    return operation


def _headers(queued: Queued, task: StoredTask) -> dict[str, str]:
    headers = {
        "user-agent": "Google-Cloud-Tasks",
        "X-CloudTasks-QueueName": task.queue,
        "X-CloudTasks-TaskName": task.name,
        "X-CloudTasks-TaskRetryCount": str(queued.attempts - 1),
        "X-CloudTasks-TaskExecutionCount": str(queued.answers),
        "X-CloudTasks-TaskETA": f"{task.eta // 1_000_000}.{task.eta % 1_000_000:06d}",
    }
    if queued.last_status is not None:
        headers["X-CloudTasks-TaskPreviousResponse"] = str(queued.last_status)
    return headers
