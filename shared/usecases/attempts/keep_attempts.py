"""Attempts are kept: each once, with the event that tells it and what it shows of its key, in one commit.

| step                                             | died here                                          |
|--------------------------------------------------|----------------------------------------------------|
| 1. what is known already is left out             | nothing changed                                    |
| 2. attempts, their rows and `used` are one commit| all stand, or none; the next hearing begins at 1   |
| 3. the rows are published, and looked into       | the sweeper publishes the same bytes, and looks    |
| 4. that they are is noted                        | they are published once more, under the same ids   |
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.domain.grant_lifecycle import Place, Placed, Placement
from shared.domain.instants import milliseconds
from shared.domain.premises import LockDevice
from shared.events.door_access import AuditAttemptV1
from shared.events.outbox import OutboxRow
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.attempt import TOLD_AFTER, Attempt, attempt_id
from shared.ledger.grant_record import GRANTS, GrantRecord, grant_from
from shared.ledger.ledger import Ledger
from shared.ports.documents import Ref, TenantDocuments, Write
from shared.ports.door_records import DoorRecord
from shared.streams.owed import nothing_owed
from shared.streams.rows import Telling, row_of
from shared.streams.telling import row_write
from shared.usecases.attempts.judge_attempt import Traced, judged
from shared.usecases.attempts.look_into import look_into
from shared.usecases.attempts.trace_attempt import Tracer

AT_A_TIME: Final = 60


@dataclass(frozen=True, slots=True)
class Kept:
    """An attempt that was not known before, and whose it was."""

    attempt: Attempt
    traced: Traced


async def keep_attempts(
    records: Sequence[DoorRecord], door: LockDevice, tracer: Tracer, services: Services
) -> list[Kept]:
    """Keep those of a door's attempts that are not known, tell of them, and return them, the oldest first."""
    kept = list[Kept]()
    ordered = sorted(records, key=lambda record: (record.at, record.event))
    for first in range(0, len(ordered), AT_A_TIME):
        part = ordered[first : first + AT_A_TIME]
        new = await retry_on_conflict(lambda part=part: _kept(part, door, tracer, services))  # type: ignore[misc]  # bound now
        await _told([each.attempt for each in new], tracer.ledger, services)
        kept += new
    return kept


async def _kept(
    records: Sequence[DoorRecord], door: LockDevice, tracer: Tracer, services: Services
) -> list[Kept]:
    store, new = tracer.ledger.documents, dict[str, Kept]()
    for record in records:
        id_ = attempt_id(door.id, record.event, milliseconds(record.at))
        if id_ not in new and await store.get(Ref("attempts", str(id_))) is None:
            new[id_] = _attempt(record, door, await tracer.traced(record, door), tracer, services)
    kept = list(new.values())
    if not kept:
        return []
    rows = [_row(each.attempt, services) for each in kept]
    used = await _used([each for each in kept if each.attempt.opened], store, services)
    writes: list[Write] = [*(each.attempt.write() for each in kept), *map(row_write, rows), *used]
    versions = await store.commit(writes)
    return [
        Kept(replace(each.attempt, version=version, told=(row,), stored=1), each.traced)
        for each, version, row in zip(kept, versions[: len(kept)], rows, strict=True)
    ]


def _attempt(
    record: DoorRecord, door: LockDevice, traced: Traced, tracer: Tracer, services: Services
) -> Kept:
    thought, now = judged(record, traced), services.now
    attempt = Attempt(
        id=attempt_id(door.id, record.event, milliseconds(record.at)),
        tenant=tracer.desk.binding.tenant,
        property_id=door.property_id,
        device_id=door.id,
        vendor=door.vendor,
        event=record.event,
        at=record.at,
        heard_at=now,
        opened=record.opened,
        means=record.means,
        credential_id=None if traced.entry is None else traced.entry.id,
        staff=traced.staff,
        refused=thought.refused,
        alarm=thought.alarm,
        challenge=traced.challenge,
        due=now + TOLD_AFTER,
    )
    return Kept(attempt, traced)


def _row(attempt: Attempt, services: Services) -> OutboxRow:
    payload = AuditAttemptV1(
        attempt_id=str(attempt.id),
        property_id=attempt.property_id,
        device_id=attempt.device_id,
        key_credential_id=None if attempt.credential_id is None else str(attempt.credential_id),
        outcome="granted" if attempt.opened else "denied",
        deny_reason=attempt.refused,
        vendor=attempt.vendor,
        vendor_event_id=attempt.event,
        attempted_at=attempt.at,
        ingested_at=attempt.heard_at,
    )
    telling = Telling(
        tenant=attempt.tenant,
        stream=str(attempt.id),
        sequence=1,
        action="door_opened" if attempt.opened else "door_refused",
        at=attempt.heard_at,
        vendor=attempt.vendor,
        reason=attempt.alarm or attempt.refused,
        correlation=None if attempt.credential_id is None else str(attempt.credential_id),
    )
    return row_of(payload, telling, services.ids)


async def _used(kept: Sequence[Kept], store: TenantDocuments, services: Services) -> list[Write]:
    """Return the grants whose keys have opened their doors, each as it is now and once."""
    names = {each.traced.kept.grant.id for each in kept if each.traced.kept is not None and each.traced.here}
    grants = [await store.get(Ref(GRANTS, name)) for name in sorted(names)]
    return [
        grant.applied(Place(at=services.now, placement=Placement.USED)).write()
        for grant in (grant_from(found) for found in grants if found is not None)
        if _unused(grant)
    ]


def _unused(grant: GrantRecord) -> bool:
    state = grant.grant.state
    return isinstance(state, Placed) and state.placement is not Placement.USED


async def _told(attempts: Sequence[Attempt], ledger: Ledger, services: Services) -> None:
    told = [await attempt.announce(ledger.documents, services.bus) for attempt in attempts]
    for attempt in told:
        await look_into(attempt, ledger, services)
    await nothing_owed(told, ledger.documents.note)
