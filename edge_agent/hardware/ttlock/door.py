"""Work at a TTLock's door, in one visit with one deadline from the first radio packet to the last.

1. Connect. While somebody is connected the lock is closed to everybody else, so visits are short, and they
   end whatever happens: letting go has a time of its own, after the deadline.
2. Prove that the lock's admin is here: 41 gives a random number, 30 takes its sum with the unlock key.
3. Read the clock, every time. The lock judges windows by it, and whoever holds a key can set it back. A
   clock that is more than half a minute off is set and read again; one over five minutes off is reported
   (A §14).
4. Do the errand. Its answer tells the battery, without a packet more.
5. Tell what was read, however the errand ended.

Answers are matched by the command they echo, because a lock sends news of its own on the same channel.
Nothing is sent twice within a visit: the radio repeats lost packets by itself, and an `add` that was heard
twice is refused as taken.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol, TypeVar
from zoneinfo import ZoneInfo

from edge_agent.hardware.errors import DeviceRefused, HardwareError, LockNotHeard, NoAnswer
from edge_agent.hardware.link import ByteLink, EventLink
from edge_agent.hardware.radio import LockReading, Tell
from edge_agent.hardware.ttlock import commands
from edge_agent.hardware.ttlock.cipher import decrypt, encrypt
from edge_agent.hardware.ttlock.commands import Command, LockKeys, NothingThere, PasscodeTaken, Validity
from edge_agent.hardware.ttlock.frames import LockEvent, LockFrame, LockFrameReader, LockVersion
from shared.domain.secret import Secret
from shared.ports.ambient import Clock

_T = TypeVar("_T")


class LockLink(ByteLink, Protocol):
    """A connection to a lock, which knows how the lock wants to be spoken to."""

    @property
    def version(self) -> LockVersion:
        """What frames to the lock carry."""


Connect = Callable[[], Awaitable[LockLink]]
DEADLINE_SECONDS: Final = 20.0
LEAVE_SECONDS: Final = 2.0
SET_ABOVE: Final = timedelta(seconds=30)
WARN_ABOVE: Final = timedelta(seconds=300)


@dataclass(frozen=True, slots=True)
class ClockFinding:
    """How far a lock's clock was off, and whether it was set."""

    skew: timedelta
    was_set: bool

    @property
    def warning(self) -> str | None:
        """The warning that A §14 asks for."""
        return "CLOCK_SKEW" if abs(self.skew) > WARN_ABOVE else None


