"""A stay is held for a reason, or a reason is over: its keys rest while any stands, and wake with the last.

The reasons are a set on the stay's record, and each of its keys has them too: a key that is still being made
comes to life at rest, and one that is made anew for a changed stay does too.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, ReservationId, TenantId, UserId
from shared.domain.instants import instant_to_text
from shared.domain.kinds import SuspendReason
from shared.keywork.orders import Order
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.booking_notes import BookingOutcome
from shared.ledger.course import OVER, trimmed
from shared.ledger.reservation import Reservation, Status, ref_of, reservation_from
from shared.usecases.stays.booking import Hearing
from shared.usecases.stays.hear_booking import heard_before
from shared.usecases.stays.no_show import absence, planning, resting_at, without_plans
from shared.usecases.stays.note_arrival import beside_the_course
from shared.usecases.stays.rest_keys import HOLD, RELEASE, Ordering, RestOrder, rest_keys, unprompted

if TYPE_CHECKING:
    from shared.events.envelope import Event

_Doing = Callable[[Hearing, SuspendReason, Reservation], Awaitable[tuple[CredentialId, ...]]]


@dataclass(frozen=True, slots=True)
class StayOrder:
    """A wish of staff for one stay."""

    tenant: TenantId
    reservation: ReservationId
    reason: SuspendReason
    by: UserId

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        try:
            reason = SuspendReason(str(body.get("reason")))
        except ValueError:
            raise InvalidInput("reason", "no reason to hold a stay", f"give one of {_REASONS}") from None
        return cls(
            TenantId.parse(body.get("tenant"), "tenant"),
            ReservationId.parse(body.get("reservation"), "reservation"),
            reason,
            UserId.parse(body.get("by"), "by"),
        )


_REASONS = ", ".join(SuspendReason)


async def hold_booking(event: "Event", reason: SuspendReason, services: Services) -> tuple[CredentialId, ...]:
    """Hold a stay because of what happened to its booking, or once it is confirmed, or confirmed again."""
    it = Hearing.of(event, services)
    return await retry_on_conflict(lambda: _hear(it, reason, _held))


async def miss_guest(event: "Event", services: Services) -> tuple[CredentialId, ...]:
    """Hold the stay of a guest who did not come: at once, or when the property's policy wants it."""
    it = Hearing.of(event, services)
    return await retry_on_conflict(lambda: _hear(it, SuspendReason.NO_SHOW, _missed))


async def hold_stay(order: StayOrder, services: Services) -> tuple[CredentialId, ...]:
    """Hold a stay on somebody's word."""
    return await retry_on_conflict(lambda: _obey(order, HOLD, services))


async def release_stay(order: StayOrder, services: Services) -> tuple[CredentialId, ...]:
    """Take a reason away on somebody's word."""
    return await retry_on_conflict(lambda: _obey(order, RELEASE, services))


async def _hear(it: Hearing, reason: SuspendReason, doing: _Doing) -> tuple[CredentialId, ...]:
    record = await it.record()
    done = await heard_before(it, record)
    if done is not None:
        return done
    return await doing(it, reason, beside_the_course(record, record.noting(it.note)))


async def _held(it: Hearing, reason: SuspendReason, record: Reservation) -> tuple[CredentialId, ...]:
    because = "the stay is over: for when it is confirmed again" if record.status in OVER else None
    held = replace(
        it.noted(record, BookingOutcome.APPLIED, because),
        holds=record.holds | {reason},
        planned=without_plans(record, reason).planned,
    )
    order = RestOrder(HOLD, reason, Order(it.booking.cause, it.services.now))
    return await rest_keys(trimmed(held), order, it.ledger, it.services)


async def _missed(it: Hearing, reason: SuspendReason, record: Reservation) -> tuple[CredentialId, ...]:
    word = absence(record)
    if word is None:
        spoken_for = "the guest is in, or the stay changed or ended, since"
        await it.ledger.documents.commit(
            [trimmed(it.noted(record, BookingOutcome.IGNORED, spoken_for)).write()]
        )
        return record.credentials
    at = await resting_at(record, word, it.booking.tenant, it.services)
    if at <= it.services.now and record.status is not Status.AWAITED:
        return await _held(it, reason, record)
    because = f"its keys rest from {instant_to_text(at)}, unless the guest comes"
    planned = planning(it.noted(record, BookingOutcome.APPLIED, because), word, at)
    await it.ledger.documents.commit([trimmed(planned).write()])
    return record.credentials


async def _obey(order: StayOrder, ordering: Ordering, services: Services) -> tuple[CredentialId, ...]:
    ledger = await services.ledger(order.tenant)
    found = await ledger.documents.get(ref_of(order.reservation))
    record = None if found is None else reservation_from(found)
    if record is None or record.status not in (Status.AWAITED, Status.CONFIRMED):
        raise InvalidInput("reservation", "no stay that is to come or goes on", "give one that is confirmed")
    holds = record.holds | {order.reason} if ordering is HOLD else record.holds - {order.reason}
    changed = replace(without_plans(record, order.reason), holds=holds)
    why = Order(unprompted(services), services.now, order.by)
    return await rest_keys(changed, RestOrder(ordering, order.reason, why), ledger, services)
