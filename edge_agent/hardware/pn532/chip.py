"""The conversation with a PN532: a command, its ACK, its reply, and what to do when one of them is missing.

1. What is left of an earlier conversation is dropped; after a repeat, only once the line is silent, so
   that a late second reply to one read is never taken for the reply to the next.
2. The command goes out. An ACK must come at once; a NACK, damage or silence sends it again, four times in
   all. Every command here may be carried out twice. A reply that no ACK follows counts: the ACK was lost, not
   the command.
3. The reply's code is the command's plus one. A damaged reply is asked for again with a NACK, which
   repeats the reply and not the command.
4. Silence is asked once with a NACK too, for the reply may be lost. The second silence ends with a host's
   ACK, which cancels whatever the chip is still doing.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeGuard

from edge_agent.hardware.errors import DeviceRefused, NoAnswer
from edge_agent.hardware.link import ByteLink, EventLink
from edge_agent.hardware.pn532.commands import (
    FEW_RETRIES,
    GET_FIRMWARE_VERSION,
    SAM_CONFIGURATION,
    Firmware,
    firmware,
)
from edge_agent.hardware.pn532.frames import (
    ACK,
    CHIP,
    NACK,
    WAKE_UP,
    Ack,
    Damaged,
    Frame,
    FrameEvent,
    Nack,
    Pn532FrameReader,
    SyntaxRefused,
    frame,
)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds, and how often to ask."""

    ack: float = 0.1
    reply: float = 1.0
    silence: float = 0.03
    tries: int = 4


SILENCES = 2
PATIENCE = Patience()


class NoReply(NoAnswer):
    """The command was acknowledged, and its reply never came."""


class Pn532Chip:
    """A PN532 on a link; one command at a time."""

    def __init__(self, link: ByteLink, patience: Patience = PATIENCE) -> None:
        self._events: EventLink[FrameEvent] = EventLink(link, Pn532FrameReader())
        self._patience = patience
        self._turn = asyncio.Lock()
        self._settled = self._clean = self._owed = False

    async def wake(self) -> Firmware:
        """Wake the chip, set it to plain reading, and learn who it is."""
        await self._events.send(WAKE_UP)
        await self.ask(SAM_CONFIGURATION)
        found = firmware(await self.ask(GET_FIRMWARE_VERSION))
        # A clone that does not know this looks for ever; then the silence is what says that no card is there.
        with suppress(DeviceRefused, NoAnswer):
            await self.ask(FEW_RETRIES)
        return found

    async def ask(self, command: bytes) -> bytes:
        """Send a command and return its reply's data."""
        async with self._turn:
            await self._settle()
            self._settled, self._clean = False, True
            reply = await self._deliver(command) or await self._reply(command[0] + 1)
            self._settled = self._clean
            return reply.data[1:]

    async def close(self) -> None:
        """Let go of the device."""
        await self._events.close()

    async def _settle(self) -> None:
        if not self._settled:
            # A command that nobody acknowledged may be answered late, beside its repeat: that is waited for.
            late = 2 * self._patience.ack if self._owed else 0.0
            await self._events.hush(max(self._patience.silence, late))
        self._owed = False
        self._events.forget()

    async def _deliver(self, command: bytes) -> Frame | None:
        """Send until the chip has it; return the reply if that overtook its ACK."""
        for _ in range(self._patience.tries):
            await self._events.send(frame(command))
            event = await self._acknowledged(command[0] + 1)
            if isinstance(event, Ack):
                return None
            self._clean = False
            if event is not None:
                return event
        raise NoAnswer("the reader does not acknowledge commands")

    async def _acknowledged(self, code: int) -> Ack | Frame | None:
        """Return the ACK; failing that, a reply; what comes before an ACK is older than the command."""
        early: Frame | None = None
        while True:
            try:
                event = await self._events.next(self._patience.ack)
            except NoAnswer:
                self._owed = True
                return early
            if isinstance(event, Ack):
                return event
            if isinstance(event, Nack):
                return None
            early = event if _answers(event, code) else early

    async def _reply(self, code: int) -> Frame:
        silences = 0
        for _ in range(self._patience.tries):
            event = await self._anything()
            if isinstance(event, SyntaxRefused):
                raise DeviceRefused("the reader does not know the command", "127")
            if _answers(event, code):
                return event
            self._clean = False
            silences += event is None
            if silences == SILENCES:
                break
            if event is None or isinstance(event, Damaged):
                await self._events.send(NACK)
        await self._events.send(ACK)
        raise NoReply("the reader took the command, and its reply does not come")

    async def _anything(self) -> FrameEvent | None:
        try:
            return await self._events.next(self._patience.reply)
        except NoAnswer:
            return None


def _answers(event: FrameEvent | None, code: int) -> TypeGuard[Frame]:
    return isinstance(event, Frame) and event.sender == CHIP and event.data[:1] == bytes([code])