class LockVisit:
    """A connection to a lock whose admin we have proved to be."""

    def __init__(self, link: LockLink, keys: LockKeys) -> None:
        self._events: EventLink[LockEvent] = EventLink(link, LockFrameReader())
        self._keys, self._version = keys, link.version
        self.clock: ClockFinding | None = None
        self.percent: int | None = None
        """What the battery has, as the last answer that tells it did."""

    async def ask(self, command: Command, payload: bytes = b"") -> bytes:
        """Send a command and return its answer's data; the visit's deadline bounds the wait."""
        self._events.forget()
        await self._events.send(bytes(LockFrame(command, encrypt(self._keys.aes, payload), self._version)))
        while True:
            event = await self._events.until(lambda event: isinstance(event, LockFrame), DEADLINE_SECONDS)
            if isinstance(event, LockFrame) and (plain := self._opened(event))[:1] == bytes([command]):
                return self._noted(command, commands.answered(plain, command))

    async def add_passcode(self, code: Secret[str], validity: Validity | None, *, ours: bool = False) -> None:
        """Add a passcode; one that is `ours` from an attempt without an answer is first taken away."""
        payload = commands.add_passcode(code, validity)
        try:
            await self.ask(Command.PASSCODE, payload)
        except PasscodeTaken:
            if not ours:
                raise
            await self.delete_passcode(code, permanent=validity is None)
            await self.ask(Command.PASSCODE, payload)

    async def delete_passcode(self, code: Secret[str], *, permanent: bool = False) -> None:
        """Take a passcode away; one that is not there is away."""
        with suppress(NothingThere):
            await self.ask(Command.PASSCODE, commands.delete_passcode(code, permanent=permanent))

    async def add_card(self, number: bytes, validity: Validity) -> None:
        """Let a card open the door; its dates cannot be changed later, only added anew."""
        await self.delete_card(number)
        await self.ask(Command.CARD, commands.add_card(number, validity))

    async def delete_card(self, number: bytes) -> None:
        """Take a card away; one that is not there is away."""
        with suppress(NothingThere):
            await self.ask(Command.CARD, commands.delete_card(number))

    async def battery(self) -> int:
        """Return the battery's percentage; Bluetooth's own battery service always says 100."""
        return commands.battery_of(await self.ask(Command.STATE, commands.STATE_WORD))

    async def prove(self) -> None:
        """Prove that the lock's admin is here."""
        answer = await self.ask(Command.CHECK_ADMIN, commands.check_admin(self._keys))
        await self.ask(Command.PROVE, commands.proof(commands.challenge_of(answer), self._keys))

    async def mind_clock(self, now: Callable[[], datetime]) -> ClockFinding:
        """Read the lock's clock, and set it where it is off."""
        skew = commands.clock_of(await self.ask(Command.READ_CLOCK)) - now()
        self.clock = ClockFinding(skew, was_set=False)
        if abs(skew) <= SET_ABOVE:
            return self.clock
        await self.ask(Command.SET_CLOCK, commands.set_clock(now()))
        rest = commands.clock_of(await self.ask(Command.READ_CLOCK)) - now()
        if abs(rest) > SET_ABOVE:
            raise DeviceRefused("the lock's clock does not keep what it is set to: change its batteries")
        self.clock = ClockFinding(skew, was_set=True)
        return self.clock

    async def leave(self) -> None:
        """Let go of the lock, in a time of its own."""
        with suppress(HardwareError, TimeoutError):
            async with asyncio.timeout(LEAVE_SECONDS):
                await self._events.close()

    def _noted(self, command: Command, data: bytes) -> bytes:
        if command in commands.TELL_BATTERY:
            with suppress(NoAnswer):
                self.percent = commands.battery_of(data)
        return data

    def _opened(self, frame: LockFrame) -> bytes:
        try:
            return decrypt(self._keys.aes, frame.data)
        except NoAnswer:
            # News may be in the clear or under another key; an answer to us never is.
            if frame.encrypted:
                raise
            return b""


async def told_to_nobody(_: LockReading) -> None:
    """Let go of what was read."""


class TtlockDoor:
    """One lock, by what leads to it."""

    def __init__(
        self, connect: Connect, keys: LockKeys, clock: Clock, zone: ZoneInfo, tell: Tell = told_to_nobody
    ) -> None:
        self._connect, self._keys, self._clock, self._zone = connect, keys, clock, zone
        self._tell, self._turn = tell, asyncio.Lock()

    async def visit(
        self, errand: Callable[[LockVisit], Awaitable[_T]], seconds: float = DEADLINE_SECONDS
    ) -> _T:
        """Do an errand at the lock, all of it before one deadline, or raise NoAnswer."""
        visit: LockVisit | None = None
        try:
            async with self._turn, asyncio.timeout(seconds):
                visit = LockVisit(await self._connect(), self._keys)
                try:
                    await visit.prove()
                    await visit.mind_clock(self._local)
                    return await errand(visit)
                finally:
                    # Shielded: a deadline that has passed must not leave the lock closed to others.
                    await asyncio.shield(visit.leave())
        except TimeoutError:
            if visit is None:
                raise LockNotHeard(
                    "the lock is not heard in time: wake it by a touch of its keypad"
                ) from None
            raise NoAnswer("the lock did not finish in time: is it awake and near?") from None
        finally:
            if visit is not None and visit.clock is not None:
                clock, now = visit.clock, self._clock.now()
                await self._tell(LockReading(now, clock.skew, clock.was_set, visit.percent))

    async def add_pin(self, pin: Secret[str], start: datetime, end: datetime, *, ours: bool = False) -> None:
        """Add a PIN for a window, in a visit of its own; `ours` is one of an attempt without an answer."""
        window = self.validity(start, end)
        await self.visit(lambda visit: visit.add_passcode(pin, window, ours=ours))

    async def remove_pin(self, pin: Secret[str]) -> None:
        """Take a PIN away, in a visit of its own; one that is not there is away."""
        await self.visit(lambda visit: visit.delete_passcode(pin))

    def validity(self, start: datetime, end: datetime) -> Validity:
        """Return a window on the lock's wall clock."""
        return Validity(*(at.astimezone(self._zone).replace(tzinfo=None) for at in (start, end)))

    def _local(self) -> datetime:
        return self._clock.now().astimezone(self._zone).replace(tzinfo=None)
