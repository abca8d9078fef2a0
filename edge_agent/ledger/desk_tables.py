"""Two tables beside the keys: what the desk knows of itself, and the cloud's jobs that it has taken on.

A job is written down before the cloud hears that it is taken, and each of its steps before anybody else does:

    waiting   until a clerk chooses it and lays a card down
    writing   on the card of this UID and no other: a crash leaves one card at most that may be this job's
              (where a lock system writes it: once this is `asked`, there may be one)
    written   the card is this job's; the cloud hears it until it has answered
    failed    nothing was written, or nobody knows where it is: the cloud orders another, with a higher number
    dropped   called off before anything was written
"""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final

from edge_agent.ledger.errors import UnknownWork

WAITING, WRITING, WRITTEN, FAILED, DROPPED = "waiting", "writing", "written", "failed", "dropped"
COLUMNS: Final = "id, document, step, uid, error, local_id, told"
ASKED: Final = "asked"
"""In place of a UID, where a lock system writes the card."""
Commit = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class DeskJobRow:
    """A job of the cloud, and how far this desk has come with it."""

    id: str
    document: dict[str, Any]
    step: str
    uid: str | None
    error: str | None
    local_id: str | None
    told: bool


class JobTable:
    """The jobs that this desk has taken on."""

    def __init__(self, database: Any, commit: Commit) -> None:
        self._db, self._commit = database, commit

    def highest_number(self) -> int:
        """Return the highest number of a card that the cloud has ever asked for here."""
        query = "SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'job_number'"
        found = self._db.execute(query).fetchone()
        return found[0] if found else 0

    def forget(self, before: str) -> None:
        """Forget the jobs that ended, were told, and whose stays were over by then."""
        self._db.execute(
            "DELETE FROM jobs WHERE (step = 'dropped' OR told = 1 AND step IN ('written', 'failed'))"
            " AND json_extract(document, '$.ends') < ?",
            (before,),
        )

    def take(self, document: dict[str, Any]) -> DeskJobRow:
        """Write a job down, unless it is known; return how it stands."""
        with self._commit():
            row = (document["job"], json.dumps(document))
            self._db.execute(
                "INSERT INTO jobs (id, document, step, told) VALUES (?, ?, 'waiting', 0)"
                " ON CONFLICT (id) DO UPDATE SET document = excluded.document WHERE step = 'waiting'",
                row,
            )
            self._db.execute(
                "INSERT INTO settings VALUES ('job_number', ?) ON CONFLICT (name) DO UPDATE"
                " SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))",
                (str(document["number"]),),
            )
        return self.get(document["job"])

    def get(self, job: str) -> DeskJobRow:
        """Return a job, or raise UnknownWork."""
        found = self._db.execute(f"SELECT {COLUMNS} FROM jobs WHERE id = ?", (job,)).fetchone()  # noqa: S608 - our own columns
        if found is None:
            raise UnknownWork("this desk has no such job")
        return _row(*found)

    def open(self) -> list[DeskJobRow]:
        """Return the jobs that a clerk may still do something about, the oldest first."""
        return self._all("step IN ('waiting', 'writing')")

    def written(self) -> list[DeskJobRow]:
        """Return the jobs whose cards were written, the oldest first."""
        return self._all("step = 'written'")

    def untold(self) -> list[DeskJobRow]:
        """Return the jobs of which the cloud has not heard how they stand, the oldest first."""
        return self._all("told = 0 AND step != 'dropped'")

    def step(self, job: str, step: str, uid: str | None = None, error: str | None = None) -> DeskJobRow:
        """Write a step of a job down, which the cloud has yet to hear."""
        with self._commit():
            self._db.execute(
                "UPDATE jobs SET step = ?, uid = coalesce(?, uid), error = ?, told = 0 WHERE id = ?",
                (step, uid, error, job),
            )
        return self.get(job)

    def asked(self, job: str) -> None:
        """Write down that a lock system is about to be asked for a job's card."""
        with self._commit():
            self._db.execute("UPDATE jobs SET uid = ? WHERE id = ?", (ASKED, job))

    def unbegun(self, job: str) -> DeskJobRow:
        """Let a job wait again of which nothing was written: its next card may be another."""
        with self._commit():
            self._db.execute("UPDATE jobs SET step = 'waiting', uid = NULL WHERE id = ?", (job,))
        return self.get(job)

    def is_key(self, job: str, local_id: str) -> DeskJobRow:
        """Write down that a job's card is one that this desk made alone, before the job was ordered."""
        with self._commit():
            self._db.execute(
                "UPDATE jobs SET step = 'written', local_id = ?, told = 0 WHERE id = ?", (local_id, job)
            )
        return self.get(job)

    def told(self, row: DeskJobRow) -> None:
        """Note that the cloud knows of a step; one that was made since is yet to be told."""
        with self._commit():
            self._db.execute("UPDATE jobs SET told = 1 WHERE id = ? AND step = ?", (row.id, row.step))

    def unheard(self, row: DeskJobRow, reason: str) -> None:
        """Note that the cloud will not hear of a job's end, and why; what was done stays done."""
        with self._commit():
            self._db.execute(
                "UPDATE jobs SET told = 1, error = coalesce(error, ?) WHERE id = ? AND step = ?",
                (f"unheard_{reason}", row.id, row.step),
            )

    def _all(self, where: str) -> list[DeskJobRow]:
        rows = self._db.execute(f"SELECT {COLUMNS} FROM jobs WHERE {where} ORDER BY rowid").fetchall()  # noqa: S608 - our own words
        return [_row(*each) for each in rows]


class SettingTable:
    """What the desk knows of itself and was given by the cloud, by name."""

    def __init__(self, database: Any, commit: Commit) -> None:
        self._db, self._commit = database, commit

    def get(self, name: str) -> str | None:
        """Return a setting, or None."""
        found = self._db.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return None if found is None else found[0]

    def count(self, name: str, least: int) -> int:
        """Return a number that is at least so much, and higher than each that was counted before."""
        with self._commit():
            self._db.execute(
                "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE"
                " SET value = max(CAST(value AS INTEGER) + 1, CAST(excluded.value AS INTEGER))",
                (name, str(least)),
            )
        return int(self.get(name) or least)

    def put(self, **values: str) -> None:
        """Keep settings, all or none."""
        with self._commit():
            for name, value in values.items():
                self._db.execute(
                    "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = ?",
                    (name, value, value),
                )


def _row(*columns: Any) -> DeskJobRow:
    id_, document, step, uid, error, local_id, told = columns
    return DeskJobRow(id_, json.loads(document), step, uid, error, local_id, bool(told))
