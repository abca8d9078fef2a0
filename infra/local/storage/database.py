"""Opening the one SQLite file: finding damage before anything is served."""

import contextlib
import errno
import fcntl
import os
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from infra.local.storage.connection import (
    checksum,
    connect,
    connect_to_look,
    connected_to_check,
    create_tables,
    is_of_newer_release,
    keeps_schema,
    read_meta,
    write_meta,
)
from infra.local.storage.mark import Mark, MarkBroken
from infra.local.storage.presence import Presence
from infra.local.storage.private import create_private, make_private, open_private
from infra.local.storage.salvage import copy_aside, finish_salvage, first_free, salvage
from infra.local.storage.soundness import Soundness
from shared.ports.documents import StorageFull

__all__ = ["Damaged", "Database", "InUse", "Loss", "Newer", "checksum", "open_database"]

Promise = tuple[bytes, int]
"""Which database, and up to which group commit somebody was told it is kept."""


class Damaged(Exception):
    """The database is not what was acknowledged; nothing is served until somebody decides."""

    def __init__(self, finding: str) -> None:
        super().__init__(
            f"{finding}. Restore the last backup, or accept the loss with `keyfleet up --accept-loss` "
            "and reconcile every key issued since"
        )
        self.finding = finding


class Newer(Exception):
    """A newer release wrote the database: to this one it would look damaged, and nothing of it is lost."""


class InUse(Exception):
    """Another process has the database."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What somebody accepted to lose, and where what was found is kept."""

    finding: str
    kept_as: str | None


@dataclass(slots=True)
class Database:
    """The open file: one connection that writes, one that reads, and the mark."""

    path: Path
    writer: sqlite3.Connection
    reader: sqlite3.Connection
    mark: Mark
    id: bytes
    commit: int
    lock: int
    present: Presence
    sound: Soundness
    loss: Loss | None = None

    def close(self) -> None:
        """Close everything, leaving the log checkpointed if there is room for that."""
        self.sound.forget()
        self.reader.close()
        with contextlib.suppress(sqlite3.Error):
            self.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.writer.close()
        self.mark.sync()
        self.mark.close()
        os.close(self.lock)


