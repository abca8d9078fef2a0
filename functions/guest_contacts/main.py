"""Entry points that keep guests' contacts, and the one that tells them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shared.runtime.entry import step, subscriber
from shared.runtime.platform import Platform

if TYPE_CHECKING:
    from shared.events.envelope import Event  # the models load with the first event, not at start

Body = Mapping[str, Any]
BOOKING = "melmastoon.reservation.booking"


@subscriber(f"{BOOKING}.confirmed.v1", sets_aside=False)
async def on_guest_contact(event: "Event", on: Platform) -> None:
    """Keep how the guest of a stay can be reached, and where keys on phones are sent."""
    from shared.usecases.stays.remember_accounts import remember_accounts
    from shared.usecases.stays.remember_contact import remember_contact

    await remember_contact(event, await on.hotels.admit(event.tenant_id), on.cipher, on.clock)
    await remember_accounts(event, on.hotels, on.cipher, on.clock)


@subscriber(f"{BOOKING}.dates_changed.v1", sets_aside=False)
async def on_guest_stays_longer(event: "Event", on: Platform) -> None:
    """Keep it for as long as the stay lasts now."""
    from shared.usecases.stays.remember_contact import prolong_contact

    await prolong_contact(event, await on.hotels.admit(event.tenant_id), on.cipher, on.clock)


@step
async def reach_guest(body: Body, on: Platform) -> Body:
    """Tell how to reach the guest of a stay, and note who asked."""
    from shared.usecases.stays.reach_guest import ReachGuest, reach_guest

    asked = ReachGuest.of(body)
    return await reach_guest(asked, await on.hotels.admit(asked.tenant), on.cipher, on.log)
