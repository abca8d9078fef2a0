"""A FIAS link on a wire: over TCP as it comes, over a serial line with ACK, NAK, ENQ and an LRC.

On a serial line every frame is acknowledged within three seconds or sent again, four times in all. A
silent other end sends ENQ for our last acknowledgement, which is repeated; the record itself is carried
out once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from edge_agent.hardware.errors import (
    HardwareError,
    LinkLost,
    NoAnswer,
    NotSupported,
    UnsafeWrite,
)
from edge_agent.hardware.link import ByteLink, EventLink
from edge_agent.hardware.property_systems.fias import AnswerStatus, KeyRequest, Record
from edge_agent.hardware.property_systems.fias_link import Asked, FiasKeySystem
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
from shared.ports.ambient import Clock

ACK_SECONDS: Final = 3.0
ATTEMPTS: Final = 4
LOOK_SECONDS: Final = 1.0
STATUS: Final[Mapping[type[HardwareError], AnswerStatus]] = {
    LinkLost: AnswerStatus.BUSY,
    NoAnswer: AnswerStatus.BUSY,
    NotSupported: AnswerStatus.DENIED,
    UnsafeWrite: AnswerStatus.DENIED,
}
"""What the hotel's software is told of an error; whatever a clerk can mend is asked again."""
MakeKey = Callable[[KeyRequest], Awaitable[AnswerStatus]]


class FiasDesk:
    """Serves one line: what is asked is made by `make`, one request after the other, and answered."""

    def __init__(self, link: ByteLink, make: MakeKey, clock: Clock, *, serial: bool = False) -> None:
        self._events: EventLink[StxEvent] = EventLink(link, StxReader(checked=serial))
        self._make, self._clock, self._serial = make, clock, serial
        self._acknowledged: asyncio.Queue[int] = asyncio.Queue()
        self._sending = asyncio.Lock()
        self._last = NAK
        self.system = FiasKeySystem()

    async def serve(self) -> None:
        """Serve until the line is lost, which is raised."""
        asked: asyncio.Queue[Asked] = asyncio.Queue()
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._listen(asked, tasks))
                tasks.create_task(self._work(asked))
        except* HardwareError as lost:
            raise LinkLost("the line to the hotel's software is lost") from lost
        finally:
            self.system.lost()

    async def close(self) -> None:
        """Let go of the line."""
        await self._events.close()

    async def _listen(self, asked: asyncio.Queue[Asked], tasks: asyncio.TaskGroup) -> None:
        while True:
            try:
                event = await self._events.next(LOOK_SECONDS)
            except NoAnswer:
                tasks.create_task(self._send(self.system.probe(self._clock.now())))
                continue
            tasks.create_task(self._send(await self._heard(event, asked)))

    async def _heard(self, event: StxEvent, asked: asyncio.Queue[Asked]) -> list[Record]:
        if isinstance(event, Control):
            await self._controlled(event.code)
            return []
        await self._acknowledge(NAK if isinstance(event, Garbled) else ACK)
        if not isinstance(event, Message):
            return []
        records, requests = self.system.heard(event.data, self._clock.now())
        for request in requests:
            asked.put_nowait(request)
        return records

    async def _controlled(self, code: int) -> None:
        if code == ENQ:
            await self._acknowledge(self._last)
        else:
            self._acknowledged.put_nowait(code)

    async def _acknowledge(self, code: int) -> None:
        if self._serial:
            self._last = code
            await self._events.send(bytes([code]))

    async def _work(self, asked: asyncio.Queue[Asked]) -> None:
        while True:
            one = await asked.get()
            await self._send(self.system.answer(one.number, await self._made(one.request)))

    async def _made(self, request: KeyRequest) -> AnswerStatus:
        try:
            return await self._make(request)
        except HardwareError as error:
            return STATUS.get(type(error), AnswerStatus.RETRY)

    async def _send(self, records: list[Record]) -> None:
        for record in records:
            async with self._sending:
                await self._deliver(enclosed(bytes(record), self._serial))

    async def _deliver(self, framed: bytes) -> None:
        while not self._acknowledged.empty():
            # An ACK too many belongs to a frame that was sent twice, not to this one.
            self._acknowledged.get_nowait()
        for _ in range(ATTEMPTS):
            await self._events.send(framed)
            if not self._serial or await self._taken():
                return
        raise NoAnswer("the hotel's software does not acknowledge")

    async def _taken(self) -> bool:
        try:
            async with asyncio.timeout(ACK_SECONDS):
                return await self._acknowledged.get() == ACK
        except TimeoutError:
            return False
