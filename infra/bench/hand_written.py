"""A key made by hand, without any machinery: six commits and one POST, the least that a fleet must do."""

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from infra.bench.client import Caller, request
from infra.bench.figures import BenchError
from infra.bench.plain_sqlite import PlainSqlite

Statement = tuple[str, tuple[object, ...]]
Keep = Callable[[Statement], Awaitable[None]]
SCHEMA = (
    "CREATE TABLE keys (id INTEGER PRIMARY KEY, state TEXT NOT NULL, ref TEXT)",
    "CREATE TABLE steps (key INTEGER, step TEXT, said TEXT, PRIMARY KEY (key, step)) WITHOUT ROWID",
    "CREATE TABLE outbox (id INTEGER PRIMARY KEY, key INTEGER NOT NULL, event TEXT NOT NULL)",
)
MOST_TOGETHER = 256
JSON = {"content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class HandWritten:
    """Makes keys on a database that holds nothing else."""

    keep: Keep
    vendor: int

    async def key(self, number: int, caller: Caller) -> None:
        """Requested, pending, intended; posted; answered, active, told."""
        await self.keep(("INSERT INTO keys (id, state) VALUES (?, 'requested')", (number,)))
        await self.keep(("UPDATE keys SET state = 'pending' WHERE id = ?", (number,)))
        await self.keep(("INSERT INTO steps VALUES (?, 'intent', '')", (number,)))
        body = b'{"clientNonce":"%d"}' % number
        status = await caller.call(request(self.vendor, "/v3/key/get", JSON, body))
        if status != 200:
            raise BenchError(f"the vendor answered {status}")
        await self.keep(("INSERT INTO steps VALUES (?, 'posted', ?)", (number, str(status))))
        await self.keep(("UPDATE keys SET state = 'active', ref = ? WHERE id = ?", (str(status), number)))
        await self.keep(("INSERT INTO outbox (key, event) VALUES (?, 'issued')", (number,)))


def inline(database: PlainSqlite) -> Keep:
    """Return what commits each step by itself, at once."""

    async def keep(statement: Statement) -> None:
        _commit(database, [statement])

    return keep


@contextmanager
def together(database: PlainSqlite, loop: asyncio.AbstractEventLoop) -> Iterator[Keep]:
    """Lend what commits all steps that wait, in a thread of its own, for a while."""
    waiting: queue.SimpleQueue[tuple[Statement, asyncio.Future[None]] | None] = queue.SimpleQueue()

    async def keep(statement: Statement) -> None:
        kept = loop.create_future()
        waiting.put((statement, kept))
        await kept

    def write() -> None:
        while (first := waiting.get()) is not None:
            batch = [first]
            while len(batch) < MOST_TOGETHER and not waiting.empty():
                if (following := waiting.get()) is None:
                    waiting.put(None)
                    break
                batch.append(following)
            _commit(database, [statement for statement, _ in batch])
            loop.call_soon_threadsafe(_tell, [kept for _, kept in batch])

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield keep
    finally:
        waiting.put(None)
        thread.join()


def _commit(database: PlainSqlite, statements: Sequence[Statement]) -> None:
    with database.transaction() as execute:
        for statement in statements:
            execute(*statement)


def _tell(kept: Sequence["asyncio.Future[None]"]) -> None:
    for future in kept:
        future.set_result(None)
