"""One call of a walk from lock to lock: each is listed, judged, and saved with what was found there.

1. Whoever walks reads how far the comparison came, and goes on with the next lock.
2. The grants at a lock are read, its list, the grants again: what changed meanwhile is not judged.
3. What was found and how far we came is one commit. Of two who walk, one commits, and the other stops.
   Where nothing was found, how far we came is kept once for some locks: who dies has them read again.
4. What is to go is removed after that, and so noted: a crash leaves a finding that says what is still to do.
5. A list that is none, cut or refused, says nothing of its lock: it is counted, and asked for another night.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import FindingId, GrantId, PropertyId, TenantId
from shared.domain.lock_errors import LockError, VendorUnreachable
from shared.domain.premises import LockDevice
from shared.domain.secret import Secret
from shared.keywork.services import Services
from shared.keywork.vault import secret_of
from shared.keywork.vendor_session import VendorSession, VendorSessions
from shared.ledger.comparison import MOST_TRIES, Comparison, Progress, comparison_from, ref_of
from shared.ledger.delays import delay_after, round_over
from shared.ledger.finding import finding_from
from shared.ledger.finding_refs import FindingRefs
from shared.ledger.grant_record import MOST_GRANTS, GrantRecord, grant_from
from shared.ledger.indexes import AT_DEVICE, FOUND_AT
from shared.ledger.indexes import GONE as GONE_AS
from shared.ledger.ledger import Ledger
from shared.ports.documents import StaleVersion
from shared.ports.listed_keys import KeyList, ListsKeys
from shared.ports.lock_causes import LockCause, deferred_by_us
from shared.usecases.reconcile.end_walk import end_walk
from shared.usecases.reconcile.judge_lock import OURS, LockView, judged, nameless
from shared.usecases.reconcile.note_odd import LockFound, noted
from shared.usecases.reconcile.take_away import take_away

KEPT_EVERY: Final = 8
"""One document takes a write a second for long, and a lock is read in less."""
MOST_AT_A_LOCK: Final = 400
"""Findings at one lock that are looked at in one walk: beyond them, the list is nobody's to judge."""
OVER: Final = {"outcome": "done", "after_seconds": 0}
SHORTEST_REST: Final = timedelta(seconds=5)
LONGEST_REST: Final = timedelta(seconds=55)
"""No execution waits for more than a minute."""


@dataclass(frozen=True, slots=True)
class WalkCall:
    """Which comparison goes on."""

    tenant: TenantId
    property_id: PropertyId
    run: str

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read a step's arguments."""
        run = body.get("run")
        if not isinstance(run, str) or not run:
            raise InvalidInput("run", "missing or not a text", "call the step as its workflow does")
        tenant, hotel = body.get("tenant"), body.get("property")
        return cls(TenantId.parse(tenant, "tenant"), PropertyId.parse(hotel, "property"), run)


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk at one vendor's locks of one property, and where the numbers of unknown keys are kept."""

    comparison: Comparison
    ledger: Ledger
    services: Services
    desk: VendorSession
    refs: FindingRefs
    unkept: int = 0
    """So many locks were compared since it was kept how far we came."""

    def saved(self, comparison: Comparison, versions: Sequence[str]) -> "Walk":
        """Return the walk with its comparison as the store has it now."""
        return replace(self, comparison=replace(comparison, version=versions[0]), unkept=0)

    async def kept(self) -> "Walk":
        """Keep how far we came, if that is not kept yet."""
        if not self.unkept:
            return self
        return self.saved(self.comparison, await self.ledger.documents.commit([self.comparison.write()]))


async def walk_locks(
    call: WalkCall, services: Services, desks: VendorSessions, refs: FindingRefs
) -> dict[str, Any]:
    """Walk on for a while, and say whether there is more to do, and when."""
    ledger = await services.ledger(call.tenant)
    found = await ledger.documents.get(ref_of(call.property_id, desks.vendor))
    comparison = None if found is None else comparison_from(found)
    if comparison is None or comparison.run != call.run or not comparison.under_way:
        return OVER
    try:
        desk = await desks.at(call.tenant, call.property_id)
        return await _walked(Walk(comparison, ledger, services, desk, refs))
    except LockError as closed:
        return await _put_off(call, desks, closed, services)
    except StaleVersion:
        return OVER  # somebody else walks


async def _walked(walk: Walk) -> dict[str, Any]:
    began, services = walk.services.now, walk.services
    while (door := _next(walk)) is not None:
        try:
            walk = await _at(door, walk)
        except LockError:
            await walk.kept()
            raise
        if round_over(began, services.now):
            await walk.kept()
            return _again(timedelta(0))
        walk = await walk.kept() if walk.unkept >= KEPT_EVERY else walk
    await end_walk(walk.comparison, walk.ledger, services)
    return OVER


def _next(walk: Walk) -> LockDevice | None:
    comparison, port = walk.comparison, walk.desk.port
    doors = sorted(walk.desk.binding.devices, key=lambda door: door.id) if isinstance(port, ListsKeys) else []
    mine = (door for door in doors if comparison.only in (None, door.id))
    return next((door for door in mine if comparison.after is None or comparison.after < door.id), None)


