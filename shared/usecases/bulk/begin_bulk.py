"""A bulk revocation begins: a property was closed, or a lock was taken out of use.

| of | at once | then |
|---|---|---|
| a property | it is closed: no key is requested there any more; its master keys are over | all its keys end |
| a lock | it is unmapped: no key is placed there any more | its guests' keys are replaced, other keys end |

There is one job to a property or lock. Heard again, it is looked at again; what is over stays over.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Self

from shared.domain.documents import from_document, to_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, PropertyId, TenantId, UserId
from shared.domain.kinds import SAGA, Actor, RevokeReason
from shared.domain.master_key import ExpiryTrigger, MasterKeyState
from shared.domain.premises import Property
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.bulk_job import BulkJob, Stage, find_job
from shared.ledger.indexes import MASTER_KEYS_AT
from shared.ledger.key_record import Cause
from shared.ledger.ledger import Ledger
from shared.ledger.master_key_record import master_key_from, telling
from shared.ledger.premises import change_hotel
from shared.ledger.reading import reading
from shared.ports.documents import Delete, Ref, Update
from shared.usecases.staff.event_cause import cause_of, word_of

if TYPE_CHECKING:
    from shared.events.envelope import Event

WORKFLOW: Final = "bulk_revoke"
PAGE: Final = 200


@dataclass(frozen=True, slots=True)
class BeginBulk:
    """What is to end, why it does, and on whose word."""

    tenant: TenantId
    property_id: PropertyId
    cause: Cause
    device_id: LockDeviceId | None = None
    by: Actor = SAGA
    reason: RevokeReason = RevokeReason.SECURITY

    @classmethod
    def of(cls, body: Mapping[str, Any], services: Services) -> Self:
        """Read the command."""
        device = body.get("device")
        return cls(
            TenantId.parse(body.get("tenant"), "tenant"),
            PropertyId.parse(body.get("property"), "property"),
            word_of(services),
            None if device is None else LockDeviceId.parse(device, "device"),
            UserId.parse(body.get("by"), "by"),
        )

    @property
    def job(self) -> str:
        """What the job is called."""
        return str(self.device_id or self.property_id)


async def close_property(event: "Event", reason: RevokeReason, services: Services) -> BulkJob:
    """Revoke every key of a property that was deactivated (B §3)."""
    tenant, hotel = TenantId(event.tenant_id), PropertyId(event.data.property_id)
    return await begin_bulk(BeginBulk(tenant, hotel, cause_of(event), reason=reason), services)


async def begin_bulk(command: BeginBulk, services: Services) -> BulkJob:
    """Keep what is to end, and begin the execution that sees to it."""
    ledger = await services.ledger(command.tenant)
    if command.device_id is None:
        await _close(command, ledger, services)
        await _end_master_keys(command, ledger, services)
    else:
        await _unmap(command, command.device_id, ledger)
    services.hotels.forget(command.tenant)
    job = await retry_on_conflict(lambda: _kept(command, ledger, services))
    await start_bulk(job, ledger, services)
    return job


async def start_bulk(job: BulkJob, ledger: Ledger, services: Services) -> None:
    """Begin an execution of a job that is not done."""
    if job.stage is not Stage.DONE:
        argument = {"tenant": str(ledger.documents.tenant), "job": job.id, "generation": job.generation}
        await services.sagas.start(WORKFLOW, argument)


async def resume_bulk(name: str, ledger: Ledger, services: Services) -> bool:
    """Take up a job that nobody works on any more; return whether that was so."""
    job = await find_job(ledger.documents, name)
    if job is None or job.due is None or job.due > services.now:
        return False
    again = replace(job, generation=job.generation + 1, execution=None).moved(services.now)
    await ledger.documents.commit([again.write()])
    services.log.warning("a bulk revocation is taken up again", job=name, generation=again.generation)
    await start_bulk(again, ledger, services)
    return True


async def _kept(command: BeginBulk, ledger: Ledger, services: Services) -> BulkJob:
    """Keep the job; one that is under way goes on, and one that is done is looked at again."""
    known, now = await find_job(ledger.documents, command.job), services.now
    if known is not None and (known.stage is not Stage.DONE or _heard_before(known, command)):
        return known
    job = BulkJob(
        id=command.job,
        property_id=command.property_id,
        device_id=command.device_id,
        reason=command.reason,
        cause=command.cause,
        event_id=command.cause.event_id,
        began_at=now,
        moved_at=now,
        by=command.by,
    )
    if known is not None:
        pages = {"pages": known.pages, "page": known.pages, "version": known.version}
        job = replace(job, generation=known.generation + 1, **pages)  # type: ignore[arg-type]  # fields of ours, by name
    kept = job.moved(now)
    (version,) = await ledger.documents.commit([kept.write()])
    return replace(kept, version=version)


def _heard_before(known: BulkJob, command: BeginBulk) -> bool:
    """Say whether the same event began the job: what a person orders again is an order of its own."""
    return known.event_id is not None and known.event_id == command.cause.event_id


async def _close(command: BeginBulk, ledger: Ledger, services: Services) -> None:
    """Note that a property is closed: whoever asks for a key there is refused from now on."""
    found = await ledger.documents.get(Ref("properties", command.property_id))
    if found is None:
        remedy = "set up the property, then replay the message"
        raise InvalidInput("data.propertyId", "not a property of this tenant", remedy)
    with reading(found):
        hotel = from_document(Property, found.data)
    if hotel.closed_at is None:
        closed = {**found.data, **to_document(replace(hotel, closed_at=services.now))}
        await change_hotel(ledger.documents, command.property_id, [Update(found.ref, closed, found.version)])


async def _unmap(command: BeginBulk, device: LockDeviceId, ledger: Ledger) -> None:
    """Forget a lock that is out of use: who has keys elsewhere is not to have one there again."""
    found = await ledger.documents.get(Ref("devices", device))
    if found is None:
        return
    if found.data.get("property_id") != command.property_id:
        raise InvalidInput("device", "of another property", "name the property that the lock is in")
    await change_hotel(ledger.documents, command.property_id, [Delete(found.ref, found.version)])


async def _end_master_keys(command: BeginBulk, ledger: Ledger, services: Services) -> None:
    """End the master keys of a closed property; their credentials end with all others, in the job's pages."""
    at = {"of_property": str(command.property_id)}
    page = await ledger.documents.query(MASTER_KEYS_AT, at, limit=PAGE)
    while page:
        for found in page:
            record = master_key_from(found)
            if record.master_key.over:
                continue
            if not record.master_key.credentials:  # nobody ever heard of it
                never = replace(record.master_key, state=MasterKeyState.EXPIRED)
                await ledger.documents.commit([replace(record, master_key=never, due=None).write()])
                continue
            over, fact = record.master_key.expired(services.now, ExpiryTrigger.PROPERTY_DEACTIVATED)
            news = replace(record, master_key=over, cause=command.cause, due=services.now)
            told, row = telling(news, fact, command.by, services.ids)
            await ledger.documents.commit([told.write(), row])
        page = await ledger.documents.query(MASTER_KEYS_AT, at, after=page[-1], limit=PAGE)
