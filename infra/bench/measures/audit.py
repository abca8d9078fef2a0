"""The audit log: a day of a million events anchored, a proof read off its files, proofs checked a second."""

import json
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from infra.bench.figures import Figure, Ground, Measure, Sample
from infra.bench.rounds import each_cpu_second
from shared.audit.intake import Day, Head, Row, day_of_entries
from shared.audit.log import Edge, append
from shared.audit.proofs import inclusion_path, root_by_inclusion
from shared.audit.subjects import Subject
from shared.audit.tiles import WIDTH, bundled, stored_subtrees, tile_path
from shared.audit.tree import leaf_hash, node_hash

MILLION, SAMPLED, QUICK_SAMPLED, WATCHED, ROWS_A_KEY, PROOFS = 1_000_000, 100_000, 20_000, 5_000, 5, 20
DATE, TENANT, KEY = "2026-11-18", "tnt_bench", b"k" * 32
ANCHOR, MEMORY = "audit.anchor_million_events_cpu_s", "audit.anchor_memory_mb"
PROOF, CHECKS, HASHES = "audit.proof_of_one_ms", "audit.inclusions_checked_per_s", "raw.node_hashes_per_s"
FIGURES = {
    ANCHOR: Figure("s", "lower", floor=60.0),
    MEMORY: Figure("MB", "lower", floor=200.0),
    PROOF: Figure("ms", "lower", floor=50.0),
    HASHES: Figure("1/s"),
    CHECKS: Figure("1/s", floor=50_000, beside=HASHES),
}
"""The day is sampled and scaled to a million: its cost is the same for each event, whatever came before."""


def take(ground: Ground) -> Sample:
    """Anchor a day into a folder, then ask it for proofs."""
    events = QUICK_SAMPLED if ground.effort.quick else SAMPLED
    began = time.process_time()
    edge = _anchored(ground.folder / "log", events)
    took = time.process_time() - began
    made = _cost_of_rows(events)

    def read(path: str) -> bytes:
        return (ground.folder / "log" / path).read_bytes()

    index = edge.size // 3
    entry = bundled(read(tile_path("entries", index // WIDTH)))[index % WIDTH]
    path = inclusion_path(index, edge.size, stored_subtrees(edge.size, read))
    leaf, root, seconds = leaf_hash(entry), edge.root, ground.effort.seconds / 2
    return {
        ANCHOR: (took - made) * MILLION / events,
        MEMORY: _megabytes(lambda: _anchored(ground.folder / "watched", WATCHED)),
        PROOF: _milliseconds(lambda: inclusion_path(index, edge.size, stored_subtrees(edge.size, read))),
        HASHES: each_cpu_second(lambda: node_hash(leaf, root), seconds),
        CHECKS: each_cpu_second(lambda: root_by_inclusion(leaf, index, edge.size, path), seconds),
    }


def _anchored(folder: Path, events: int) -> Edge:
    """Close a day of some events, each file written where it belongs."""
    subjects: dict[str, Subject] = {}

    def subject_of(row: Row) -> Subject:
        stream = row["aggregateId"]
        if stream not in subjects:
            subjects.clear()
            subjects[stream] = Subject(KEY, f"gst_{stream}")
        return subjects[stream]

    day = day_of_entries(Day.of(TENANT, DATE), 0, rows_of_keys(events), lambda _: Head(), subject_of)
    growing = append(Edge(), (kept.entry.header for kept in day))
    while True:
        try:
            write = next(growing)
        except StopIteration as end:
            edge: Edge = end.value
            return edge
        path = folder / write.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(write.content)


def _cost_of_rows(events: int) -> float:
    """Return the seconds that making the rows takes, which the outbox has done."""
    began = time.process_time()
    for _ in rows_of_keys(events):
        pass
    return time.process_time() - began


def rows_of_keys(events: int) -> Iterator[Row]:
    """Yield the outbox rows of a day, five to a key."""
    for number in range(events):
        key, sequence = divmod(number, ROWS_A_KEY)
        yield _row(f"key_{key:026d}", sequence + 1, f"evt_{number:026d}")


def _row(stream: str, sequence: int, event_id: str) -> Row:
    data = {
        "keyCredentialId": stream,
        "propertyId": "ppt_bench",
        "reservationId": f"rsv_{stream}",
        "guestId": f"gst_{stream}",
        "rooms": ["rmu_204"],
        "vendor": "mock",
        "kind": "pin_code",
        "holderKind": "guest",
        "validFrom": f"{DATE}T14:00:00Z",
        "validUntil": "2026-11-20T11:00:00Z",
        "issuedAt": f"{DATE}T10:00:00Z",
        "provisional": False,
        "warnings": [],
    }
    facts = {
        "action": "issued",
        "time": f"{DATE}T10:00:{sequence:02d}Z",
        "traceId": f"00-{'a' * 32}-{'b' * 16}-01",
        "operatorId": "saga",
        "staffUserId": None,
        "reason": None,
        "vendor": "mock",
        "capabilities": ["pin", "remote_revoke"],
    }
    return {
        "eventId": event_id,
        "subject": "melmastoon.lock.credential.issued.v1",
        "tenantId": TENANT,
        "aggregateId": stream,
        "sequence": sequence,
        "body": json.dumps({"id": event_id, "data": data}),
        "audit": facts,
    }


def _megabytes(work: Callable[[], object]) -> float:
    """Return the most that was held at once; it does not grow with the day, so a short one is watched."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def _milliseconds(work: Callable[[], object]) -> float:
    return median(_timed(work) for _ in range(PROOFS)) * 1e3


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


MEASURE = Measure("audit", FIGURES, take)
