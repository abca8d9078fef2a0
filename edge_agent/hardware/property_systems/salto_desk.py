"""Cards by way of Salto Space, over TCP or a serial line.

1. ENQ; ACK means ready, NAK or silence is asked again, three times.
2. The message; ACK means taken. A NAK means damaged on the way, and only then is it sent again.
3. The answer, within 30 seconds, because somebody has to lay the card on the encoder; we ACK it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from edge_agent.hardware.errors import HardwareError, LinkLost, NoAnswer, OutcomeUnknown
from edge_agent.hardware.link import ByteLink, EventLink
from edge_agent.hardware.property_systems import salto
from edge_agent.hardware.property_systems.salto import CardContent, CardRequest
from edge_agent.hardware.property_systems.stx import (
    ACK,
    ENQ,
    NAK,
    Control,
    Garbled,
    Message,
    StxEvent,
    StxReader,
    enclosed,
)

TRIES: Final = 3
Connect = Callable[[], Awaitable[ByteLink]]


@dataclass(frozen=True, slots=True)
class SaltoPatience:
    """Seconds for a single character, and for somebody to lay a card down."""

    character: float = 3.0
    answer: float = 30.0


class SaltoDesk:
    """A line to Salto Space; one question at a time."""

    def __init__(self, connect: Connect, patience: SaltoPatience | None = None) -> None:
        self._connect, self._patience = connect, patience or SaltoPatience()
        self._turn = asyncio.Lock()
        self._line: EventLink[StxEvent] | None = None

    async def new_card(self, request: CardRequest) -> None:
        """Make a new guest's card; where the answer is lost, look at the card before anything is repeated."""
        await self._make("CN", request)

    async def copy_card(self, request: CardRequest) -> None:
        """Make a sharer's card, which voids nobody's."""
        await self._make("CC", request)

    async def check_out(self, room: str) -> None:
        """Check a room out: its cards open nothing from now on, as far as its lock hears of it."""
        salto.accepted("CO", await self.ask(salto.checkout(room)))

    async def read_card(self, encoder: str) -> CardContent:
        """Return what stands on the card on an encoder."""
        return salto.content(await self.ask(salto.read_card(encoder)))

    async def close(self) -> None:
        """Let go of the line."""
        async with self._turn:
            await self._drop()

    async def ask(self, fields: tuple[str, ...]) -> tuple[str, ...]:
        """Send a message and return the answer's fields; a lost line is opened anew by the next question.

        OutcomeUnknown says that the message may have been taken; by any other error it was not.
        """
        async with self._turn:
            try:
                line = await self._opened()
                line.forget()
                await self._ready(line)
                return await self._told(line, fields)
            except (LinkLost, NoAnswer):
                await self._drop()  # where nobody answers, nobody knows that the line leads anywhere
                raise

    async def there(self) -> bool:
        """Say whether the lock system can be reached: a line that is open, or can be opened.

        One that is asked for a card at this moment is there: nobody waits for a card to hear so.
        """
        if self._turn.locked():
            return True
        async with self._turn:
            try:
                await self._opened()
            except LinkLost:
                return False
            return True

    async def _opened(self) -> EventLink[StxEvent]:
        self._line = self._line or EventLink(await self._connect(), StxReader(checked=True))
        return self._line

    async def _told(self, line: EventLink[StxEvent], fields: tuple[str, ...]) -> tuple[str, ...]:
        try:
            await self._deliver(line, enclosed(salto.packed(fields), checked=True))
            return salto.unpacked(await self._answer(line))
        except (NoAnswer, LinkLost) as lost:
            raise OutcomeUnknown(lost.problem) from lost

    async def _drop(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    async def _make(self, command: str, request: CardRequest) -> None:
        try:
            answer = await self.ask(request.fields(command))
        except OutcomeUnknown:
            # The card may be made. Reading it is harmless; making it again would void it.
            if not await self._made(request):
                raise
            return
        salto.accepted(command, answer)

    async def _made(self, request: CardRequest) -> bool:
        try:
            return (await self.read_card(request.encoder)).serves(request)
        except HardwareError:
            return False

    async def _ready(self, line: EventLink[StxEvent]) -> None:
        for _ in range(TRIES):
            await line.send(bytes([ENQ]))
            if await self._control(line) == ACK:
                return
        raise NoAnswer("the lock system is not ready")

    async def _deliver(self, line: EventLink[StxEvent], framed: bytes) -> None:
        for _ in range(TRIES):
            await line.send(framed)
            said = await self._control(line)
            if said == ACK:
                return
            if said is None:
                raise NoAnswer("the lock system does not say whether it has our message")
        raise NoAnswer("the lock system does not understand our line")

    async def _control(self, line: EventLink[StxEvent]) -> int | None:
        """Return ACK or NAK, or None in time."""
        try:
            event = await line.until(lambda event: isinstance(event, Control), self._patience.character)
        except NoAnswer:
            return None
        return event.code if isinstance(event, Control) else None

    async def _answer(self, line: EventLink[StxEvent]) -> bytes:
        for _ in range(TRIES):
            event = await line.until(lambda event: not isinstance(event, Control), self._patience.answer)
            if isinstance(event, Message):
                await line.send(bytes([ACK]))
                return event.data
            if isinstance(event, Garbled):
                await line.send(bytes([NAK]))
        raise NoAnswer("the lock system's answers are damaged")
