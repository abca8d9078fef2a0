"""Schedules on disk: the tick each one last took up, and whether it is done with."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

SCHEMA: tuple[str, ...] = (
    """CREATE TABLE IF NOT EXISTS schedule (
        name TEXT PRIMARY KEY,
        rule TEXT NOT NULL,
        tick INTEGER NOT NULL,
        attempts INTEGER NOT NULL,
        done INTEGER NOT NULL,
        reason TEXT NOT NULL
    ) WITHOUT ROWID""",
)
READ = "SELECT rule, tick, attempts, done, reason FROM schedule WHERE name = ?"
WRITE = "INSERT OR REPLACE INTO schedule VALUES (?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a schedule has come."""

    rule: str
    tick: int
    attempts: int = 0
    done: bool = True
    reason: str = "not due yet"


def loaded(row: Sequence[Any]) -> Progress:
    """Return the progress of a row."""
    rule, tick, attempts, done, reason = row
    return Progress(rule, tick, attempts, bool(done), reason)


def save(connection: sqlite3.Connection, name: str, progress: Progress) -> None:
    """Keep how far a schedule has come."""
    values = (progress.rule, progress.tick, progress.attempts, progress.done, progress.reason)
    connection.execute(WRITE, (name, *values))
