"""Tasks on disk: those queued, those that failed for good, and names that are not free again yet."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from infra.local.storage.database import checksum
from shared.ports.tasks import TaskExists

SCHEMA: tuple[str, ...] = (
    """CREATE TABLE IF NOT EXISTS task (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        queue TEXT NOT NULL,
        name TEXT NOT NULL,
        named INTEGER NOT NULL,
        body BLOB NOT NULL,
        crc INTEGER NOT NULL CHECK (crc = checksum(body)),
        created_at INTEGER NOT NULL,
        eta INTEGER NOT NULL,
        due INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        answers INTEGER NOT NULL DEFAULT 0,
        first_at INTEGER,
        last_status INTEGER,
        reason TEXT
    )""",
    "CREATE INDEX IF NOT EXISTS task_name ON task (queue, name)",
    "CREATE INDEX IF NOT EXISTS task_due ON task (queue, due) WHERE reason IS NULL",
    "CREATE INDEX IF NOT EXISTS task_failed ON task (due) WHERE reason IS NOT NULL",
    """CREATE TABLE IF NOT EXISTS task_name_taken (
        queue TEXT NOT NULL, name TEXT NOT NULL, free_at INTEGER NOT NULL, PRIMARY KEY (queue, name)
    ) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS task_name_taken_until ON task_name_taken (free_at)",
)
"""A task whose `reason` is set has failed for good, when it says it was due; its name is not kept for it."""

NAME_TAKEN = 3600 * 1_000_000
COLUMNS = (
    "id, queue, name, named, body, created_at, eta, due, attempts, answers, first_at, last_status, reason"
)
QUEUED_NAMED = "SELECT 1 FROM task WHERE queue = :queue AND name = :name AND reason IS NULL"
TAKEN = """SELECT 1 FROM task WHERE queue = :queue AND name = :name AND reason IS NULL
    UNION ALL SELECT 1 FROM task_name_taken WHERE queue = :queue AND name = :name"""
INSERT = """INSERT INTO task (queue, name, named, body, crc, created_at, eta, due)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
SELECT_NAMED = "SELECT reason FROM task WHERE queue = ? AND name = ?"
DELETE_NAMED = "DELETE FROM task WHERE queue = ? AND name = ?"
TAKE_NAME = "INSERT OR REPLACE INTO task_name_taken VALUES (?, ?, ?)"
FAIL = "UPDATE task SET reason = ?, answers = ?, last_status = ?, due = ? WHERE id = ?"
RETRY = """UPDATE task SET reason = NULL, attempts = 0, answers = 0, first_at = NULL, last_status = NULL
    WHERE id = (SELECT max(id) FROM task WHERE queue = :queue AND name = :name AND reason IS NOT NULL)
    RETURNING id"""
PURGE = """DELETE FROM task WHERE id IN (
    SELECT id FROM task WHERE reason IS NOT NULL AND due < ? ORDER BY due LIMIT ?)"""
COUNT = """SELECT count(*) FROM task
    WHERE (?1 IS NULL OR queue = ?1) AND (?2 IS NULL OR (reason IS NOT NULL) = ?2)"""
FREE_NAMES = "DELETE FROM task_name_taken WHERE free_at <= ? OR free_at > ?"
QUEUED = """SELECT id, due, created_at, attempts, answers, first_at, last_status FROM task
    WHERE queue = ? AND reason IS NULL ORDER BY due, id"""
READ = f"SELECT {COLUMNS} FROM task WHERE id = ? AND reason IS NULL"  # noqa: S608 - constants only
LIST = f"""SELECT {COLUMNS} FROM task
    WHERE id > ? AND (? IS NULL OR queue = ?) AND (? IS NULL OR (reason IS NOT NULL) = ?)
    ORDER BY id LIMIT ?"""  # noqa: S608 - constants only
NOTE_ATTEMPT = "UPDATE task SET attempts = ?, first_at = ? WHERE id = ?"
NOTE_RETRY = "UPDATE task SET due = ?, answers = ?, last_status = ? WHERE id = ?"


@dataclass(frozen=True, slots=True)
class StoredTask:
    """A task as it lies in the table."""

    queue: str
    name: str
    named: bool
    body: bytes = field(repr=False)
    created_at: int
    eta: int
    due: int
    id: int = 0
    attempts: int = 0
    answers: int = 0
    first_at: int | None = None
    last_status: int | None = None
    reason: str | None = None


def loaded(row: Sequence[Any]) -> StoredTask:
    """Return the task of a row of COLUMNS."""
    identity, queue, name, named, body, created_at, eta, due, *rest = row
    return StoredTask(queue, name, bool(named), body, created_at, eta, due, identity, *rest)


def enqueue(connection: sqlite3.Connection, task: StoredTask, now: int) -> int:
    """Keep a task and return its number, or raise TaskExists."""
    # A name that would be taken for longer was so by a clock that has been set back since.
    connection.execute(FREE_NAMES, (now, now + NAME_TAKEN))
    if connection.execute(TAKEN, {"queue": task.queue, "name": task.name}).fetchone():
        raise TaskExists(
            f"task {task.name!r} of {task.queue} is queued, or was less than an hour ago: "
            "it is on its way, or choose another name"
        )
    values = (task.queue, task.name, task.named, task.body, checksum(task.body), task.created_at)
    inserted = connection.execute(INSERT, (*values, task.eta, task.due)).lastrowid
    if inserted is None:
        raise RuntimeError("SQLite gave an inserted task no id")
    return inserted


def finish(connection: sqlite3.Connection, task: StoredTask, now: int) -> None:
    """Forget a task but not, for a while, its name."""
    if connection.execute("DELETE FROM task WHERE id = ?", (task.id,)).rowcount and task.named:
        connection.execute(TAKE_NAME, (task.queue, task.name, now + NAME_TAKEN))


def fail(connection: sqlite3.Connection, task: StoredTask, now: int) -> None:
    """Keep a task that will not be tried again, for people to see."""
    values = (task.reason, task.answers, task.last_status, now, task.id)
    if connection.execute(FAIL, values).rowcount and task.named:
        connection.execute(TAKE_NAME, (task.queue, task.name, now + NAME_TAKEN))


def retry(connection: sqlite3.Connection, queue: str, name: str) -> int | None:
    """Queue the latest failed task of a name as if it were new, and return its number, if there is one."""
    named = {"queue": queue, "name": name}
    if connection.execute(QUEUED_NAMED, named).fetchone():
        raise TaskExists(f"task {name!r} of {queue} is queued again already: wait, or delete it")
    rows = connection.execute(RETRY, named).fetchall()
    return int(rows[0][0]) if rows else None


def delete(connection: sqlite3.Connection, queue: str, name: str, now: int) -> bool:
    """Delete a task, queued or failed; return whether there was one."""
    rows = connection.execute(SELECT_NAMED, (queue, name)).fetchall()
    connection.execute(DELETE_NAMED, (queue, name))
    if any(reason is None for (reason,) in rows):
        connection.execute(TAKE_NAME, (queue, name, now + NAME_TAKEN))
    return bool(rows)


def purge(connection: sqlite3.Connection, before: int, most: int) -> int:
    """Delete the tasks that failed first, and before then; return how many."""
    return connection.execute(PURGE, (before, most)).rowcount
