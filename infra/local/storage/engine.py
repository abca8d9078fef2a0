"""The one writer: operations queue up, each in a savepoint, and share a commit; reads never wait."""

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from infra.local.counters import Counters
from infra.local.faults import Faults
from infra.local.storage.connection import next_number
from infra.local.storage.database import Database
from shared.ports.documents import StorageFull

T = TypeVar("T")
Operation = Callable[[sqlite3.Connection], Any]
LAZY_SECONDS = 0.05
CHECKPOINT_BYTES = 4 * 1024 * 1024
MOST_IN_A_COMMIT = 512
NO_ROOM = "Free some space, or look after the disk"
HELD = "End whatever else has the database open"
NOT_NOW = {
    **dict.fromkeys((sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM), NO_ROOM),
    **dict.fromkeys((sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN), NO_ROOM),
    **dict.fromkeys((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL), HELD),
    sqlite3.SQLITE_INTERRUPT: HELD,
}
"""What SQLite says when it is the machine's fault and not the operation's, and what may help."""


class _Job:
    """An operation, its result, and who waits for it."""

    __slots__ = ("error", "future", "operation", "result")

    def __init__(self, operation: Operation, future: "asyncio.Future[Any] | None") -> None:
        self.operation, self.future = operation, future
        self.result: Any = None
        self.error: BaseException | None = None

    def settle(self) -> None:
        """Tell whoever waits."""
        if self.future is None or self.future.done():
            return
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


class Engine:
    """Group commit over one database. `threaded=False` runs everything on the event loop, for simulations."""

    def __init__(
        self, database: Database, *, faults: Faults, counters: Counters, threaded: bool = True
    ) -> None:
        self._database, self._faults, self.counters = database, faults, counters
        self._commit_number = database.commit
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lazy: list[_Job] = []
        self._lazy_timer: asyncio.TimerHandle | None = None
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._waiting: list[_Job] = []
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True) if threaded else None

    def start(self) -> None:
        """Begin writing, for the running event loop."""
        self._loop = asyncio.get_running_loop()
        if self._thread is not None:
            self._thread.start()

    async def write(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Run an operation and return once it is on the disk; raise what it raised and keep nothing of it."""
        future: asyncio.Future[T] = self._running().create_future()
        self._submit_lazy()
        self._submit(_Job(operation, future))
        return await future

    def write_soon(self, operation: Operation) -> None:
        """Let an operation ride on the next commit, within 50 ms. Losing it must be harmless."""
        self._lazy.append(_Job(operation, None))
        if self._lazy_timer is None:
            self._lazy_timer = self._running().call_later(LAZY_SECONDS, self._submit_lazy)

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Return rows of the last commit, at once."""
        return self._database.reader.execute(sql, parameters).fetchall()

    async def close(self) -> None:
        """Write what is waiting, then close the file."""
        self._submit_lazy()
        with contextlib.suppress(StorageFull):
            await self.write(lambda _: None)
        self._closed = True
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
        self._database.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None or self._closed:
            raise RuntimeError("the engine is not running")
        return self._loop

    def _submit_lazy(self) -> None:
        if self._lazy_timer is not None:
            self._lazy_timer.cancel()
            self._lazy_timer = None
        jobs, self._lazy = self._lazy, []
        for job in jobs:
            self._submit(job)

    def _submit(self, job: _Job) -> None:
        if self._thread is not None:
            self._queue.put(job)
            return
        if not self._waiting:
            self._running().call_soon(self._commit_waiting)
        self._waiting.append(job)

    def _commit_waiting(self) -> None:
        jobs, self._waiting = self._waiting, []
        self._commit(jobs)
        for job in jobs:
            job.settle()

    def _work(self) -> None:
        while (jobs := self._take()) is not None:
            self._commit(jobs)
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(_settle_all, jobs)

    def _take(self) -> list[_Job] | None:
        first = self._queue.get()
        if first is None:
            return None
        jobs = [first]
        while len(jobs) < MOST_IN_A_COMMIT:
            try:
                job = self._queue.get_nowait()
            except queue.Empty:
                break
            if job is None:
                self._queue.put(None)
                break
            jobs.append(job)
        return jobs

    def _commit(self, jobs: list[_Job]) -> None:
        connection = self._database.writer
        self._faults.reach("before-commit")
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:  # none of them is to blame, and alone none would fare better
            _abandon(connection, jobs, error)
            return
        try:
            for job in jobs:
                _run(connection, job)
            if all(job.error is not None for job in jobs):
                connection.execute("ROLLBACK")
                return
            self._finish(connection)
        except Exception as error:  # noqa: BLE001 - whatever stops a commit is told to all who share it
            _abandon(connection, jobs, error)
            self._commit_apart(jobs)
            return
        self._keep_mark(connection)
        self._faults.reach("after-commit")

    def _commit_apart(self, jobs: list[_Job]) -> None:
        # One that does not fit takes the whole transaction down; the others may fit very well.
        if len(jobs) > 1:
            for job in jobs:
                job.error = None
                self._commit([job])

    def _finish(self, connection: sqlite3.Connection) -> None:
        number = next_number(connection, "commit")
        connection.execute("COMMIT")
        self._commit_number = number
        self.counters["commits"] += 1
        self.counters["fsyncs"] += 1

    def _keep_mark(self, connection: sqlite3.Connection) -> None:
        self._faults.reach("before-mark")
        # The commit stands whatever happens here; a mark too low hides nothing from the next one.
        with contextlib.suppress(OSError, sqlite3.Error):
            self._database.mark.write(self._database.id, self._commit_number)
            self._checkpoint_if_long(connection)

    def _checkpoint_if_long(self, connection: sqlite3.Connection) -> None:
        # A look at the log's size each 256 commits is cheap; SQLite's own trigger would not tell us to sync.
        if self._commit_number % 256:
            return
        log = self._database.path.with_name(self._database.path.name + "-wal")
        if log.stat().st_size >= CHECKPOINT_BYTES:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            self._database.mark.sync()
            self.counters["fsyncs"] += 3


def _settle_all(jobs: list[_Job]) -> None:
    for job in jobs:
        job.settle()


def _run(connection: sqlite3.Connection, job: _Job) -> None:
    connection.execute("SAVEPOINT job")
    try:
        job.result = job.operation(connection)
    except Exception as error:
        if not connection.in_transaction:
            raise
        connection.execute("ROLLBACK TO job")
        job.error = _translated(error)
    connection.execute("RELEASE job")


def _abandon(connection: sqlite3.Connection, jobs: list[_Job], error: Exception) -> None:
    if connection.in_transaction:
        with contextlib.suppress(sqlite3.Error):  # where this fails too, the next BEGIN does, and comes here
            connection.execute("ROLLBACK")
    for job in jobs:
        job.error = _translated(error)


def _translated(error: Exception) -> Exception:
    if not isinstance(error, sqlite3.Error):
        return error
    remedy = NOT_NOW.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    return (
        StorageFull(f"nothing was written: {error}. {remedy}; callers may then try again")
        if remedy
        else error
    )
