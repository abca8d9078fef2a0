"""Nobody came: the keys of a stay rest once policy says so, unless something newer speaks for the guest.

| the newest word (in the order of decision 0071) | its keys are to rest | they rest for it |
|---|---|---|
| nobody came | planned: at its time and `noShowSuspendAfterHours` | and go on to |
| the guest is in, the stay changed or was confirmed anew | dropped | released: they wake |
| the stay is off or over | dropped | released, and its keys end |

What is planned stands on the stay's record, saved with the event that brought it about. The sweeper finds it
by its time, once the stay is confirmed, and judges it anew: by the words heard since, and by the policy of
that moment. Whoever dies in between leaves it planned. Decision 0114.
"""

from datetime import datetime
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.kinds import SuspendReason
from shared.domain.policy import DEFAULT_POLICY, KeyKindPolicy
from shared.domain.reactions import Action
from shared.domain.replacing import replace
from shared.keywork.orders import Order
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.booking_notes import BookingEventNote, in_order
from shared.ledger.course import OVER
from shared.ledger.ledger import Ledger
from shared.ledger.reservation import Reservation, ref_of, reservation_from
from shared.ledger.stay import Intention, Planned
from shared.usecases.stays.rest_keys import HOLD, RELEASE, RestOrder, rest_keys, unprompted

NO_SHOW: Final = SuspendReason.NO_SHOW
_AGAINST: Final = frozenset({Action.ISSUE, Action.AMEND, Action.REVOKE, Action.NOTE_ARRIVAL})
"""What speaks against a guest who does not come."""


def absence(record: Reservation) -> BookingEventNote | None:
    """Return the word that nobody came, if nothing newer speaks against it."""
    word = _last_word(record)
    return word if word is not None and word.reason is NO_SHOW else None


def _last_word(record: Reservation) -> BookingEventNote | None:
    before = () if record.beginning is None else (record.beginning,)
    order = in_order((*before, *(each for each in record.heard if not each.past)))
    return next((each for each in reversed(order) if each.reason is NO_SHOW or each.action in _AGAINST), None)


def heeding(record: Reservation, note: BookingEventNote, now: datetime) -> Reservation:
    """Return the record with what was just heard held against an absence: what that planned is dropped."""
    word = _last_word(record)
    if word is None or word.event_id != note.event_id or word.reason is NO_SHOW:
        return record
    freed = without_plans(record, NO_SHOW)
    if NO_SHOW not in record.holds:
        return freed
    release = Planned(now, Intention.RELEASE_FROM_NO_SHOW, note.event_id)
    return replace(freed, planned=(*freed.planned, release))


def without_plans(record: Reservation, reason: SuspendReason) -> Reservation:
    """Return the record with nothing planned about a reason to rest."""
    return replace(record, planned=()) if reason is NO_SHOW else record


async def resting_at(record: Reservation, word: BookingEventNote, tenant: TenantId, on: Services) -> datetime:
    """Return when the keys of a guest who did not come are to rest, by what policy says now."""
    missed = min(word.standing.time, word.at or word.standing.time)  # the producer's clock may be fast
    return (await _policy(record, tenant, on)).suspends_no_show_at(missed)


async def _policy(record: Reservation, tenant: TenantId, on: Services) -> KeyKindPolicy:
    if record.property_id is None:
        return DEFAULT_POLICY
    try:
        return (await on.hotels.premises(tenant, record.property_id)).policy
    except InvalidInput:
        return DEFAULT_POLICY  # a property that is set up no more


def planning(record: Reservation, word: BookingEventNote, at: datetime) -> Reservation:
    """Return the record with its keys to rest at a time for a guest who did not come."""
    return replace(record, planned=(Planned(at, Intention.HOLD_FOR_NO_SHOW, word.event_id),))


def overdue(record: Reservation, now: datetime) -> bool:
    """Say whether something is planned whose time has come."""
    return any(each.at <= now for each in record.planned)


async def do_planned(reservation: str, ledger: Ledger, services: Services) -> bool:
    """Do what is planned for a stay, if it is time and still to be done; return whether it was time."""
    return await retry_on_conflict(lambda: _do(reservation, ledger, services))


async def _do(reservation: str, ledger: Ledger, services: Services) -> bool:
    found = await ledger.documents.get(ref_of(reservation))
    record = None if found is None else reservation_from(found)
    if record is None or not overdue(record, services.now):
        return False
    word = absence(record)
    if word is None:
        await _release(record, ledger, services)
    else:
        await _hold(record, word, ledger, services)
    return True


async def _release(record: Reservation, ledger: Ledger, services: Services) -> None:
    came = next((each.event_id for each in record.planned), None)
    freed = replace(record, planned=(), holds=record.holds - {NO_SHOW})
    await _rest(freed, RestOrder(RELEASE, NO_SHOW, _order(came, services)), ledger, services)


async def _hold(record: Reservation, word: BookingEventNote, ledger: Ledger, services: Services) -> None:
    at = await resting_at(record, word, ledger.documents.tenant, services)
    wanted = any(each.what is Intention.HOLD_FOR_NO_SHOW for each in record.planned)
    if record.status in OVER or not wanted:
        await ledger.documents.commit([replace(record, planned=()).write()])
    elif at > services.now:
        await ledger.documents.commit([planning(record, word, at).write()])
    else:
        held = replace(record, planned=(), holds=record.holds | {NO_SHOW})
        await _rest(held, RestOrder(HOLD, NO_SHOW, _order(word.event_id, services)), ledger, services)


async def _rest(record: Reservation, ordered: RestOrder, ledger: Ledger, services: Services) -> None:
    keys = await rest_keys(record, ordered, ledger, services)
    held = ordered.ordering is HOLD
    services.log.info("a stay's no-show was judged", reservationId=record.id, held=held, keys=len(keys))


def _order(event_id: str | None, services: Services) -> Order:
    return Order(unprompted(services, event_id), services.now)
