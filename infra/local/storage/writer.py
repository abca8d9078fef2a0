"""What the one writer does: many operations to a commit, and none undone by another."""

import asyncio
import contextlib
import itertools
import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from infra.local.counters import Counters
from infra.local.faults import Faults
from infra.local.storage.connection import keep_number
from infra.local.storage.database import Database
from shared.ports.documents import StorageFull

Operation = Callable[[sqlite3.Connection], Any]
NUMBERS_TO_A_COMMIT = 1 << 20
"""More than operations that ever share one, each run twice."""
CHECKPOINT_BYTES = 4 * 1024 * 1024
LOOK_AT_LOG_EVERY = 16
FRAMES_FROM, FRAME_HEAD = 32, 24
PAGE_SIZE, LOG_SALT, FRAME_SALT = slice(8, 12), slice(16, 24), slice(8, 16)
"""Where these lie in the heads of SQLite's log, and of a frame in it."""
NO_ROOM = "Free some space, or look after the disk"
HELD = "End whatever else has the database open"
NOT_NOW = {
    **dict.fromkeys((sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM), NO_ROOM),
    **dict.fromkeys((sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN), NO_ROOM),
    **dict.fromkeys((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL), HELD),
    sqlite3.SQLITE_INTERRUPT: HELD,
}
"""What SQLite says when it is the machine's fault and not the operation's, and what may help."""


