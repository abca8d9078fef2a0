"""A stay whose key failed stays wanted: another key is requested in its place, once.

1. The stay says whether it still wants that key; if not, nobody looks again.
2. It is time, or the vendor answers again (`shared/keywork/revival.py`).
3. One commit: the new keys, the stay that names them, the old key let go, its task closed. Of all who come
   by, one makes it; whoever dies before has changed nothing, and after it the sweeper begins the new keys.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from shared.domain.core import Guest
from shared.domain.errors import InvalidInput
from shared.domain.instants import milliseconds
from shared.domain.states import Failed
from shared.keywork.manual_task import task_closed
from shared.keywork.revival import anew_at, answers_again, awaited, next_in_line
from shared.keywork.services import Services
from shared.keywork.start import begin_work
from shared.ledger.grant_record import GrantRecord, grant_from
from shared.ledger.indexes import ANSWERED
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Change, Ledger
from shared.ledger.reservation import Reservation, Status, ref_of, reservation_from
from shared.ledger.stay import Stay
from shared.usecases.stays.request_keys import Wanted, request_keys
from shared.usecases.stays.room_at_once import sharers_of

MOST_ANSWERS = 100
"""As many answers of a vendor are looked at as say whether it is itself again."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A stay that wants a key, and the one of its keys that failed."""

    entry: KeyRecord
    failed: Failed
    record: Reservation
    stay: Stay


async def revive_if_due(entry: KeyRecord, ledger: Ledger, services: Services) -> KeyRecord:
    """Request another key in place of one that failed, if it is time; return the entry as it is then."""
    looked = replace(entry, revival=replace(entry.revival, looked=services.now))
    wish = await wish_for(entry, ledger)
    if wish is None:
        return replace(looked, revival=replace(looked.revival, let_go=True))
    failed = wish.failed
    if anew_at(entry, failed) > services.now and not await has_answered(entry, failed.failed_at, ledger):
        return looked
    anew = await request_anew(wish, ledger, services)
    return await ledger.entry(entry.id) or looked if anew else looked


async def wish_for(entry: KeyRecord, ledger: Ledger) -> Wish | None:
    """Return what is still wanted of a key that failed, if anything is."""
    failed, core = awaited(entry), entry.credential.core
    if failed is None or not isinstance(core.holder, Guest):
        return None
    found = await ledger.documents.get(ref_of(core.holder.reservation_id))
    record = None if found is None else reservation_from(found)
    if record is None or record.status is not Status.CONFIRMED or entry.id not in record.credentials:
        return None
    booked = record.stay or _as_its_key_is(entry, core.holder)
    rooms = tuple(room for room in core.rooms if room in booked.rooms)
    return Wish(entry, failed, record, replace(booked, rooms=rooms)) if rooms else None


async def request_anew(wish: Wish, ledger: Ledger, services: Services) -> list[KeyRecord]:
    """Request other keys in its place, and return them; none where none can be made now."""
    requested = await _requested(wish, ledger, services)
    if not requested:
        return []
    let_go = replace(wish.entry, revival=replace(wish.entry.revival, let_go=True))
    named = [each for each in wish.record.credentials if each != wish.entry.id]
    named += [change.entry.id for change in requested]
    record = replace(wish.record, credentials=tuple(named))
    closed = await task_closed(wish.entry, ledger)
    _, *new = await ledger.save_all([Change(let_go), *requested], record.write(), *closed)
    for saved in new:
        services.log.info(
            "a key that failed is requested anew",
            keyCredentialId=wish.entry.id,
            anew=saved.entry.id,
            times=saved.entry.revival.times,
        )
        await begin_work(saved, ledger, services)
    return [saved.entry for saved in new]


async def _requested(wish: Wish, ledger: Ledger, services: Services) -> list[Change]:
    """Return the keys to request; none where the hotel has no lock for them, or none that could be told."""
    core, record = wish.entry.credential.core, wish.record
    assert isinstance(core.holder, Guest)  # noqa: S101 - a wish is a guest's
    claim = record.claim or core.claim
    try:
        premises = await services.hotels.premises(core.tenant, wish.stay.property_id)
        premises.check_open()
        sharers = await sharers_of(wish.stay, core.holder, premises, ledger)
        cause, holds = wish.entry.cause, record.holds
        wanted = Wanted(core.tenant, core.holder, wish.stay, claim, cause, holds, sharers, core)
        changes = request_keys(wanted, premises, services)
    except InvalidInput:
        return []
    if any(isinstance(each.entry.credential.state, Failed) for each in changes):
        return []
    revival = next_in_line(wish.entry, wish.failed)
    return [replace(each, entry=replace(each.entry, revival=revival)) for each in changes]


async def has_answered(entry: KeyRecord, since: datetime, ledger: Ledger) -> bool:
    """Say whether a key's vendor did what it was asked since, by what the ledger knows of its other keys."""
    core = entry.credential.core
    vendors = dict.fromkeys(choice.vendor for choice in core.plan.choices)
    answered: list[GrantRecord] = []
    for vendor in vendors:
        at = {"grant.property_id": str(core.property_id), "grant.vendor": str(vendor)}
        later = -milliseconds(since) - 1
        found = await ledger.documents.query(ANSWERED, at, until=later, limit=MOST_ANSWERS)
        answered += map(grant_from, found)
    return bool(answered) and answers_again(await ledger.grants(entry), answered)


def _as_its_key_is(entry: KeyRecord, holder: Guest) -> Stay:
    """Return a stay that an early release did not remember, as far as its key tells."""
    core = entry.credential.core
    return Stay(
        property_id=core.property_id,
        guest_id=holder.guest_id,
        rooms=core.rooms,
        start=core.window.start,
        end=core.window.end,
        scope=core.scope,
    )
