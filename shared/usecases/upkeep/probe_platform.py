"""A probe walks the whole platform the way a key does, and says whether it came back."""

import contextlib
from dataclasses import dataclass
from datetime import timedelta

from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.ports.ambient import Clock, Ids
from shared.ports.documents import (
    AlreadyExists,
    Create,
    DocumentStore,
    Ref,
    Update,
)
from shared.ports.sagas import Sagas
from shared.ports.tasks import Task, TaskExists, TaskQueue
from shared.ports.vault import Cipher, SealContext

PLATFORM = TenantId("tnt_platform")
"""The tenant that owns what belongs to no hotel."""
WORKFLOW, REPLY_FUNCTION, PURPOSE = "probe_platform", "probe-reply", "saga-callback"
KEPT_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ProbeMissing(Exception):
    """Nobody handed over a callback for this probe."""

    probe: str


@dataclass(frozen=True, slots=True)
class HandOver:
    """A saga's wish to be called back."""

    probe: str
    url: str
    wait_seconds: int = 1


def _context(probe: str) -> SealContext:
    return SealContext(PURPOSE, PLATFORM, probe, "url")


async def begin_probe(sagas: Sagas, ids: Ids, wait_seconds: int = 1) -> tuple[str, str]:
    """Start a probe's saga; return the probe and the execution."""
    probe = ids.ulid()
    return probe, await sagas.start(WORKFLOW, {"probe": probe, "wait_seconds": wait_seconds})


async def count_visit(documents: DocumentStore, clock: Clock, probe: str, execution: str) -> int:
    """Count a visit of the execution that was first, and return its number; 0 to any other execution."""
    store, ref = documents.tenant(PLATFORM), Ref("probes", probe)
    expires = clock.now() + KEPT_FOR
    seen = await store.get(ref)
    if seen is None:
        # Two that come at once meet here: one creates, the other is told AlreadyExists and comes again.
        await store.commit([Create(ref, {"visits": 1, "execution": execution, "schema_version": 1}, expires)])
        return 1
    if seen.data["execution"] != execution:
        return 0
    visits = int(seen.data["visits"]) + 1
    await store.commit([Update(ref, {**seen.data, "visits": visits}, seen.version, expires)])
    return visits


async def hand_over(
    command: HandOver, *, sealed: DocumentStore, cipher: Cipher, tasks: TaskQueue, clock: Clock
) -> None:
    """Seal the callback's address, and have it called later; repeated, it changes nothing."""
    probe = command.probe
    text = (await cipher.seal(_context(probe), Secret(command.url.encode()))).hex()
    ref, expires = Ref("probe_callbacks", probe), clock.now() + KEPT_FOR
    # A call that died half-way may have kept the address and not the task, so each is tried for itself.
    with contextlib.suppress(AlreadyExists):
        await sealed.tenant(PLATFORM).commit([Create(ref, {"url": text, "schema_version": 1}, expires)])
    due = clock.now() + timedelta(seconds=command.wait_seconds)
    with contextlib.suppress(TaskExists):
        await tasks.enqueue(Task(REPLY_FUNCTION, {"probe": probe}, f"probe-reply-{probe}", due))


async def reply(sealed: DocumentStore, cipher: Cipher, sagas: Sagas, probe: str) -> None:
    """Wake the saga that waits for this probe."""
    kept = await sealed.tenant(PLATFORM).get(Ref("probe_callbacks", probe))
    if kept is None:
        raise ProbeMissing(probe)
    url = await cipher.open(_context(probe), bytes.fromhex(kept.data["url"]))
    await sagas.call_back(url.reveal().decode(), {"probe": probe, "answer": "here"})
