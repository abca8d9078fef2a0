"""Entry points for reservation events."""

from typing import TYPE_CHECKING

from shared.domain.kinds import RevokeReason
from shared.runtime.entry import subscriber
from shared.runtime.platform import Platform

if TYPE_CHECKING:
    from shared.events.envelope import Event  # the models load with the first event, not at start

BOOKING = "melmastoon.reservation.booking"


@subscriber(f"{BOOKING}.confirmed.v1")
async def on_booking_confirmed(event: "Event", on: Platform) -> None:
    """Request the keys of the stay."""
    from shared.runtime.keys import services_of
    from shared.usecases.stays.confirm_booking import confirm_booking

    await confirm_booking(event, services_of(on))


@subscriber(f"{BOOKING}.cancelled.v1")
async def on_booking_cancelled(event: "Event", on: Platform) -> None:
    """End the keys of a stay that is off."""
    await _end(event, RevokeReason.CANCELLATION, on)


@subscriber(f"{BOOKING}.checked_out.v1")
async def on_booking_checked_out(event: "Event", on: Platform) -> None:
    """End the keys of a guest who left."""
    await _end(event, RevokeReason.CHECKOUT, on)


@subscriber(f"{BOOKING}.early_checkout.v1")
async def on_booking_early_checkout(event: "Event", on: Platform) -> None:
    """End the keys of a guest who left early."""
    await _end(event, RevokeReason.CHECKOUT, on)


async def _end(event: "Event", reason: RevokeReason, on: Platform) -> None:
    from shared.runtime.keys import services_of
    from shared.usecases.stays.end_booking import end_booking

    await end_booking(event, reason, services_of(on))
