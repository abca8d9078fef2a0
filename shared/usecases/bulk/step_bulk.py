"""One step of a bulk revocation, as its execution asks for it: more keys end, or a vendor is named to ask.

| stage | the step | told to the execution |
|---|---|---|
| revoking | a page of keys ends, in one commit with the page and the count; each end is published | go on |
| | none is left | go on: locks are next |
| removing | the page's next vendor is named | ask it, then go on |
| | nobody could be asked just now | rest |
| | no page is left, and no key lives that should not | done |
| done | | done |

The commit that ends keys names them in the page, so a death anywhere leaves none unnamed. Whoever comes after
a death reads the job and goes on; of two executions, the one that the job names does.
"""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, Self

from shared.domain.core import Guest, Staff
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId, UserId
from shared.domain.kinds import RevokeReason, VendorCode
from shared.keywork.desired import next_vendor
from shared.keywork.orders import Order, end_key
from shared.keywork.services import Services
from shared.keywork.start import begin_work, publish_or_defer, publish_pending
from shared.keywork.verdicts import adapter_of
from shared.ledger.bulk_job import TOLD_AFTER, BulkJob, BulkPage, OwedKey, Stage, find_job, find_page
from shared.ledger.grant_record import GrantRecord, grant_from
from shared.ledger.hotel_directory import KNOWN_FOR
from shared.ledger.indexes import AT_DEVICE, LIVE_AT
from shared.ledger.key_record import KeyRecord, key_record_from
from shared.ledger.ledger import Change, Ledger, Saved
from shared.ledger.master_key_record import find_master_key
from shared.ports.document_limits import MOST_WRITES
from shared.usecases.upkeep.end_one_key import KeyOrder, replace_key

FORGOTTEN_AFTER: Final = KNOWN_FOR + timedelta(minutes=1)
"""After a hotel closed: until then a call may be under way that knew it as open, and makes a key of it."""
AT_A_TIME: Final = 100
"""So many keys are read for one page; as many as one commit holds end with it."""
FULL: Final = MOST_WRITES - 20
ROTATED_AT_A_TIME: Final = 20
LEFT_ALONE: Final = timedelta(days=2)
"""For so long the sweeper leaves a page's keys to the job: no execution is begun for each of them."""
RESTS: Final = (timedelta(seconds=30), timedelta(minutes=2), timedelta(minutes=10))
"""So long a job rests whose vendor takes nothing back: each time longer, at last as long as the last."""


