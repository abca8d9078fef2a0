"""The one way to the disk: operations queue up for the one writer and share its commits; reads never wait.

The statements of a commit run on the event loop: two threads that both run Python get in each other's way
more than a few microseconds of SQLite do. The wait for the disk is a thread's, unless the disk is so quick
that handing the wait over would take longer.
"""

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from infra.local.ambient import stopwatch
from infra.local.counters import Counters
from infra.local.faults import Faults
from infra.local.storage.database import Database
from infra.local.storage.disk import Disk
from infra.local.storage.soundness import TICK_SECONDS
from infra.local.storage.writer import Job, Operation, Writer, take_up_held
from shared.ports.documents import StorageFull

T = TypeVar("T")
LAZY_SECONDS = 0.05
NOTE_SECONDS = 2 * TICK_SECONDS
HELD_SECONDS = 1.0
LAST_TRIES_AFTER = (0.0, 1.0, 1.0)
MOST_IN_A_COMMIT = 512


class Engine:
    """Group commit over one database. `threaded=False` runs everything on the event loop, for simulations."""

    def __init__(
        self,
        database: Database,
        *,
        faults: Faults,
        counters: Counters,
        threaded: bool = True,
        disk: Disk | None = None,
    ) -> None:
        self._database, self.counters, self._disk = database, counters, disk or Disk()
        self._writer = Writer(database, faults, counters)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lazy: list[Job] = []
        self._lazy_timer: asyncio.TimerHandle | None = None
        self._held_timer: asyncio.TimerHandle | None = None
        self._note_timer: asyncio.TimerHandle | None = None
        self._begun: queue.SimpleQueue[list[Job] | None] = queue.SimpleQueue()
        self._waiting: deque[Job] = deque()
        self._busy = False
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True) if threaded else None

    def start(self) -> None:
        """Begin writing, for the running event loop."""
        self._loop = asyncio.get_running_loop()
        if self._thread is not None:
            self._thread.start()

    async def write(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Run an operation and return once it is on the disk; raise what it raised and keep nothing of it."""
        return await self.begin(operation)

    def begin(self, operation: Callable[[sqlite3.Connection], T]) -> "asyncio.Future[T]":
        """Have an operation run, and return what tells as soon as it is on the disk."""
        future: asyncio.Future[T] = self._accepting().create_future()
        self._submit_lazy()
        self._submit(Job(operation, future))
        return future

    async def ride(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Like `write`, for what nobody is in a hurry for: it rides on the next commit, within 50 ms."""
        future: asyncio.Future[T] = self._accepting().create_future()
        self._later(Job(operation, future, lazy=True))
        return await future

    def write_soon(self, operation: Operation) -> None:
        """Let an operation ride on the next commit, within 50 ms. Losing it must be harmless.

        For want of room it is tried again; should it fail otherwise, the event loop is told.
        """
        self._later(Job(operation, lazy=True))

    def _later(self, job: Job) -> None:
        self._lazy.append(job)
        if self._lazy_timer is None:
            self._lazy_timer = self._accepting().call_later(LAZY_SECONDS, self._submit_lazy)

    def number(self) -> int:
        """Return a number greater than any given before, to an operation that runs."""
        return self._writer.number()

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Return rows of the last commit, at once."""
        # While nothing is being committed, the writing connection is at the last commit, its pages at hand.
        connection = self._database.reader if self._busy else self._database.writer
        return connection.execute(sql, parameters).fetchall()

    def lose(self, what: str) -> None:
        """Refuse every commit from now on: what they would acknowledge, the next start could not keep."""
        self._database.present.lose(what)

    @property
    def lost(self) -> str | None:
        """What is gone without which nothing may be acknowledged, if anything is."""
        return self._database.present.missing()

    @property
    def no_room(self) -> str | None:
        """Why the last commit found no room, if it found none: nothing is acknowledged meanwhile."""
        return None if self._writer.no_room is None else str(self._writer.no_room)

    def discard(self) -> None:
        """Let go of the file before anything was begun."""
        self._database.close()

    async def fold(self) -> None:
        """Leave in the file only what is kept, and nothing in the log: what was deleted is gone from both."""
        if self._writer.fold_next():
            await self.write(_nothing)

    async def close(self) -> None:
        """Write what is waiting, trying hard, then close the file."""
        try:
            await self._write_held()
            self._closed = True
            await self._write_waiting()
        finally:
            self._closed = True
            for timer in (self._held_timer, self._note_timer):
                if timer is not None:
                    timer.cancel()
            if self._thread is not None:
                self._begun.put(None)
                self._thread.join()
            self._database.close()

    async def _write_held(self) -> None:
        self._submit_lazy()
        for seconds in LAST_TRIES_AFTER:
            await asyncio.sleep(seconds)
            with contextlib.suppress(StorageFull):
                await self.write(take_up_held)
            if not self._writer.held:
                return
        self._report("lazy writes are lost at the end", self._writer.held[0].error)
        for job in self._writer.held:
            job.settle()

    async def _write_waiting(self) -> None:
        """Return when everybody who wrote while we tried is answered."""
        self._submit_lazy()
        if self._busy:
            last = self._running().create_future()
            self._submit(Job(_nothing, last))
            await asyncio.wait([last])

    def _accepting(self) -> asyncio.AbstractEventLoop:
        if self._closed:
            raise RuntimeError("the engine is not running")
        return self._running()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            raise RuntimeError("the engine is not running")
        return self._loop

    def _submit_lazy(self) -> None:
        if self._lazy_timer is not None:
            self._lazy_timer.cancel()
            self._lazy_timer = None
        jobs, self._lazy = self._lazy, []
        for job in jobs:
            self._submit(job)

    def _submit_held(self) -> None:
        self._held_timer = None
        self._submit(Job(take_up_held))

    def _submit(self, job: Job) -> None:
        self._waiting.append(job)
        if not self._busy:
            self._busy = True
            self._running().call_soon(self._commit_waiting)

    def _commit_waiting(self) -> None:
        """Run what waits, and have it brought to the disk; whoever comes meanwhile shares the next commit."""
        jobs = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_IN_A_COMMIT))]
        jobs = self._writer.admit(jobs)
        if not (jobs and self._writer.begin(jobs)):
            self._committed(jobs)
        elif self._thread is None or self._disk.quick:
            self._finish_here(jobs)
        else:
            self._begun.put(jobs)

    def _finish_here(self, jobs: list[Job]) -> None:
        began = stopwatch()
        self._writer.finish(jobs)
        self._disk.took(stopwatch() - began)
        self._committed(jobs)

    def _work(self) -> None:
        while (jobs := self._begun.get()) is not None:
            self._writer.finish(jobs)
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._committed, jobs)

    def _committed(self, jobs: list[Job]) -> None:
        self._settle(self._writer.settle(jobs))
        self._busy = bool(self._waiting)
        if self._busy:
            # Those who were just told come first: what they write next shares this commit.
            self._running().call_soon(self._commit_waiting)
        elif self._database.sound.owed and self._note_timer is None and self._thread is not None:
            self._note_timer = self._running().call_later(NOTE_SECONDS, self._note)

    def _note(self) -> None:
        """Note how we left the file where no commit comes that would: a fleet killed idle starts quickly."""
        self._note_timer = None
        if not self._busy:
            self._database.sound.settle()

    def _settle(self, jobs: list[Job]) -> None:
        for job in jobs:
            job.settle()
            if job.lazy and job.future is None and job.error is not None:
                self._report("a lazy write failed", job.error)
        if self._writer.held and self._held_timer is None and not self._closed:
            self._held_timer = self._running().call_later(HELD_SECONDS, self._submit_held)

    def _report(self, message: str, error: BaseException | None) -> None:
        if self._loop is not None:
            self._loop.call_exception_handler({"message": message, "exception": error})


def _nothing(_connection: sqlite3.Connection) -> None:
    """Write nothing; whoever waits for it has waited for all before it."""
