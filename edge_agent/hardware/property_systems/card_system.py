"""Lock systems that write a guest's card on an encoder of their own, when a desk asks them over a line.

| dialect | language | wire | how a card is looked at |
|---|---|---|---|
| `space` | Salto's PMS Industry Standard | TCP, or serial | LT reads what lies on the encoder |
| `fias`, `saflok` | FIAS records | TCP, or serial | not at all: no answer tells what stands on a card |
| `kaba` | FIAS records | serial | the same |

Neither language has an idempotency field. What ends the earlier guest's cards also ends the card that a first
asking made: asking for such a one twice leaves one that opens. A copy asked for twice leaves two.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from edge_agent.hardware.errors import DeviceRefused, NotSupported
from edge_agent.hardware.property_systems.fias import KeyRequest, KeyType
from edge_agent.hardware.property_systems.fias_orders_line import FiasOrders
from edge_agent.hardware.property_systems.salto import MOST_ROOMS, CardRequest
from edge_agent.hardware.property_systems.salto_desk import Connect, SaltoDesk
from shared.ports.ambient import Clock

US: Final = "keyfleet"
CHECKED_OUT: Final = "EA"
NUMBERS: Final = 10**9
LAST_LETTER: Final = "\xff"
"""Neither language has letters beyond Latin-1."""
ENDS_OF_FIELDS: Final = frozenset("|;\xb3")


@dataclass(frozen=True, slots=True)
class CardOrder:
    """A card for a guest: their own rooms, by the site's wall clock; `joins` leaves the cards before it."""

    rooms: tuple[str, ...]
    starts: datetime
    ends: datetime
    reservation: str
    joins: bool


class CardSystem(Protocol):
    """A lock system at the end of a line."""

    async def there(self) -> bool:
        """Say whether it can be reached."""

    async def make(self, order: CardOrder) -> None:
        """Have a card made; after OutcomeUnknown it may be, after any other HardwareError it is not."""

    async def made(self, order: CardOrder) -> bool:
        """Say whether the card on its encoder is this order's; no, where it tells nothing of cards."""

    async def close(self) -> None:
        """Let go of the line."""


class SpaceSystem:
    """Salto Space, and one of its encoders."""

    def __init__(self, connect: Connect, encoder: str) -> None:
        self._desk, self._encoder = SaltoDesk(connect), encoder

    async def there(self) -> bool:
        """Say whether Space can be reached."""
        return await self._desk.there()

    async def make(self, order: CardOrder) -> None:
        """Have a card made: a copy for whoever joins, unless Space knows nobody in the one room any more."""
        request = self._request(order)
        if not order.joins:
            await self._desk.new_card(request)
            return
        try:
            await self._desk.copy_card(request)
        except DeviceRefused as refusal:
            if refusal.code != CHECKED_OUT or len(order.rooms) > 1:
                raise
            # Nobody's card opens a room that is checked out, so a new one ends nobody's. Of several rooms
            # one is checked out, and in another somebody stays.
            await self._desk.new_card(request)

    async def made(self, order: CardOrder) -> bool:
        """Look at the card that lies there."""
        return (await self._desk.read_card(self._encoder)).serves(self._request(order))

    async def close(self) -> None:
        """Let go of the line."""
        await self._desk.close()

    def _request(self, order: CardOrder) -> CardRequest:
        if len(order.rooms) > MOST_ROOMS:
            raise NotSupported(f"a card of Space opens {MOST_ROOMS} rooms at most")
        return CardRequest(self._encoder, writable(order.rooms), order.starts, order.ends, US)


class FiasSystem:
    """A lock system that takes FIAS records, and one of its encoders."""

    def __init__(self, connect: Connect, encoder: str, clock: Clock, *, serial: bool) -> None:
        self._orders, self._encoder = FiasOrders(connect, clock, serial=serial), encoder

    async def there(self) -> bool:
        """Say whether the lock system can be reached."""
        return await self._orders.there()

    async def make(self, order: CardOrder) -> None:
        """Have a card made."""
        first, *more = writable(order.rooms)
        await self._orders.ask(
            KeyRequest(
                record="KR",
                encoder=self._encoder,
                station=self._encoder,
                room=first,
                reservation=guest_number(order.reservation),
                key_type=KeyType.DUPLICATE if order.joins else KeyType.NEW,
                more_rooms=tuple(more),
                arrival=order.starts.date(),
                departure=order.ends.date(),
                leaves_at=order.ends.time().replace(second=0, microsecond=0),
            )
        )

    async def made(self, _: CardOrder) -> bool:
        """Say no: nothing that it answers tells what stands on a card."""
        return False

    async def close(self) -> None:
        """Let go of nothing: each order has a line of its own."""


def writable(rooms: tuple[str, ...]) -> tuple[str, ...]:
    """Return rooms as they are, or raise NotSupported: what cannot be written can never be asked for."""
    for room in rooms:
        if not room.isprintable() or max(room, default="") > LAST_LETTER or ENDS_OF_FIELDS & {*room}:
            raise NotSupported("the lock system's language has no letters for the name of a room")
    return rooms


def guest_number(reservation: str) -> str:
    """Return the number by which a lock system knows a stay: nine digits, always the same."""
    return str(int.from_bytes(hashlib.sha256(reservation.encode()).digest()[:8], "big") % NUMBERS)


SystemOf = Callable[[Connect, str, Clock, bool], CardSystem]


def _space(connect: Connect, encoder: str, _: Clock, __: bool) -> CardSystem:
    return SpaceSystem(connect, encoder)


def _fias(connect: Connect, encoder: str, clock: Clock, serial: bool) -> CardSystem:
    return FiasSystem(connect, encoder, clock, serial=serial)


SYSTEMS: Final[dict[str, SystemOf]] = {"space": _space, "fias": _fias, "saflok": _fias, "kaba": _fias}
"""The lock systems by the dialect in which the cloud names them."""