class Gone(StorageFull):
    """What is written now would be lost: the file it goes to is no longer where the next start looks."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"nothing was written: {what} was removed or replaced while the fleet runs. Stop the fleet, "
            "put the file back or restore the last backup, and start it again"
        )


def take_up_held(_connection: sqlite3.Connection) -> None:
    """The operation that does nothing itself: where it is, what was held for want of room is tried again."""


class Job:
    """An operation, its result, and who waits for it: nobody does for a lazy one."""

    __slots__ = ("error", "future", "lazy", "operation", "result")

    def __init__(
        self, operation: Operation, future: "asyncio.Future[Any] | None" = None, *, lazy: bool = False
    ) -> None:
        self.operation, self.future, self.lazy = operation, future, lazy
        self.result: Any = None
        self.error: BaseException | None = None

    @property
    def refused(self) -> bool:
        """Whether it is lazy and found no room: it can wait."""
        return self.lazy and isinstance(self.error, StorageFull)

    def settle(self) -> None:
        """Tell whoever waits."""
        if self.future is None or self.future.done():
            return
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


class Writer:
    """Commits on the one connection that writes: `begin` runs the statements, `finish` waits for the disk.

    The two may run on different threads, one after the other.
    """

    def __init__(self, database: Database, faults: Faults, counters: Counters) -> None:
        self._database, self._faults, self._counters = database, faults, counters
        self._commit_number = database.commit
        self._numbers = itertools.count()
        self._folded = database.commit
        self._fold = False
        self.held: list[Job] = []
        self.no_room: StorageFull | None = None
        """Why the last commit found no room, until one finds some."""

    def fold_next(self) -> bool:
        """Have the log folded in and cut to nothing with the next commit; False where none came since."""
        self._fold = self._commit_number > self._folded
        return self._fold

    def admit(self, jobs: list[Job]) -> list[Job]:
        """Return the jobs to commit now.

        No lazy one overtakes another: of two acknowledgements, were only the second kept, the first message
        would be delivered again after the second. So all lazy ones wait behind one that is held.
        """
        if any(job.operation is take_up_held for job in jobs):
            jobs, self.held = [*self.held, *jobs], []
        elif self.held:
            self.held += [job for job in jobs if job.lazy]
            jobs = [job for job in jobs if not job.lazy]
        return jobs

    def settle(self, jobs: list[Job]) -> list[Job]:
        """Return the jobs that are settled; lazy ones that found no room are held."""
        full = next((job.error for job in jobs if isinstance(job.error, StorageFull)), None)
        if full is not None or any(job.error is None for job in jobs):
            self.no_room = full
        self.held += [job for job in jobs if job.refused]
        return [job for job in jobs if not job.refused]

    def begin(self, jobs: list[Job]) -> bool:
        """Run jobs in a transaction; return whether it is to be finished."""
        connection = self._database.writer
        if (gone := self._database.present.missing()) is not None:
            _abandon(connection, jobs, Gone(gone))
            return False
        self._faults.reach("before-commit")
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:  # none of them is to blame, and alone none would fare better
            _abandon(connection, jobs, error)
            return False
        try:
            self._numbers = itertools.count((self._commit_number + 1) * NUMBERS_TO_A_COMMIT)
            self._run_all(connection, jobs)
            if all(job.error is not None for job in jobs):
                connection.execute("ROLLBACK")
                return False
            keep_number(connection, self._commit_number + 1)
        except Exception as error:  # noqa: BLE001 - whatever stops a commit is told to all who share it
            self._one_by_one(jobs, error)
            return False
        return True

    def number(self) -> int:
        """Return a number to an operation under way: greater than any that something is kept under."""
        return next(self._numbers)

    def finish(self, jobs: list[Job]) -> None:
        """Bring to the disk what was begun."""
        connection = self._database.writer
        try:
            connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001 - whatever stops a commit is told to all who share it
            self._one_by_one(jobs, error)
            return
        self._commit_number += 1
        self._counters["commits"] += 1
        self._counters["fsyncs"] += 1
        self._keep_mark(connection)
        self._faults.reach("after-commit")

    def _one_by_one(self, jobs: list[Job], error: Exception) -> None:
        """One that does not fit takes the whole transaction down; the others may fit very well."""
        _abandon(self._database.writer, jobs, error)
        if len(jobs) > 1:
            _each_in_order(jobs, self._alone)

    def _alone(self, job: Job) -> None:
        if self.begin([job]):
            self.finish([job])

    def _run_all(self, connection: sqlite3.Connection, jobs: list[Job]) -> None:
        """Run them one after the other; only where one is refused, once more with a savepoint around each.

        Two statements fewer to a job, and it is rare that one is refused.
        """
        _each_in_order(jobs, partial(_run_bare, connection))
        if len(jobs) == 1 or all(job.error is None for job in jobs):
            return
        connection.execute("ROLLBACK")
        connection.execute("BEGIN IMMEDIATE")
        _each_in_order(jobs, partial(_run, connection))

    def _keep_mark(self, connection: sqlite3.Connection) -> None:
        self._faults.reach("before-mark")
        # The commit stands whatever happens here; a mark too low hides nothing from the next one.
        with contextlib.suppress(OSError, sqlite3.Error):
            self._database.mark.write(self._database.id, self._commit_number)
            self._checkpoint_if_long(connection)
            self._cut_if_asked(connection)
            self._database.sound.settle()

    def _cut_if_asked(self, connection: sqlite3.Connection) -> None:
        if not self._fold:
            return
        # Until then the log holds, beside what replaced it, whatever was deleted.
        ((held, *_),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if held:
            return  # another program looks at it: with the next commit, again
        self._checkpointed()
        self._fold, self._folded = False, self._commit_number

    def _checkpoint_if_long(self, connection: sqlite3.Connection) -> None:
        # A look at the log now and then is cheap; SQLite's own trigger would not tell us to sync.
        if self._commit_number % LOOK_AT_LOG_EVERY:
            return
        if _is_long(self._database.path.with_name(self._database.path.name + "-wal")):
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            self._checkpointed()

    def _checkpointed(self) -> None:
        self._database.mark.sync()
        self._database.sound.written()
        self._counters["fsyncs"] += 3


def _is_long(log: Path) -> bool:
    """Say whether what is written in the log since its last checkpoint has come to its length.

    The file keeps the length that it once had and is written anew from its beginning, so its size does not
    tell: frames of the present round alone bear the salt of the log's head.
    """
    with log.open("rb", buffering=0) as file:
        head = file.read(FRAMES_FROM)
        frame = FRAME_HEAD + int.from_bytes(head[PAGE_SIZE], "big")
        file.seek(FRAMES_FROM + CHECKPOINT_BYTES // frame * frame)
        return file.read(FRAME_HEAD)[FRAME_SALT] == head[LOG_SALT]


def _each_in_order(jobs: Sequence[Job], run: Callable[[Job], None]) -> None:
    refusal: BaseException | None = None
    for job in jobs:
        job.error = refusal if job.lazy else None
        if job.error is None:
            run(job)
        if job.refused:
            refusal = job.error


def _run_bare(connection: sqlite3.Connection, job: Job) -> None:
    try:
        job.result = job.operation(connection)
    except Exception as error:
        if not connection.in_transaction:
            raise
        job.error = _translated(error)


def _run(connection: sqlite3.Connection, job: Job) -> None:
    connection.execute("SAVEPOINT job")
    try:
        job.result = job.operation(connection)
    except Exception as error:
        if not connection.in_transaction:
            raise
        connection.execute("ROLLBACK TO job")
        job.error = _translated(error)
    connection.execute("RELEASE job")


def _abandon(connection: sqlite3.Connection, jobs: Sequence[Job], error: Exception) -> None:
    if connection.in_transaction:
        with contextlib.suppress(sqlite3.Error):  # where this fails too, the next BEGIN does, and comes here
            connection.execute("ROLLBACK")
    for job in jobs:
        job.error = _translated(error)


def _translated(error: Exception) -> Exception:
    if isinstance(error, StopIteration):  # which no future takes
        return RuntimeError("the operation ended an iteration")
    if not isinstance(error, sqlite3.Error):
        return error
    remedy = NOT_NOW.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    return (
        StorageFull(f"nothing was written: {error}. {remedy}; callers may then try again")
        if remedy
        else error
    )
