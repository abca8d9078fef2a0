"""What a protocol asks of a wire: send bytes, receive some, and be told when it is gone."""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from edge_agent.hardware.errors import NoAnswer

Event = TypeVar("Event")
Event_co = TypeVar("Event_co", covariant=True)


class ByteLink(Protocol):
    """A stream of bytes to a device. Both methods raise LinkLost when the device is gone."""

    async def send(self, data: bytes) -> None:
        """Hand bytes to the wire."""

    async def receive(self) -> bytes:
        """Wait for at least one byte; giving up waiting loses none."""

    def discard(self) -> None:
        """Drop the bytes that came and were not received."""

    async def close(self) -> None:
        """Let go of the device."""


class FrameReader(Protocol[Event_co]):
    """A codec's receiving half: bytes in, events out, in pieces of any size."""

    def feed(self, data: bytes) -> Iterable[Event_co]:
        """Take what came and return what it completes."""

    def reset(self) -> None:
        """Forget what was begun."""


class EventLink(Generic[Event]):
    """A link seen as events: the bytes go through a reader, one event at a time comes out."""

    def __init__(self, link: ByteLink, reader: FrameReader[Event]) -> None:
        self._link, self._reader = link, reader
        self._waiting: list[Event] = []

    async def send(self, data: bytes) -> None:
        """Hand bytes to the wire."""
        await self._link.send(data)

    async def next(self, seconds: float) -> Event:
        """Return the next event, or raise NoAnswer in time."""
        # Once more without waiting: a busy machine may be late to look at what came in time.
        if not await self._came_within(seconds) and not await self._came_within(0):
            raise NoAnswer("no answer in time")
        return self._waiting.pop(0)

    async def _came_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self._waiting:
                    self._waiting.extend(self._reader.feed(await self._link.receive()))
        return bool(self._waiting)

    async def until(self, wanted: Callable[[Event], bool], seconds: float) -> Event:
        """Return the first event that is wanted; what comes before it is dropped."""
        try:
            async with asyncio.timeout(seconds):
                while not wanted(event := await self.next(seconds)):
                    pass
        except TimeoutError:
            raise NoAnswer("no fitting answer in time") from None
        return event

    def forget(self) -> None:
        """Drop what came and was not asked for."""
        self._link.discard()
        self._waiting.clear()
        self._reader.reset()

    async def hush(self, seconds: float) -> None:
        """Wait until the wire is silent for a while, and drop what came until then."""
        while True:
            try:
                await self.next(seconds)
            except NoAnswer:
                self.forget()
                return

    async def close(self) -> None:
        """Let go of the device."""
        await self._link.close()