async def _at(door: LockDevice, walk: Walk) -> Walk:
    """Compare one lock; a line that we stand in is waited for, and a list that is none is passed over."""
    port, comparison, now = walk.desk.port, walk.comparison, walk.services.now
    assert isinstance(port, ListsKeys)  # noqa: S101 - else there is no lock to come to
    before = await _grants(door, walk)
    try:
        listed = await port.list_keys(door.id)
    except LockError as error:
        if _is_silent(error):
            raise
        unread = comparison.moved(now, after=door.id, unread=(*comparison.unread, door.id), tries=0)
        walk.services.log.warning("a lock's keys cannot be listed", deviceId=door.id, cause=error.cause.kind)
        return walk.saved(unread, await walk.ledger.documents.commit([unread.write()]))
    return await _compared(door, await _view(door, listed, before, walk), walk)


def _is_silent(error: LockError) -> bool:
    """Say whether nobody can be asked now; else it is this lock alone that has no list."""
    readable = error.cause.kind != LockCause.UNREADABLE_ANSWER
    return isinstance(error, VendorUnreachable) and readable


async def _view(door: LockDevice, listed: KeyList, before: Sequence[GrantRecord], walk: Walk) -> LockView:
    after = await _grants(door, walk)
    known = [
        finding_from(each)
        for each in await walk.ledger.documents.query(
            FOUND_AT, {"at_lock": str(door.id)}, limit=MOST_AT_A_LOCK
        )
    ]
    live = {kept.grant.vendor_name for kept in after}
    strange = [each.name for each in listed.keys if each.name.startswith(OURS) and each.name not in live]
    view = LockView(
        now=walk.services.now,
        listed=listed,
        before=before,
        after=after,
        gone={name: kept for name in strange if (kept := await _over(name, door, walk)) is not None},
        known=known,
    )
    return replace(view, numbers=await _numbers(view, walk)) if nameless(view) else view


async def _compared(door: LockDevice, view: LockView, walk: Walk) -> Walk:
    comparison, now = walk.comparison, walk.services.now
    judgement = judged(view)
    found = await noted(LockFound(door, judgement, view), comparison, walk.refs, walk.services)
    moved = comparison.moved(
        now,
        after=door.id,
        tries=0,
        compared=comparison.compared + 1,
        expected=comparison.expected + judgement.expected,
        gone=comparison.gone + judgement.gone,
    )
    if not found:
        return replace(walk, comparison=moved, unkept=walk.unkept + 1)
    versions = await walk.ledger.documents.commit([moved.write(), *(each.finding.write() for each in found)])
    walk = walk.saved(moved, versions)
    kept = [
        replace(each, finding=replace(each.finding, version=version))
        for each, version in zip(found, versions[1:], strict=True)
    ]
    await take_away(kept, walk.desk, walk.ledger, walk.refs, walk.services)
    return walk


async def _grants(door: LockDevice, walk: Walk) -> list[GrantRecord]:
    """Return the grants that are not over at this very lock, whichever others hung at the door before."""
    of_door = {"device_id": str(door.id)}
    found, page = (
        list[GrantRecord](),
        await walk.ledger.documents.query(AT_DEVICE, of_door, limit=MOST_GRANTS),
    )
    found += map(grant_from, page)
    while len(page) == MOST_GRANTS:
        page = await walk.ledger.documents.query(AT_DEVICE, of_door, after=page[-1], limit=MOST_GRANTS)
        found += map(grant_from, page)
    here = (None, door.vendor_device)
    return [kept for kept in found if kept.vendor_device in here and kept.grant.vendor == door.vendor]


async def _over(name: str, door: LockDevice, walk: Walk) -> GrantRecord | None:
    """Return the grant of this name that the ledger calls gone, if there ever was one."""
    found = await walk.ledger.documents.query(GONE_AS, {"gone_as": name}, limit=10)
    kept = map(grant_from, found)
    return next((each for each in kept if each.grant.device_id == door.id), None)


async def _numbers(view: LockView, walk: Walk) -> dict[GrantId | FindingId, Secret[str]]:
    """Return the vendor's numbers that tell keys apart whose names do not."""
    names, numbers = {each.name for each in view.listed.keys}, dict[GrantId | FindingId, Secret[str]]()
    for kept in view.after:
        if kept.grant.vendor_name not in names:
            sealed = await walk.desk.secrets.find(secret_of(kept))
            number = None if sealed is None else sealed.refs.get(kept.grant.vendor_name)
            if number is not None:
                numbers[kept.grant.id] = number
    for known in view.known:
        number = await walk.refs.find(known.id) if known.grant_id is None else None
        if number is not None:
            numbers[known.id] = number
    return numbers


async def _put_off(
    call: WalkCall, desks: VendorSessions, error: LockError, services: Services
) -> dict[str, Any]:
    """Wait for a vendor that cannot be asked: in line without end, in silence so often, then for an hour."""
    ledger = await services.ledger(call.tenant)
    found = await ledger.documents.get(ref_of(call.property_id, desks.vendor))
    assert found is not None  # noqa: S101 - it was read before, and none is ever deleted
    comparison = comparison_from(found)
    tries = comparison.tries + (not deferred_by_us(error))
    later = comparison.moved(services.now, tries=tries, cause=error.cause.kind)
    if tries >= MOST_TRIES or error.permanent:
        later = later.ended(Progress.BROKEN_OFF, services.now)
        services.log.warning("a comparison broke off", cause=error.cause.kind, vendor=comparison.vendor)
    await ledger.documents.commit([later.write()])
    if not later.under_way:
        return OVER
    return _again(min(max(SHORTEST_REST, delay_after(max(1, tries), services.entropy)), LONGEST_REST))


def _again(after: timedelta) -> dict[str, Any]:
    return {"outcome": "retry", "after_seconds": round(after.total_seconds(), 3)}
