"""Entry points by which guests are told of their keys."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from shared.domain.ids import TenantId
from shared.runtime.entry import public, step, subscriber
from shared.runtime.incoming import Incoming
from shared.runtime.platform import Platform

if TYPE_CHECKING:
    from shared.events.envelope import Event  # the models load with the first event, not at start
    from shared.messages.kinds import Channel
    from shared.usecases.guests.tell_guest import Carry

Body = Mapping[str, Any]
KEY = "melmastoon.lock.credential"


@subscriber(
    f"{KEY}.issued.v1",
    f"{KEY}.updated.v1",
    f"{KEY}.revoked.v1",
    f"{KEY}.suspended.v1",
    f"{KEY}.unsuspended.v1",
)
async def on_key_told(event: "Event", on: Platform) -> None:
    """Keep what a guest is to be told, and begin to deliver it."""
    from shared.usecases.guests.hear_of_key import Hearing, hear_of_key

    await hear_of_key(event, Hearing(on.hotels, on.sagas, on.clock))


@step
async def tell_guest(body: Body, on: Platform) -> Body:
    """Take the next step for one notice."""
    from shared.usecases.guests.services import GuestServices
    from shared.usecases.guests.tell_guest import Telling
    from shared.usecases.guests.tell_guest import tell_guest as tell

    telling = Telling.of(body)
    await on.hotels.admit(telling.tenant)
    return await tell(telling, GuestServices.on(on), partial(_carrier, on))


async def _carrier(on: Platform, channel: "Channel", tenant: Any) -> "Carry | None":
    from functions.notifications.carriers import carrier

    return await carrier(channel, tenant, on)


@public()
async def message_status(came: Incoming, on: Platform) -> Response:
    """Hear what became of a message."""
    from functions.notifications.statuses import heard

    return await heard(came, on)


@step
async def read_bounces(_body: Body, on: Platform) -> Body:
    """Read what came back of guests' mail, and the receipts of their SMS."""
    from functions.notifications.returned import read_mailboxes

    return await read_mailboxes(on)


@step
async def guest_messages(body: Body, on: Platform) -> Body:
    """List what guests were told, have a message sent again, or name the apps that open guests' links."""
    from shared.usecases.guests.messages_told import answer
    from shared.usecases.guests.name_apps import name_apps
    from shared.usecases.guests.settle_messages import settings_asked

    if body.get("do") == "apps":
        return await name_apps(body, on.documents, on.log)
    if body.get("do") == "settings":
        store = await on.hotels.admit(TenantId.parse(body.get("tenant"), "tenant"))
        return await settings_asked(body, store, on.log)
    return await answer(body, on)
