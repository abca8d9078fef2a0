"""A PN532 as a card reader."""

from typing import Final, Protocol

from edge_agent.hardware.cards.reader import Card, CardKind, SectorKey
from edge_agent.hardware.errors import CardForeign, CardMissing, NoAnswer
from edge_agent.hardware.pn532.chip import NoReply
from edge_agent.hardware.pn532.commands import (
    LIST_ONE_TYPE_A,
    READ,
    WRITE,
    WRITE_PAGE,
    Target,
    authenticate,
    exchange,
    exchanged,
    target,
)

_KINDS: Final = {
    **{kind.value: kind for kind in CardKind},
    0x28: CardKind.CLASSIC_1K,
    0x38: CardKind.CLASSIC_4K,
    0x88: CardKind.CLASSIC_1K,
    0x98: CardKind.CLASSIC_4K,
}
"""Kinds by what cards say; other makers' and emulated MIFARE cards set bits of their own."""


class Pn532Commands(Protocol):
    """A PN532, on whatever wire: one command at a time, and its reply's data."""

    async def ask(self, command: bytes) -> bytes:
        """Send a command and return its reply's data."""

    async def close(self) -> None:
        """Let go of the device."""


class Pn532Reader:
    """Finds, opens, reads and writes the card on a PN532."""

    def __init__(self, chip: Pn532Commands) -> None:
        self._chip = chip
        self._target: Target | None = None

    async def find(self) -> Card | None:
        """Return the card that lies there, ready to be asked."""
        self._target = None
        try:
            found = self._target = target(await self._chip.ask(LIST_ONE_TYPE_A))
        except NoReply:
            # A chip that looks for a card for ever is silent while there is none.
            return None
        if found is None:
            return None
        if found.sel_res not in _KINDS:
            raise CardForeign("not a MIFARE Classic card and not an NTAG")
        return Card(found.uid, _KINDS[found.sel_res])

    async def open_sector(self, block: int, key: SectorKey) -> None:
        """Open the sector of a block."""
        uid = self._listed().uid
        await self._card(authenticate(key.type.value, block, key.value.reveal(), uid))

    async def read(self, block: int) -> bytes:
        """Return 16 bytes."""
        data = await self._card(bytes([READ, block]))
        if len(data) != 16:
            raise NoAnswer("a read that is not 16 bytes")
        return data

    async def write(self, block: int, data: bytes) -> None:
        """Write 16 bytes."""
        await self._card(bytes([WRITE, block]) + data)

    async def write_page(self, page: int, data: bytes) -> None:
        """Write four bytes."""
        await self._card(bytes([WRITE_PAGE, page]) + data)

    async def close(self) -> None:
        """Let go of the encoder."""
        await self._chip.close()

    async def _card(self, command: bytes) -> bytes:
        return exchanged(await self._chip.ask(exchange(self._listed().number, command)))

    def _listed(self) -> Target:
        if self._target is None:
            raise CardMissing("no card is selected")
        return self._target