@dataclass(frozen=True, slots=True)
class BulkCall:
    """Which job an execution works on."""

    tenant: TenantId
    job: str
    generation: int
    execution: str
    rest: bool = False

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the call."""
        job, generation, execution = body.get("job"), body.get("generation"), body.get("execution")
        if not isinstance(job, str) or type(generation) is not int or not isinstance(execution, str):
            raise InvalidInput("job", "missing, or without its generation", "call it as bulk_revoke does")
        tenant = TenantId.parse(body.get("tenant"), "tenant")
        return cls(tenant, job, generation, execution, body.get("rest") is True)


async def step_bulk(call: BulkCall, services: Services) -> dict[str, Any]:
    """Do one step, and say what is next."""
    ledger = await services.ledger(call.tenant)
    job = await find_job(ledger.documents, call.job)
    if job is None or not job.follows(call.generation, call.execution):
        return {"outcome": "superseded"}
    claimed = replace(job, execution=call.execution)
    if job.stage is Stage.REVOKING and job.device_id is not None:
        return await _rotate(claimed, ledger, services)
    if job.stage is Stage.REVOKING:
        return await _revoke(claimed, ledger, services)
    if job.stage is Stage.REMOVING:
        return await _remove(claimed, call, ledger, services)
    return _told(job, "done")


async def _revoke(job: BulkJob, ledger: Ledger, services: Services) -> dict[str, Any]:
    changes = await _ends(job, ledger, services)
    if not changes:
        return await _all_revoked(job, ledger, services)
    page = BulkPage(job=job.id, number=job.pages, keys=_owed(changes))
    owed = _left_alone(changes, page, services.now + LEFT_ALONE)
    moved = job.moved(services.now, pages=job.pages + 1, revoked=job.revoked + len(changes))
    saved = await ledger.save_all(owed, moved.write(), page.write())
    await _publish(saved, page, ledger, services)
    return _told(moved, "go_on")


async def _all_revoked(job: BulkJob, ledger: Ledger, services: Services) -> dict[str, Any]:
    moved = job.moved(services.now, stage=Stage.REMOVING)
    await _kept(moved, ledger)
    return _told(moved, "go_on")


async def _rotate(job: BulkJob, ledger: Ledger, services: Services) -> dict[str, Any]:
    """Give those who have a key at a lock that is out of use another one, which that lock never knew.

    They are as few as a lock holds: each is worked on by itself, for each is requested anew as well.
    """
    entries = await _living(job, ledger)
    if not entries:
        return await _all_revoked(job, ledger, services)
    for entry in entries[:ROTATED_AT_A_TIME]:
        await _rotated(entry, job, ledger, services)
    done = min(len(entries), ROTATED_AT_A_TIME)
    moved = job.moved(services.now, revoked=job.revoked + done, removed=job.removed + done)
    await _kept(moved, ledger)
    return _told(moved, "go_on")


async def _rotated(entry: KeyRecord, job: BulkJob, ledger: Ledger, services: Services) -> None:
    holder, tenant = entry.credential.core.holder, ledger.documents.tenant
    if isinstance(holder, Guest) and isinstance(job.by, UserId):
        with contextlib.suppress(InvalidInput):  # of a stay that is over: its key ends, and that is all
            await replace_key(KeyOrder(tenant, entry.id, job.by, job.reason), services)
            return
    # A master key whose credential was replaced requests another for the doors that are left.
    change = end_key(
        entry, await ledger.grants(entry), RevokeReason.REPLACED, Order(job.cause, services.now, job.by)
    )
    if change is not None:
        await begin_work(await ledger.save(change), ledger, services)
    if isinstance(holder, Staff) and holder.master_key_id is not None:
        record = await find_master_key(ledger.documents, holder.master_key_id)
        if record is not None and not record.master_key.over:
            await ledger.documents.commit([replace(record, due=services.now).write()])


async def _ends(job: BulkJob, ledger: Ledger, services: Services) -> list[Change]:
    """Return the ends of as many keys as one commit holds."""
    order, room = Order(job.cause, services.now, job.by), FULL
    changes = list[Change]()
    for entry in await _living(job, ledger):
        change = end_key(entry, await ledger.grants(entry), job.reason, order)
        size = 0 if change is None else 2 + len(change.facts) + len(change.grants)
        if changes and size > room:
            break
        room -= size
        changes += [] if change is None else [change]
    return changes


async def _living(job: BulkJob, ledger: Ledger) -> list[KeyRecord]:
    """Return the first keys that are to end: what is over is in neither index."""
    if job.device_id is None:
        at = {"property_id": str(job.property_id)}
        return [key_record_from(each) for each in await ledger.documents.query(LIVE_AT, at, limit=AT_A_TIME)]
    at = {"device_id": str(job.device_id)}
    found = map(grant_from, await ledger.documents.query(AT_DEVICE, at, limit=AT_A_TIME))
    entries = [await ledger.entry(name) for name in dict.fromkeys(_held(found))]
    return [entry for entry in entries if entry is not None]


def _held(grants: Iterable[GrantRecord]) -> list[str]:
    return [str(kept.grant.credential_id) for kept in grants if not kept.leaving]


def _owed(changes: Sequence[Change]) -> tuple[OwedKey, ...]:
    """Return the keys that have something at a lock, and whom to ask about each."""
    asked = ((each.entry.id, next_vendor(each.entry, each.grants)) for each in changes)
    return tuple(OwedKey(str(name), str(vendor)) for name, vendor in asked if vendor is not None)


def _left_alone(changes: Sequence[Change], page: BulkPage, later: datetime) -> list[Change]:
    """Return changes whose locks the sweeper leaves to the job; of those without locks it is soon told."""
    mine = {each.key for each in page.keys}
    dues = [later if str(each.entry.id) in mine else each.entry.due for each in changes]
    return [
        replace(each, entry=replace(each.entry, due=due)) for each, due in zip(changes, dues, strict=True)
    ]


async def _publish(saved: Sequence[Saved], page: BulkPage, ledger: Ledger, services: Services) -> None:
    """Publish the ends of a page; what has nothing at any lock is done with that."""
    owed, whole = {each.key for each in page.keys}, True
    for each in saved:
        if str(each.entry.id) in owed:
            told = await publish_or_defer(each.entry, ledger, services)
            whole = whole and told.announced == told.credential.sequence
        else:
            await publish_pending(each.entry, ledger, services.bus)
    known = await find_page(ledger.documents, page.job, page.number)
    if known is not None and whole:  # what nobody could be told of yet, each key's own work tells
        await ledger.documents.commit([replace(known, told=True).write()])


async def _remove(job: BulkJob, call: BulkCall, ledger: Ledger, services: Services) -> dict[str, Any]:
    """Name the vendor that is asked next, or end the job if nothing is left."""
    if job.page >= job.pages:
        return await _over(job, ledger, services)
    page = await find_page(ledger.documents, job.id, job.page)
    if page is None or not page.keys:
        done = (0, 0) if page is None else (page.removed, page.residual)
        counts = {"removed": job.removed + done[0], "residual": job.residual + done[1]}
        moved = job.moved(services.now, page=job.page + 1, **counts)
        await _kept(moved, ledger)
        return _told(moved, "go_on")
    rests = job.rests + 1 if call.rest else 0
    await _kept(_late(job, services).moved(services.now, rests=rests), ledger)
    if call.rest:
        rest = RESTS[min(rests, len(RESTS)) - 1]
        return _told(job, "rest", after_seconds=rest.total_seconds())
    vendor = VendorCode(min(each.vendor for each in page.keys))
    return _told(job, "ask", adapter=adapter_of(vendor), page=job.page, work="bulk")


async def _over(job: BulkJob, ledger: Ledger, services: Services) -> dict[str, Any]:
    """End the job, unless a key came to life meanwhile: then it begins anew with that one."""
    if await _living(job, ledger):
        again = job.moved(services.now, stage=Stage.REVOKING)
        await _kept(again, ledger)
        return _told(again, "go_on")
    left = job.began_at + FORGOTTEN_AFTER - services.now
    if job.device_id is None and left > timedelta():
        await _kept(job.moved(services.now), ledger)
        return _told(job, "rest", after_seconds=left.total_seconds())
    done = replace(job, stage=Stage.DONE, moved_at=services.now, due=None)
    await _kept(done, ledger)
    said = {"job": job.id, "revoked": job.revoked, "removed": job.removed, "residual": job.residual}
    services.log.info("a bulk revocation is done", tenantId=ledger.documents.tenant, **said)
    if job.residual:
        _alarm(job, "locks would not let go of some keys: keyfleet residue list names them", services)
    return _told(done, "done")


def _late(job: BulkJob, services: Services) -> BulkJob:
    """Say once of a job that it takes too long: every key is over in the ledger, and some still open."""
    if job.told_late or services.now < job.began_at + TOLD_AFTER:
        return job
    _alarm(job, "it is not done after a day: some of its keys may still open their locks", services)
    return replace(job, told_late=True)


def _alarm(job: BulkJob, reason: str, services: Services) -> None:
    services.log.alert(
        "MELMASTOON.LOCK.BULK_REVOKE",
        runbook="lock/bulk-revoke",
        job=job.id,
        propertyId=job.property_id,
        revoked=job.revoked,
        removed=job.removed,
        residual=job.residual,
        reason=reason,
    )


async def _kept(job: BulkJob, ledger: Ledger) -> None:
    await ledger.documents.commit([job.write()])


def _told(job: BulkJob, outcome: str, **more: Any) -> dict[str, Any]:
    counts = {"stage": job.stage.value, "revoked": job.revoked, "removed": job.removed}
    return {"outcome": outcome, **counts, "residual": job.residual, **more}
