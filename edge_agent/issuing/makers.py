"""What makes a key at the desk: a card on an encoder, or a PIN at the doors themselves by Bluetooth (A
§5.1.2, §5.4).

A PIN is drawn and kept before any lock hears of it. One that a lock has already, when it is first asked, is
never taken away to make room: it is another guest's, and a new one is drawn instead. One that was asked for
before, without an answer, is ours (decision 0201): it is set anew, and no second one is left behind.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

from edge_agent.hardware.cards.keycard import Desk, KeyCardPress
from edge_agent.hardware.cards.layout import CardRecord, door_digest, property_digest
from edge_agent.hardware.cards.reader import CardReader
from edge_agent.hardware.encoders.encoder import EncoderDoor
from edge_agent.hardware.errors import CardForeign, HardwareError
from edge_agent.hardware.radio import PinDoor
from edge_agent.ledger.ledger import LedgerDoor
from shared.domain.credential import KeyCredential
from shared.domain.ids import RoomId, ulid_number
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.plan import Choice
from shared.domain.secret import Secret
from shared.ports.ambient import Entropy, Ids

MILLISECOND_BITS: Final = 48
CHANCE_BITS: Final = 16
"""Below the milliseconds of a card's number, which nobody draws."""
ULID_BITS: Final = 128
PIN_DIGITS: Final = 6
CARD: Final = Choice(VendorCode("generic-wiegand"), KeyCredentialKind.RFID_CARD)


class KeyMaker(Protocol):
    """Whatever at the desk can make a key."""

    @property
    def choice(self) -> Choice:
        """The vendor and kind that it makes."""

    async def ready(self, rooms: tuple[RoomId, ...]) -> bool:
        """Say whether it is there, for these rooms."""

    def secret(self) -> Secret[str] | None:
        """Draw what must be kept before anything is made; None where there is nothing."""

    async def make(self, key: KeyCredential, secret: Secret[str] | None, *, again: bool) -> Secret[str]:
        """Make the key, or find it made, and return the vendor's reference; raise a HardwareError.

        `again` says that this very secret may be at a lock by an attempt that broke off.
        """

    async def remove(self, key: KeyCredential, secret: Secret[str] | None) -> bool:
        """Take the key away as far as it can be reached; say whether all of it is away."""


DoorsOf = Callable[[tuple[RoomId, ...]], tuple[str, ...]]


def plain_doors(rooms: tuple[RoomId, ...]) -> tuple[str, ...]:
    """Return the rooms themselves, where nobody says that they have other doors."""
    return tuple(map(str, rooms))


