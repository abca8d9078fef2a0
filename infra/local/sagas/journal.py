"""What is kept of executions: their source, their argument, every outcome in order, their end."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from infra.local.delivery.keeping import Keeping
from infra.local.storage.database import checksum
from infra.local.storage.engine import Engine
from infra.local.storage.packing import Kept as Packed
from infra.local.storage.packing import pack, unpack
from shared.ports.sagas import Execution, ExecutionState, SagaError

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS revisions (
        digest TEXT PRIMARY KEY, workflow TEXT NOT NULL, source TEXT NOT NULL,
        crc INTEGER NOT NULL CHECK (crc = checksum(source))) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS executions (
        id TEXT PRIMARY KEY, workflow TEXT NOT NULL, revision TEXT NOT NULL, argument TEXT NOT NULL,
        environment TEXT NOT NULL, state TEXT NOT NULL, ending TEXT, started_at TEXT NOT NULL, ended_at TEXT,
        steps INTEGER NOT NULL DEFAULT 0,
        crc INTEGER NOT NULL CHECK (crc = checksum(argument || environment))) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS executions_active ON executions (id) WHERE state = 'ACTIVE'",
    "CREATE INDEX IF NOT EXISTS executions_ended ON executions (ended_at) WHERE ended_at IS NOT NULL",
    """CREATE TABLE IF NOT EXISTS journal (
        execution TEXT NOT NULL, seq INTEGER NOT NULL, entry TEXT NOT NULL,
        crc INTEGER NOT NULL CHECK (crc = checksum(entry)), PRIMARY KEY (execution, seq)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS callback_requests (
        execution TEXT NOT NULL, callback TEXT NOT NULL, request TEXT NOT NULL,
        crc INTEGER NOT NULL CHECK (crc = checksum(request)),
        PRIMARY KEY (execution, callback)) WITHOUT ROWID""",
)
SELECT = """SELECT id, workflow, state, ending, started_at, ended_at, steps, revision, argument, environment
FROM executions """


@dataclass(frozen=True, slots=True)
class Kept:
    """An execution as it is kept."""

    execution: Execution
    revision: str
    argument: Any
    environment: Mapping[str, str]
    started_at: str
    ended_at: str | None = None
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a journal: the outcome of an operation, and the values drawn while the machine ran on."""

    operation: int | None
    outcome: Any
    drawn: Sequence[Any]
    at: str


@dataclass(frozen=True, slots=True)
class Ending:
    """How an execution ended."""

    state: ExecutionState
    value: Any
    steps: int


class Journal:
    """Reads and writes what is kept."""

    def __init__(self, engine: Engine, now: Callable[[], datetime]) -> None:
        self._engine, self._now, self._keeping = engine, now, Keeping(engine)
        self._revisions: set[str] = set()

    async def begin(self, kept: Kept, source: str, noticed: Callable[[Kept], None]) -> None:
        """Keep a new execution and the revision it is pinned to, and tell once that is done."""
        execution, known = kept.execution, kept.revision in self._revisions
        texts = [orjson.dumps(part).decode() for part in (kept.argument, dict(kept.environment))]

        def operation(db: sqlite3.Connection) -> Kept:
            if not known:
                db.execute(
                    "INSERT INTO revisions VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    (kept.revision, execution.workflow, source, checksum(source)),
                )
            db.execute(
                "INSERT INTO executions "
                "(id, workflow, revision, argument, environment, state, started_at, crc) "
                "VALUES (?, ?, ?, ?, ?, 'ACTIVE', ?, ?)",
                (
                    execution.id,
                    execution.workflow,
                    kept.revision,
                    *texts,
                    kept.started_at,
                    checksum("".join(texts)),
                ),
            )
            return kept

        await self._keeping.write(operation, noticed)
        self._revisions.add(kept.revision)

    async def settled(self) -> None:
        """Return once everybody was told what is kept."""
        while not self._keeping.quiet:
            await self._keeping.idle()

    async def append(
        self,
        execution: str,
        first: int,
        entries: Sequence[Entry],
        *,
        used: Sequence[str],
        ending: Ending | None,
    ) -> None:
        """Keep outcomes, let go of the callback requests they used, and record an end, all in one commit."""
        rows = [
            (execution, first + n, text := _text(entry), checksum(text)) for n, entry in enumerate(entries)
        ]
        ended = self._now().isoformat()

        def operation(db: sqlite3.Connection) -> None:
            db.executemany("INSERT INTO journal VALUES (?, ?, ?, ?)", rows)
            for callback in used:
                db.execute(
                    "DELETE FROM callback_requests WHERE execution = ? AND callback = ?",
                    (execution, callback),
                )
            if ending is not None:
                _end(db, execution, ending, ended)

        await self._engine.write(operation)

    async def end(self, execution: str, ending: Ending) -> bool:
        """Record an end from outside; False if it had ended already."""
        ended = self._now().isoformat()
        return await self._engine.write(lambda db: _end(db, execution, ending, ended))

    async def keep_request(
        self, execution: str, callback: str, request: Any, noticed: Callable[[bool], None]
    ) -> bool:
        """Keep a request made to a callback, and tell once that is done; False if one is waiting there."""
        text = orjson.dumps(request).decode()

        def operation(db: sqlite3.Connection) -> bool:
            return (
                db.execute(
                    "INSERT INTO callback_requests VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    (execution, callback, text, checksum(text)),
                ).rowcount
                == 1
            )

        return await self._keeping.write(operation, noticed)

    def requests(self, execution: str) -> dict[str, Any]:
        """Return the requests that wait at an execution's callbacks."""
        rows = self._engine.read(
            "SELECT callback, request FROM callback_requests WHERE execution = ? ORDER BY callback",
            (execution,),
        )
        return {callback: orjson.loads(request) for callback, request in rows}

    def get(self, execution: str) -> Kept | None:
        """Return one execution."""
        rows = self._engine.read(SELECT + "WHERE id = ?", (execution,))
        return _kept(rows[0]) if rows else None

    def listed(self, workflow: str | None, state: str | None, limit: int) -> list[Kept]:
        """Return executions, newest first."""
        rows = self._engine.read(
            SELECT
            + "WHERE (?1 IS NULL OR workflow = ?1) AND (?2 IS NULL OR state = ?2) ORDER BY id DESC LIMIT ?3",
            (workflow, state, limit),
        )
        return [_kept(row) for row in rows]

    def working_on(self, saga: str, since: str) -> list[Kept]:
        """Return the executions whose argument names a saga, from an id on, oldest first."""
        rows = self._engine.read(
            SELECT + "WHERE id >= ? AND json_extract(argument, '$.saga_id') = ? ORDER BY id", (since, saga)
        )
        return [_kept(row) for row in rows]

    def failed_since(self, moment: datetime) -> int:
        """Return how many executions have failed since."""
        rows = self._engine.read(
            "SELECT count(*) FROM executions WHERE ended_at >= ? AND state = 'FAILED'", (moment.isoformat(),)
        )
        return int(rows[0][0])

    def active(self) -> list[Kept]:
        """Return all executions that have not ended, oldest first."""
        return [_kept(row) for row in self._engine.read(SELECT + "WHERE state = 'ACTIVE' ORDER BY id")]

    def source(self, revision: str) -> str:
        """Return the source of a revision."""
        rows = self._engine.read("SELECT source FROM revisions WHERE digest = ?", (revision,))
        if not rows:
            raise SagaError(f"revision {revision[:12]} is lost: cancel the execution and start it anew")
        return str(rows[0][0])

    def entries(self, execution: str) -> list[Entry]:
        """Return an execution's journal, in order."""
        rows = self._engine.read("SELECT entry FROM journal WHERE execution = ? ORDER BY seq", (execution,))
        return [_entry(row[0]) for row in rows]

    async def purge(self, ended_before: datetime) -> int:
        """Forget executions that ended long ago; return how many."""

        def operation(db: sqlite3.Connection) -> int:
            old = db.execute(
                "DELETE FROM executions WHERE ended_at < ? RETURNING id", (ended_before.isoformat(),)
            ).fetchall()
            db.executemany("DELETE FROM journal WHERE execution = ?", old)
            db.executemany("DELETE FROM callback_requests WHERE execution = ?", old)
            return len(old)

        return await self._engine.write(operation)


def _end(db: sqlite3.Connection, execution: str, ending: Ending, at: str) -> bool:
    value = orjson.dumps(ending.value).decode()
    changed = db.execute(
        "UPDATE executions SET state = ?, ending = ?, ended_at = ?, steps = ? "
        "WHERE id = ? AND state = 'ACTIVE'",
        (ending.state.value, value, at, ending.steps, execution),
    ).rowcount
    return changed == 1


def _text(entry: Entry) -> Packed:
    return pack(orjson.dumps([entry.operation, entry.outcome, list(entry.drawn), entry.at]))


def _entry(text: Packed) -> Entry:
    operation, outcome, drawn, at = orjson.loads(unpack(text))
    return Entry(operation, outcome, drawn, at)


def _kept(row: Sequence[Any]) -> Kept:
    identity, workflow, state, ending, started_at, ended_at, steps, revision, argument, environment = row
    value = orjson.loads(ending) if ending is not None else None
    failed = state == ExecutionState.FAILED
    execution = Execution(
        identity, workflow, ExecutionState(state), None if failed else value, value if failed else None
    )
    around = orjson.loads(environment)
    return Kept(execution, revision, orjson.loads(argument), around, started_at, ended_at, steps)
