"""The hotel software's end of a FIAS line, for one order at a time.

1. A line is opened for each order: what is not open between orders cannot be half open.
2. We begin with LS. The lock system says who it is (LD), what it takes (LR), and that it is there (LA); so
   do we.
3. The order, and its answer within a minute, because somebody has to lay the card on the encoder.
4. LE ends the link.

What a lock system answers late comes on whatever line is open by then, and says of an order no more than the
station, the encoder and the reservation: of the same stay, the next order's answer looks like it. So after an
order without an answer, and after our own start, each order comes from a station of its own name for a while:
the answer bears it as it was asked.

On a serial line each frame is acknowledged. Where no acknowledgement comes we ask for it with ENQ; only a NAK
lets us send the order again, for a second one may make a second card.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from edge_agent.hardware.errors import HardwareError, LinkLost, NoAnswer, OutcomeUnknown
from edge_agent.hardware.link import ByteLink, EventLink
from edge_agent.hardware.property_systems.fias import KeyRequest, Record, RecordRefused
from edge_agent.hardware.property_systems.fias_link import stamped
from edge_agent.hardware.property_systems.fias_orders import accepted, ordered
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

TRIES: Final = 4
BELIEVED: Final = timedelta(minutes=1)
LATE: Final = timedelta(minutes=30)
"""For so long an answer may come that nobody waits for: by then no card lies on that encoder any more."""
LETTERS: Final = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
MARK: Final = 4
"""Letters behind the station's name: no two orders of a day have the same."""
Wanted = Callable[[Record], bool]


@dataclass(frozen=True, slots=True)
class FiasPatience:
    """Seconds for an acknowledgement, for a record of the link, and for somebody to lay a card down."""

    acknowledged: float = 3.0
    linked: float = 10.0
    answered: float = 60.0


class FiasOrders:
    """Orders to a lock system that takes FIAS records; one at a time."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[ByteLink]],
        clock: Clock,
        *,
        serial: bool = False,
        patience: FiasPatience | None = None,
    ) -> None:
        self._connect, self._clock, self._serial = connect, clock, serial
        self._patience = patience or FiasPatience()
        self._turn = asyncio.Lock()
        self._seen: datetime | None = None
        self._unheard: datetime | None = clock.now()  # what an earlier process asked may be answered yet
        self._marks = itertools.count(int(clock.now().timestamp()))

    async def ask(self, request: KeyRequest) -> None:
        """Have a request carried out; after OutcomeUnknown it may be, after any other error it was not."""
        ordered(request)  # what cannot be written is refused before anybody is asked
        async with self._turn, self._linked() as link:
            asked = self._told_apart(request)
            try:
                await link.deliver(ordered(asked))
                answer = await link.record(_to(asked), self._patience.answered)
            except (NoAnswer, LinkLost) as lost:
                self._unheard = self._clock.now()
                raise OutcomeUnknown(lost.problem) from lost
            accepted(asked, answer)

    def _told_apart(self, request: KeyRequest) -> KeyRequest:
        """Return a request from a station of its own, while an answer to an earlier one may come."""
        if self._unheard is None or abs(self._clock.now() - self._unheard) > LATE:
            self._unheard = None
            return request
        return replace(request, station=request.station + _mark(next(self._marks)))

    async def there(self) -> bool:
        """Say whether the lock system can be reached; one that was a moment ago, or is asked now, is."""
        believed = self._seen is not None and abs(self._clock.now() - self._seen) < BELIEVED
        if believed or self._turn.locked():
            return True
        async with self._turn:
            try:
                await (await self._connect()).close()
            except LinkLost:
                return False
            self._seen = self._clock.now()
            return True

    @asynccontextmanager
    async def _linked(self) -> AsyncIterator["_Link"]:
        line: EventLink[StxEvent] = EventLink(await self._connect(), StxReader(checked=self._serial))
        link = _Link(line, self._patience, self._serial)
        try:
            await self._begun(link)
            yield link
            with suppress(HardwareError):  # the order is over, and the line is closed in any case
                await link.deliver(stamped("LE", self._clock.now()))
        finally:
            await line.close()

    async def _begun(self, link: "_Link") -> None:
        await link.deliver(stamped("LS", self._clock.now()))
        taken: set[str] = set()

        def described(record: Record) -> bool:
            if record.type == "LR":
                taken.add(record.values.get("RI", ""))
            return record.type == "LA"

        await link.record(described, self._patience.linked)
        if "KR" not in taken:
            raise NoAnswer("what is at the end of the line makes no keys")
        await link.deliver(stamped("LA", self._clock.now()))


@dataclass
class _Link:
    """One link of a line; what comes while an acknowledgement is awaited is kept."""

    line: EventLink[StxEvent]
    patience: FiasPatience
    serial: bool
    kept: deque[Record] = field(default_factory=deque)

    async def deliver(self, record: Record) -> None:
        """Send a record; on a serial line, until it is acknowledged."""
        framed = enclosed(bytes(record), self.serial)
        await self.line.send(framed)
        for _ in range(TRIES if self.serial else 0):
            said = await self._said()
            if said == ACK:
                return
            await self.line.send(framed if said == NAK else bytes([ENQ]))
        if self.serial:
            raise NoAnswer("the lock system does not acknowledge")

    async def record(self, wanted: Wanted, seconds: float) -> Record:
        """Return the first record that is wanted, or raise NoAnswer in time."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    while self.kept:
                        if wanted(record := self.kept.popleft()):
                            return record
                    await self._next(seconds)
        except TimeoutError:
            raise NoAnswer("the lock system does not answer") from None

    async def _said(self) -> int | None:
        """Return the next acknowledgement, or None in time."""
        try:
            async with asyncio.timeout(self.patience.acknowledged):
                while not isinstance(event := await self._next(self.patience.acknowledged), Control):
                    pass
        except (NoAnswer, TimeoutError):
            return None
        return event.code

    async def _next(self, seconds: float) -> StxEvent:
        """Return the next event; a record is kept, and acknowledged."""
        event = await self.line.next(seconds)
        if self.serial and not isinstance(event, Control):
            await self.line.send(bytes([NAK if isinstance(event, Garbled) else ACK]))
        if isinstance(event, Message):
            with suppress(RecordRefused):  # of no use to us, whatever it is
                self.kept.append(Record.parse(event.data))
        return event


def _mark(number: int) -> str:
    """Return some letters for a number."""
    letters = ""
    for _ in range(MARK):
        number, rest = divmod(number, len(LETTERS))
        letters = LETTERS[rest] + letters
    return letters


def _to(request: KeyRequest) -> Wanted:
    """Return what knows the answer to a request from those to others."""
    asked = (request.station, request.encoder, request.reservation)

    def answers(record: Record) -> bool:
        values = record.values
        return record.type == "KA" and tuple(values.get(name, "") for name in ("WS", "KC", "G#")) == asked

    return answers