@dataclass(frozen=True, slots=True)
class CardMaker:
    """Cards on one encoder."""

    encoder: EncoderDoor
    cards: Desk
    ids: Ids
    ledger: LedgerDoor
    doors_of: DoorsOf = plain_doors
    """What cards call the doors of some rooms, as the arrivals say it."""
    newest: int = 0
    """The highest number on any card of the property, as the arrivals say it."""
    choice: Choice = CARD

    async def ready(self, _: tuple[RoomId, ...]) -> bool:
        """Say whether the encoder is plugged in."""
        return await self.encoder.plugged()

    def secret(self) -> None:
        """Draw nothing: a card is its own secret."""

    async def make(self, key: KeyCredential, _: Secret[str] | None, *, again: bool) -> Secret[str]:  # noqa: ARG002 - the protocol's shape
        """Write the card that lies there, unless it is this key already."""
        uid, number = await self.encoder.run(lambda reader: self._on_card(key, reader))
        return Secret(f"{uid.hex().upper()}.{number >> CHANCE_BITS}")

    async def remove(self, key: KeyCredential, _: Secret[str] | None) -> bool:
        """Erase the key's card if it lies there; another's is left alone."""

        async def erase(reader: CardReader) -> bool:
            press = KeyCardPress(reader, self.cards)
            _, found = await press.read()
            if not await self._is_of(key, found):
                return False
            await press.erase()
            return True

        try:
            return await self.encoder.run(erase)
        except HardwareError:
            return False

    async def _on_card(self, key: KeyCredential, reader: CardReader) -> tuple[bytes, int]:
        press = KeyCardPress(reader, self.cards)
        with suppress(CardForeign):
            card, found = await press.read()
            if await self._is_of(key, found):
                return card.uid, found.number
        drawn = max(_milliseconds(self.ids.ulid()), self.newest + 1)
        # Counted before it is on a card: a crash in between skips a number, and none is used twice.
        number = await self.ledger.run(lambda it: it.number_card(str(key.id), drawn))
        record = self._record(key, number << CHANCE_BITS)
        return (await press.make(record)).uid, record.number

    async def _is_of(self, key: KeyCredential, found: CardRecord) -> bool:
        """Say whether a card is the key's newest: one that was left behind before is shut out by that."""
        number = await self.ledger.run(lambda it: it.card_of(str(key.id)))
        if number is None:
            return False
        wanted = self._record(key, number << CHANCE_BITS)
        return (found.property, found.number, found.doors) == (wanted.property, wanted.number, wanted.doors)

    def _record(self, key: KeyCredential, number: int) -> CardRecord:
        core = key.core
        doors = tuple(map(door_digest, self.doors_of(core.rooms)))
        window = (core.window.start, core.window.end)
        return CardRecord(property_digest(str(core.property_id)), number, *window, doors)


@dataclass(frozen=True, slots=True)
class PinMaker:
    """PINs at the doors of rooms, by Bluetooth, of one vendor."""

    vendor: VendorCode
    doors: Mapping[str, PinDoor]
    entropy: Entropy
    doors_of: DoorsOf = plain_doors
    """Which doors some rooms have, as the arrivals say it."""

    @property
    def choice(self) -> Choice:
        """The vendor, and PINs."""
        return Choice(self.vendor, KeyCredentialKind.PIN_CODE)

    async def ready(self, rooms: tuple[RoomId, ...]) -> bool:
        """Say whether we hold the keys of each door of the rooms."""
        return {*self.doors_of(rooms)} <= self.doors.keys()

    def secret(self) -> Secret[str]:
        """Draw a PIN."""
        drawn = int.from_bytes(self.entropy.token(16), "big")
        return Secret(f"{drawn % 10**PIN_DIGITS:0{PIN_DIGITS}d}")

    async def make(self, key: KeyCredential, secret: Secret[str] | None, *, again: bool) -> Secret[str]:
        """Add the PIN at every door; where one refuses it, take it back from those that took it."""
        pin, window = _needed(secret), key.core.window
        taken: list[PinDoor] = []
        for name in self.doors_of(key.core.rooms):
            try:
                await self.doors[name].add_pin(pin, window.start, window.end, ours=again)
            except HardwareError:
                for door in taken:
                    await _removed(door, pin)
                raise
            taken.append(self.doors[name])
        return Secret(f"pin:{pin.reveal()}")

    async def remove(self, key: KeyCredential, secret: Secret[str] | None) -> bool:
        """Take the PIN from every door that can be reached."""
        if secret is None:
            return False  # the cloud has the key, and with it the PIN
        reached = [
            name in self.doors and await _removed(self.doors[name], secret)
            for name in self.doors_of(key.core.rooms)
        ]
        return all(reached)


async def _removed(door: PinDoor, pin: Secret[str]) -> bool:
    try:
        await door.remove_pin(pin)
    except HardwareError:
        return False
    return True


def _needed(secret: Secret[str] | None) -> Secret[str]:
    if secret is None:
        raise TypeError("a PIN is drawn and kept before it is made")
    return secret


def _milliseconds(ulid: str) -> int:
    return ulid_number(ulid) >> ULID_BITS - MILLISECOND_BITS