def open_database(
    path: Path, schema: Sequence[str], new_id: Callable[[int], bytes], *, accept_loss: bool = False
) -> Database:
    """Open or create the database; raise Damaged, Newer or InUse rather than serve something doubtful."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = _lock(path.with_suffix(".lock"))
    mark = Mark(path.with_suffix(".mark"))
    try:
        make_private(path)
        _refuse_newer(path)
        sound = Soundness(path)
        accept = _accept_loss if accept_loss else _refuse_loss
        loss = accept(path, tuple(schema), mark, sound)
        return replace(_open(path, tuple(schema), mark, new_id, lock, sound), loss=loss)
    except BaseException as error:
        mark.close()
        os.close(lock)
        if _locked(error):
            raise InUse(f"another program has {path.name} locked: end it") from error
        if _without_room(error):
            raise StorageFull(
                f"{path.name} cannot be opened, {error}: free some space and start again"
            ) from error
        raise


def _locked(error: BaseException) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def _without_room(error: BaseException) -> bool:
    full = getattr(error, "sqlite_errorcode", 0) & 0xFF in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
    return full or getattr(error, "errno", None) == errno.ENOSPC


def _lock(path: Path) -> int:
    descriptor = open_private(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise InUse(f"another fleet has {path.parent.name} open: stop it, or set KEYFLEET_HOME") from error
    return descriptor


def _refuse_newer(path: Path) -> None:
    # Also where a loss is accepted: what is salvaged of tables that nobody knows is less than what is there.
    if not _exists(path):
        return
    unreadable = contextlib.suppress(sqlite3.Error, UnicodeDecodeError)  # which is looked into next
    with unreadable, contextlib.closing(connect_to_look(path)) as connection:
        if is_of_newer_release(connection):
            raise Newer(
                f"{path.name} was written by a newer release than this one: start that release again, or put "
                "back the copy that was made before it was started"
            )


def _refuse_loss(path: Path, _schema: tuple[str, ...], mark: Mark, sound: Soundness) -> None:
    promise = _read_mark(path, mark)
    if not _exists(path):
        if promise is not None and promise[1] > 0:
            raise Damaged(f"{path.name} is gone or empty, but {promise[1]} group commits were acknowledged")
        return
    if promise is None:
        raise Damaged(f"the high-water mark beside {path.name} is missing, so its end cannot be checked")
    if sound.holds():
        _compare(promise, _glance(path))
        return
    _compare(promise, _look(path))
    sound.looked()


def _read_mark(path: Path, mark: Mark) -> Promise | None:
    try:
        return mark.read()
    except MarkBroken:
        raise Damaged(f"the high-water mark beside {path.name} cannot be read") from None


def _exists(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _look(path: Path) -> Promise | None:
    # A damaged file is evidence, and perhaps repairable: nothing is changed before it was looked through.
    try:
        with connected_to_check(path) as connection:
            findings = [row[0] for row in connection.execute("PRAGMA integrity_check(3)")]
            if findings == ["ok"]:
                if keeps_schema(connection):
                    return read_meta(connection)
                findings = ["a table is no longer described as it was created"]
    except sqlite3.Error as error:
        if _locked(error):
            raise
        findings = [str(error)]
    except UnicodeDecodeError:  # SQLite's message quotes the damage, and Python cannot read the message
        findings = ["its schema cannot be read"]
    raise Damaged(f"{path.name} is damaged: {'; '.join(findings)}")


def _glance(path: Path) -> Promise | None:
    """Read how far a file reaches that was looked through, and nobody else has written to since."""
    try:
        with contextlib.closing(connect_to_look(path)) as connection:
            return read_meta(connection)
    except sqlite3.Error as error:
        if _locked(error):
            raise
        return _look(path)


def _compare(promise: Promise, found: Promise | None) -> None:
    identity, commit = found if found is not None else (promise[0], 0)
    if promise[0] != identity:
        raise Damaged("the database is not the one its high-water mark belongs to")
    if commit < promise[1]:
        lost = promise[1] - commit
        raise Damaged(f"the database is shortened: {lost} acknowledged group commits are missing at its end")


def _accept_loss(path: Path, schema: tuple[str, ...], mark: Mark, sound: Soundness) -> Loss | None:
    finish_salvage(path)
    sound.forget()
    try:
        _refuse_loss(path, schema, mark, sound)
    except Damaged as damage:
        loss = Loss(damage.finding, _evidence(path, schema))
        mark.clear()
        return loss
    return None


def _evidence(path: Path, schema: tuple[str, ...]) -> str | None:
    """Keep what was found, salvaging what cannot be used as it is; return the name it is kept under."""
    if not _exists(path):
        return None
    aside = first_free(path)
    try:
        _look(path)
    except Damaged:
        salvage(path, schema)  # which keeps the damaged file under this very name
    else:
        copy_aside(path, aside)
    return aside.name


def _open(
    path: Path,
    schema: tuple[str, ...],
    mark: Mark,
    new_id: Callable[[int], bytes],
    lock: int,
    sound: Soundness,
) -> Database:
    promise = mark.read()
    if promise is None and not _exists(path):
        sound.looked()  # at nothing: what comes to stand there is ours
        # The mark comes first: a database without one is then always damage, never an interrupted beginning.
        promise = (new_id(16), 0)
        mark.reset(*promise)
    create_private(path)
    writer = connect(path)
    create_tables(writer, schema)
    identity, commit = read_meta(writer) or _begin(writer, promise or (new_id(16), 0))
    mark.reset(identity, commit)
    reader = connect(path)
    reader.execute("PRAGMA query_only=ON")
    sound.written()
    present = Presence([path, path.with_name(path.name + "-wal")])
    return Database(path, writer, reader, mark, identity, commit, lock, present, sound)


def _begin(writer: sqlite3.Connection, promise: Promise) -> Promise:
    write_meta(writer, *promise)
    return promise
