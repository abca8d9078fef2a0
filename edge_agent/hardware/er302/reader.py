"""An ER302 as a card reader: every command is one question and one answer, and may be asked twice."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from edge_agent.hardware.cards.reader import Card, CardKind, SectorKey
from edge_agent.hardware.er302.frames import (
    Er302Damaged,
    Er302Event,
    Er302Frame,
    Er302FrameReader,
    er302_frame,
)
from edge_agent.hardware.errors import (
    CardForeign,
    CardMissing,
    DeviceRefused,
    HardwareError,
    NoAnswer,
    NotSupported,
)
from edge_agent.hardware.link import ByteLink, EventLink

FIRMWARE, BEEP = 0x0104, 0x0106
REQUEST, ANTICOLLISION, SELECT, AUTHENTICATE, READ, WRITE = 0x0201, 0x0202, 0x0203, 0x0207, 0x0208, 0x0209
ALL_CARDS: Final = b"\x52"
NO_CARD, REQUEST_FAILED, AUTH_FAILED = 0x0D, 0x14, 0x16
STATUS: Final = {
    0x00: "ok",
    0x0A: "general",
    0x0C: "parameter",
    0x0D: "no card",
    0x14: "request failed",
    0x16: "authentication failed",
    0x17: "read failed",
    0x18: "write failed",
}
_RAISED: Final[Mapping[int, type[HardwareError]]] = {
    NO_CARD: CardMissing,
    REQUEST_FAILED: CardMissing,
    AUTH_FAILED: CardForeign,
}
_KINDS: Final = {0x0400: CardKind.CLASSIC_1K, 0x0200: CardKind.CLASSIC_4K}


@dataclass(frozen=True, slots=True)
class Er302Patience:
    """How long to wait for an answer, in seconds, and how often to ask."""

    answer: float = 0.5
    silence: float = 0.03
    tries: int = 3


class Er302Reader:
    """Finds, opens, reads and writes the card on an ER302."""

    def __init__(self, link: ByteLink, patience: Er302Patience | None = None) -> None:
        self._events: EventLink[Er302Event] = EventLink(link, Er302FrameReader())
        self._patience = patience or Er302Patience()
        self._turn = asyncio.Lock()
        self._settled = False

    async def firmware(self) -> str:
        """Return the encoder's own name and version."""
        return (await self.ask(FIRMWARE)).decode("ascii", "replace")

    async def beep(self, tenths: int = 1) -> None:
        """Sound the encoder's beeper."""
        await self.ask(BEEP, bytes([tenths]))

    async def find(self) -> Card | None:
        """Return the card that lies there, ready to be asked."""
        try:
            kind = int.from_bytes(await self.ask(REQUEST, ALL_CARDS), "big")
        except CardMissing:
            return None
        if kind not in _KINDS:
            raise NotSupported("this encoder writes MIFARE Classic cards only")
        uid = await self.ask(ANTICOLLISION, b"\x04")
        await self.ask(SELECT, uid)
        return Card(uid, _KINDS[kind])

    async def open_sector(self, block: int, key: SectorKey) -> None:
        """Open the sector of a block."""
        await self.ask(AUTHENTICATE, bytes([key.type.value, block]) + key.value.reveal())

    async def read(self, block: int) -> bytes:
        """Return 16 bytes."""
        data = await self.ask(READ, bytes([block]))
        if len(data) != 16:
            raise NoAnswer("a read that is not 16 bytes")
        return data

    async def write(self, block: int, data: bytes) -> None:
        """Write 16 bytes."""
        await self.ask(WRITE, bytes([block]) + data)

    async def write_page(self, page: int, data: bytes) -> None:
        """Refuse: no public description says how this encoder writes a tag's page."""
        raise NotSupported(f"this encoder writes no tags (page {page}, {len(data)} bytes)")

    async def close(self) -> None:
        """Let go of the encoder."""
        await self._events.close()

    async def ask(self, command: int, data: bytes = b"") -> bytes:
        """Send a command and return its answer's data, or raise what its status says."""
        async with self._turn:
            if not self._settled:
                await self._events.hush(self._patience.silence)
            self._events.forget()
            self._settled = False
            answer = await self._answer(command, er302_frame(command, data))
        status = answer[0] if answer else 0x0A
        if status:
            raised = _RAISED.get(status, DeviceRefused)
            raise raised(f"the encoder says: {STATUS.get(status, 'unknown status')}", str(status))
        return answer[1:]

    async def _answer(self, command: int, question: bytes) -> bytes:
        for attempt in range(self._patience.tries):
            await self._events.send(question)
            try:
                event = await self._events.until(
                    lambda event: isinstance(event, Er302Damaged) or event.command == command,
                    self._patience.answer,
                )
            except NoAnswer:
                continue
            if isinstance(event, Er302Frame):
                self._settled = attempt == 0
                return event.data
        raise NoAnswer("the encoder does not answer")
