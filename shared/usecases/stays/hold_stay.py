"""A stay is held for a reason, or a reason is over: its keys rest while any stands, and wake with the last.

The reasons are a set on the stay's record, and each of its keys has them too: a key that is still being made
comes to life at rest, and one that is made anew for a changed stay does too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, ReservationId, TenantId, UserId
from shared.domain.kinds import SuspendReason
from shared.keywork.orders import Order, hold_key, release_key
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.booking_notes import BookingOutcome
from shared.ledger.course import OVER, trimmed
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import Cause, KeyRecord
from shared.ledger.ledger import Change, Ledger
from shared.ledger.reservation import Reservation, Status, ref_of, reservation_from
from shared.usecases.stays.booking import Hearing, keys_of
from shared.usecases.stays.hear_booking import heard_before

if TYPE_CHECKING:
    from shared.events.envelope import Event

_Ordering = Callable[[KeyRecord, Sequence[GrantRecord], SuspendReason, Order], Change | None]


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
    it = await Hearing.of(event, services)
    return await retry_on_conflict(lambda: _hear(it, reason))


async def hold_stay(order: StayOrder, services: Services) -> tuple[CredentialId, ...]:
    """Hold a stay on somebody's word."""
    return await retry_on_conflict(lambda: _obey(order, hold_key, services))


async def release_stay(order: StayOrder, services: Services) -> tuple[CredentialId, ...]:
    """Take a reason away on somebody's word."""
    return await retry_on_conflict(lambda: _obey(order, release_key, services))


async def _hear(it: Hearing, reason: SuspendReason) -> tuple[CredentialId, ...]:
    record = await it.record()
    done = await heard_before(it, record)
    if done is not None:
        return done
    because = "the stay is over: for when it is confirmed again" if record.status in OVER else None
    heard = it.noted(record.hearing(it.note), BookingOutcome.APPLIED, because)
    # How new the stay is, no word about its guest can tell.
    held = replace(heard, standing=record.standing, highest=record.highest, holds=record.holds | {reason})
    order = Order(it.booking.cause, it.services.now)
    return await _ordered(trimmed(held), hold_key, reason, order, it.ledger, it.services)


async def _obey(order: StayOrder, ordering: _Ordering, services: Services) -> tuple[CredentialId, ...]:
    ledger = await services.ledger(order.tenant)
    found = await ledger.documents.get(ref_of(order.reservation))
    record = None if found is None else reservation_from(found)
    if record is None or record.status not in (Status.AWAITED, Status.CONFIRMED):
        raise InvalidInput("reservation", "no stay that is to come or goes on", "give one that is confirmed")
    holds = record.holds | {order.reason} if ordering is hold_key else record.holds - {order.reason}
    changed = replace(record, holds=holds)
    why = Order(Cause(_trace(services)), services.now, order.by)
    return await _ordered(changed, ordering, order.reason, why, ledger, services)


def _trace(services: Services) -> str:
    token = services.entropy.token(24).hex()
    return f"00-{token[:32]}-{token[32:]}-01"


async def _ordered(
    record: Reservation,
    ordering: _Ordering,
    reason: SuspendReason,
    order: Order,
    ledger: Ledger,
    services: Services,
) -> tuple[CredentialId, ...]:
    found = [ordering(key, await ledger.grants(key), reason, order) for key in await keys_of(record, ledger)]
    changes = [change for change in found if change is not None]
    if not changes:
        await ledger.documents.commit([record.write()])
        return record.credentials
    for saved, change in zip(await ledger.save_all(changes, record.write()), changes, strict=True):
        if change.facts or change.grants:
            await begin_work(saved, ledger, services)
    return record.credentials
