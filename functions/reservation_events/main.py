"""Entry points for reservation events: what each asks of us, the table of reactions says."""

from typing import TYPE_CHECKING

from shared.runtime.entry import subscriber
from shared.runtime.platform import Platform

if TYPE_CHECKING:
    from shared.events.envelope import Event  # the models load with the first event, not at start

BOOKING = "melmastoon.reservation.booking"


@subscriber(f"{BOOKING}.confirmed.v1")
async def on_booking_confirmed(event: "Event", on: Platform) -> None:
    """Request the keys of the stay."""
    await _react(event, on)


@subscriber(f"{BOOKING}.dates_changed.v1")
async def on_booking_dates_changed(event: "Event", on: Platform) -> None:
    """Let the keys of a stay follow its other dates or rooms."""
    await _react(event, on)


@subscriber(f"{BOOKING}.fraud_flagged.v1")
async def on_booking_fraud_flagged(event: "Event", on: Platform) -> None:
    """Let the keys of a doubtful booking rest."""
    await _react(event, on)


@subscriber(f"{BOOKING}.no_show.v1")
async def on_booking_no_show(event: "Event", on: Platform) -> None:
    """Let the keys of a guest who did not come rest, when policy wants it."""
    await _react(event, on)


@subscriber(f"{BOOKING}.checked_in.v1")
async def on_booking_checked_in(event: "Event", on: Platform) -> None:
    """Wake the keys of a guest who came after all."""
    await _react(event, on)


@subscriber(f"{BOOKING}.cancelled.v1")
async def on_booking_cancelled(event: "Event", on: Platform) -> None:
    """End the keys of a stay that is off."""
    await _react(event, on)


@subscriber(f"{BOOKING}.checked_out.v1")
async def on_booking_checked_out(event: "Event", on: Platform) -> None:
    """End the keys of a guest who left."""
    await _react(event, on)


@subscriber(f"{BOOKING}.early_checkout.v1")
async def on_booking_early_checkout(event: "Event", on: Platform) -> None:
    """End the keys of a guest who left early."""
    await _react(event, on)


async def _react(event: "Event", on: Platform) -> None:
    from shared.runtime.keys import services_of
    from shared.usecases.stays.reactions import react

    await react(event, services_of(on))
