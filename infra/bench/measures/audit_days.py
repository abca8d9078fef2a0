"""The audit log as it is kept: a day of an outbox closed on real stores, and a stay's pack handed out."""

import gc
import io
import resource
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Final

import uvloop

from infra.bench.figures import Figure, Ground, Measure, Sample
from infra.bench.measures.audit import DATE, MILLION, rows_of_keys
from infra.local import documents, objects, secrets
from infra.local.ambient import SystemEntropy
from infra.local.cipher import LocalCipher
from infra.local.counters import Counters
from infra.local.documents import SqliteDocuments
from infra.local.faults import NoFaults
from infra.local.objects import SqliteObjects
from infra.local.server import spare_the_collector
from infra.local.storage.database import open_database
from infra.local.storage.engine import Engine
from shared.domain.ids import TenantId, UserId
from shared.kernel.ids import DrawnIds
from shared.kernel.log import Log
from shared.ledger.admission import RECORD
from shared.ports.documents import Create, Ref
from shared.runtime.indexes import INDEXES
from shared.usecases.audit.anchor_cell import CloseCell, close_cell
from shared.usecases.audit.anchor_tenant import CloseDays, anchor_tenant
from shared.usecases.audit.packs import WantPack, hand_out
from shared.usecases.audit.questions import STAY, Asked
from shared.usecases.audit.services import AuditServices

TENANT: Final = TenantId("tnt_bench")
SAMPLED, QUICK_SAMPLED, A_COMMIT, PACKS, LEAST = 10_000, 2_000, 400, 10, 0.01
CLOSED, GROWN, HANDED = (
    "audit.close_million_events_on_stores_cpu_s",
    "audit.close_memory_growth_mb",
    "audit.pack_of_a_stay_ms",
)
FIGURES = {
    CLOSED: Figure("s", "lower", floor=60.0),
    GROWN: Figure("MB", "lower", floor=200.0),
    HANDED: Figure("ms", "lower"),
}
"""Ten thousand events are closed, outbox, guests' keys, sealing, heads, files and all, then scaled.

A whole million costs more than that says: tables of a million rows are deeper than those of the sample.
"""


class _Night:
    """The clock of the night after the day."""

    _HOUR: Final = datetime.fromisoformat(DATE).replace(tzinfo=UTC) + timedelta(days=1, hours=2)

    def now(self) -> datetime:
        """Return an hour at which the day may be closed."""
        return self._HOUR


class _NoBus:
    """Publishes nothing."""

    async def publish(self, _topic: str, _messages: Any) -> tuple[str, ...]:
        """Do nothing."""
        return ()


def take(ground: Ground) -> Sample:
    """Close a day, then hand out packs of it."""
    events = QUICK_SAMPLED if ground.effort.quick else SAMPLED
    return uvloop.run(_measured(ground.folder, events))


async def _measured(folder: Path, events: int) -> Sample:
    async with _services(folder) as on:
        await _told(on, events)
        with _collector_spared():
            before, began = _resident(), time.process_time()
            await anchor_tenant(CloseDays(TENANT, DATE), on)
            took = time.process_time() - began
        grown = max(_resident() - before, LEAST)  # what was held before may be enough
        await close_cell(CloseCell(DATE, (TENANT,)), on)
        wish = WantPack(Asked(TENANT, STAY, f"rsv_key_{7:026d}"), UserId("usr_1"))
        started = time.perf_counter()
        for _ in range(PACKS):
            await hand_out(wish, on)
        handed = (time.perf_counter() - started) / PACKS * 1e3
    return {CLOSED: took * MILLION / events, GROWN: grown, HANDED: handed}


async def _told(on: AuditServices, events: int) -> None:
    """Put a day's rows into the outbox."""
    store = on.documents.tenant(TENANT)
    await store.commit([Create(RECORD, {"id": TENANT, "data_residency": on.cell, "schema_version": 1})])
    coming = rows_of_keys(events)
    while part := list(islice(coming, A_COMMIT)):
        rows = ({**row, "day": DATE} for row in part)
        names = (Ref("outbox", f"{row['aggregateId']}.{row['sequence']:06d}") for row in part)
        await store.commit([Create(ref, row) for ref, row in zip(names, rows, strict=True)])


@contextmanager
def _collector_spared() -> Iterator[None]:
    """Run as the fleet does, which lets the collector pass over what is loaded; other measures do not."""
    usual = gc.get_threshold()
    spare_the_collector()
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


def _resident() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@asynccontextmanager
async def _services(folder: Path) -> AsyncIterator[AuditServices]:
    clock, entropy = _Night(), SystemEntropy()
    schema = (*documents.SCHEMA, *objects.SCHEMA, *secrets.SCHEMA)
    database = open_database(folder / "fleet.db", schema, entropy.token)
    engine = Engine(database, faults=NoFaults(), counters=Counters())
    engine.start()
    try:
        main = SqliteDocuments(engine, clock, INDEXES, "main")
        await main.prepare()
        cipher = LocalCipher.at(folder / "master.key", entropy, engine)
        sealed = SqliteDocuments(engine, clock, (), "sealed")
        ids, log = DrawnIds(clock.now, entropy.token), Log("bench", io.StringIO())
        stores = (main, sealed, SqliteObjects(engine, clock), _NoBus(), cipher)
        yield AuditServices(*stores, entropy, clock, ids, log, "bench")
    finally:
        await engine.close()


MEASURE = Measure("audit-days", FIGURES, take)
