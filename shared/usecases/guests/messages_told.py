"""What an operator asks of messages: what a stay's guest was told, how far it came, and to send it again.

Nothing of a message is kept but how far it came: its words were the guest's, and are gone with it. Sent again
is a notice of its own, with links of its own, and whatever is true of the key now.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Protocol

from shared.domain.errors import InvalidInput
from shared.domain.ids import ReservationId, TenantId, UserId
from shared.domain.instants import instant_to_text
from shared.kernel.log import Log
from shared.ledger.hotel_directory import HotelDirectory
from shared.ledger.indexes import NOTICES_OF_STAY
from shared.ledger.message_settings import message_settings
from shared.ledger.notices import Notice, Way, notice_at, notice_from
from shared.messages.kinds import Channel
from shared.ports.ambient import Clock, Ids
from shared.ports.documents import TenantDocuments
from shared.ports.sagas import Sagas
from shared.usecases.guests.hear_of_key import begin_delivery
from shared.usecases.guests.ladder import CLAIMED_FOR, planned

MOST_LISTED: Final = 50


class MessagePorts(Protocol):
    """What is needed of a platform, by the names it has there."""

    @property
    def hotels(self) -> HotelDirectory:
        """What is known of the hotels."""

    @property
    def sagas(self) -> Sagas:
        """What delivers."""

    @property
    def clock(self) -> Clock:
        """What time it is."""

    @property
    def ids(self) -> Ids:
        """New names."""

    @property
    def log(self) -> Log:
        """Where it is noted who had a message sent."""


async def answer(body: Mapping[str, Any], on: MessagePorts) -> dict[str, Any]:
    """Do what an operator asks."""
    store = await on.hotels.admit(TenantId.parse(body.get("tenant"), "tenant"))
    match body.get("do"):
        case "list":
            return {"messages": await _listed(body, store)}
        case "show":
            return shown(await _found(body, store))
        case "resend":
            return await _sent_again(body, store, on)
    raise InvalidInput("do", "not among what can be done", "say list, show or resend")


async def _listed(body: Mapping[str, Any], store: TenantDocuments) -> list[dict[str, Any]]:
    stay = ReservationId.parse(body.get("reservation"), "reservation")
    return await messages_of(stay, store)


async def messages_of(stay: str, store: TenantDocuments) -> list[dict[str, Any]]:
    """Return what a stay's guest was told last, and how far each message came."""
    found = await store.query(NOTICES_OF_STAY, {"of_stay": str(stay)}, limit=MOST_LISTED)
    return [shown(notice_from(each)) for each in found]


async def _found(body: Mapping[str, Any], store: TenantDocuments) -> Notice:
    found = await store.get(notice_at(str(body.get("message", ""))))
    if found is None:
        raise InvalidInput("message", "no such message", "name one that keyfleet message list shows")
    return notice_from(found)


async def _sent_again(body: Mapping[str, Any], store: TenantDocuments, on: MessagePorts) -> dict[str, Any]:
    by = UserId.parse(body.get("by"), "by")
    before, now = await _found(body, store), on.clock.now()
    settings = await message_settings(store, before.property_id)
    if settings is None:
        raise InvalidInput("message", "its hotel has set up no messages", "set them up first")
    ways: dict[str, Any] = dict(planned(before.kind, settings, now, before.zone, now))
    again = replace(
        before,
        id=f"evt_{on.ids.ulid()}",
        made=now,
        outcome=None,
        due=now + CLAIMED_FOR,
        version=None,
        **{"push": None, "email": None, "sms": None, **ways},
    )
    await store.commit([again.write()])
    await begin_delivery(store.tenant, again.id, on.sagas)
    on.log.info("a message was sent again by hand", tenant=store.tenant, notice=again.id, by=by)
    return {"message": again.id, "instead_of": before.id}


def shown(notice: Notice) -> dict[str, Any]:
    """Return a notice as an operator sees it: never an address, a link or a code."""
    return {
        "message": notice.id,
        "kind": notice.kind.value,
        "reservation": notice.reservation,
        "key": notice.credential,
        "at": instant_to_text(notice.made),
        "zone": notice.zone,
        "outcome": None if notice.outcome is None else notice.outcome.value,
        "ways": {channel.value: _way(channel, way) for channel, way in notice.ways.items()},
    }


def _way(_: Channel, way: Way) -> dict[str, Any]:
    return {
        "state": way.state.value,
        "because": way.reason,
        "tries": way.tries,
        "due": _text(way.due),
        "since": _text(way.since),
    }


def _text(at: datetime | None) -> str | None:
    return None if at is None else instant_to_text(at)
