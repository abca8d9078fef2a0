"""Opening the one SQLite file: pragmas, schema, and finding damage before anything is served."""

import fcntl
import os
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.local.storage.mark import Mark, MarkBroken

META = "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID"
APPLICATION_ID = 0x6B666C74


class Damaged(Exception):
    """The database is not what was acknowledged; nothing is served until somebody decides."""

    def __init__(self, finding: str) -> None:
        super().__init__(
            f"{finding}. Restore the last backup, or accept the loss with `keyfleet up --accept-loss` "
            "and reconcile every key issued since"
        )
        self.finding = finding


class InUse(Exception):
    """Another process has the database."""


def checksum(value: str | bytes | None) -> int:
    """Checksum a stored payload; the schema's CHECK constraints and the start-up scan call it."""
    if value is None:
        return 0
    return zlib.crc32(value.encode() if isinstance(value, str) else value)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=512)
    connection.create_function("checksum", 1, checksum, deterministic=True)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute("PRAGMA journal_size_limit=67108864")
    connection.execute("PRAGMA cache_size=-8192")
    return connection


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

    def close(self) -> None:
        """Close everything, leaving the log checkpointed."""
        self.reader.close()
        self.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.writer.close()
        self.mark.sync()
        self.mark.close()
        os.close(self.lock)


def open_database(
    path: Path, schema: Sequence[str], new_id: Callable[[int], bytes], *, accept_loss: bool = False
) -> Database:
    """Open or create the database; raise Damaged or InUse rather than serve something doubtful."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = _lock(path.with_suffix(".lock"))
    existed = path.exists() and path.stat().st_size > 0
    mark = Mark(path.with_suffix(".mark"))
    try:
        promised = _promised(mark, path, existed=existed, accept_loss=accept_loss)
        writer = _open_writer(path, schema, accept_loss=accept_loss)
        identity, commit = _identity(writer, promised, new_id)
        _compare(promised, identity, commit, accept_loss=accept_loss)
    except BaseException:
        mark.close()
        os.close(lock)
        raise
    mark.reset(identity, commit)
    reader = _connect(path)
    reader.execute("PRAGMA query_only=ON")
    return Database(path, writer, reader, mark, identity, commit, lock)


def _lock(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise InUse(f"another fleet has {path.parent.name} open: stop it, or set KEYFLEET_HOME") from error
    return descriptor


def _promised(mark: Mark, path: Path, *, existed: bool, accept_loss: bool) -> tuple[bytes, int] | None:
    try:
        promised = mark.read()
    except MarkBroken:
        promised = None
        if not accept_loss:
            raise Damaged(f"the high-water mark beside {path.name} cannot be read") from None
    if accept_loss:
        return None
    if existed and promised is None:
        raise Damaged(f"the high-water mark beside {path.name} is missing, so its end cannot be checked")
    if promised is not None and promised[1] > 0 and not existed:
        raise Damaged(f"{path.name} is gone or empty, but {promised[1]} group commits were acknowledged")
    return promised


def _open_writer(path: Path, schema: Sequence[str], *, accept_loss: bool) -> sqlite3.Connection:
    try:
        writer = _connect(path)
        findings = [row[0] for row in writer.execute("PRAGMA quick_check(3)")]
        if findings != ["ok"] and not accept_loss:
            raise Damaged(f"{path.name} is damaged: {'; '.join(findings)}")
        writer.execute(f"PRAGMA application_id={APPLICATION_ID}")
        for statement in (META, *schema):
            writer.execute(statement)
    except sqlite3.DatabaseError as error:
        raise Damaged(f"{path.name} is damaged: {error}") from error
    return writer


def _identity(
    writer: sqlite3.Connection, promised: tuple[bytes, int] | None, new_id: Callable[[int], bytes]
) -> tuple[bytes, int]:
    found = dict(writer.execute("SELECT name, value FROM meta WHERE name IN ('id', 'commit')").fetchall())
    if found:
        return found["id"], found["commit"]
    identity = promised[0] if promised else new_id(16)
    writer.execute("INSERT INTO meta VALUES ('id', ?), ('commit', 0)", (identity,))
    return identity, 0


def _compare(promised: tuple[bytes, int] | None, identity: bytes, commit: int, *, accept_loss: bool) -> None:
    if promised is None or accept_loss:
        return
    if promised[0] != identity:
        raise Damaged("the database is not the one its high-water mark belongs to")
    if commit < promised[1]:
        lost = promised[1] - commit
        raise Damaged(f"the database is shortened: {lost} acknowledged group commits are missing at its end")
