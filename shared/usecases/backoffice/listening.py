"""Open desktops of one instance, fed from what is kept: one reader of each feed, however many listen.

| who       | holds                                                   | so that                            |
|-----------|---------------------------------------------------------|------------------------------------|
| the feed  | its last two hundred entries, in the store              | all instances tell the same        |
| a reader  | the feed as it read it last: after each ring, and every | a lost ring costs five seconds,    |
|           | five seconds without one                                | and no entry                       |
| a desktop | three numbers, and an event that wakes it               | one that is slow buffers nothing:  |
|           |                                                         | too late, it hears `resync`        |
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

import orjson

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.kernel.log import Log
from shared.ports.ambient import Clock, Entropy
from shared.ports.documents import DocumentStore, TenantDocuments
from shared.ports.nudges import Nudges
from shared.usecases.backoffice.feed import RESYNC, Feed, feed_of
from shared.usecases.backoffice.hear import EVERY_HOUSE, FORCE_LOGOUT
from shared.usecases.backoffice.sessions import Session, session_from

LOOKED_EVERY: Final = 5.0
PING_EVERY: Final = 15.0
CHECKED_EVERY: Final = timedelta(minutes=1)
LASTS: Final = timedelta(minutes=14)
JITTER_SECONDS: Final = 60.0
BYE: Final = "bye"
_RETRY: Final = b"retry: 2000\n\n"
_PING: Final = b": ping\n\n"
_DIGITS: Final = 15


def bell_of(place: str) -> str:
    """Return the bell that is rung when a feed has something new."""
    return f"feed-{place}"


@dataclass(slots=True)
class _Reader:
    """One feed as this instance knows it, and who waits for more."""

    feed: Feed
    waiting: set[asyncio.Event] = field(default_factory=set)
    task: "asyncio.Task[None] | None" = None


@dataclass(slots=True)
class Listeners:
    """All readers of one instance."""

    documents: DocumentStore
    nudges: Nudges
    log: Log
    _readers: dict[tuple[TenantId, str], _Reader] = field(default_factory=dict)

    @asynccontextmanager
    async def at(self, tenant: TenantId, place: str, woken: asyncio.Event) -> AsyncIterator[_Reader]:
        """Listen to a feed for a while; the last who leaves ends its reader."""
        key = (tenant, place)
        reader = self._readers.get(key)
        if reader is None:
            reader = self._readers[key] = _Reader(Feed(place=place))
            reader.task = asyncio.ensure_future(self._follow(self.documents.tenant(tenant), place, reader))
        reader.waiting.add(woken)
        try:
            yield reader
        finally:
            reader.waiting.discard(woken)
            if not reader.waiting and self._readers.get(key) is reader:
                del self._readers[key]
                if reader.task is not None:
                    reader.task.cancel()

    async def _follow(self, store: TenantDocuments, place: str, reader: _Reader) -> None:
        async with self.nudges.listen(store.tenant, bell_of(place)) as bell:
            while True:
                try:
                    await self._look(store, place, reader)
                except Exception as error:  # noqa: BLE001 - the next look comes in five seconds
                    self.log.failure("a feed could not be read", error, place=place)
                await bell.heard(LOOKED_EVERY)

    async def _look(self, store: TenantDocuments, place: str, reader: _Reader) -> None:
        feed = await feed_of(place, store)
        if feed.last != reader.feed.last:
            reader.feed = feed
            for woken in reader.waiting:
                woken.set()


@dataclass(frozen=True, slots=True)
class Heard:
    """How far a desktop has heard each of its three feeds: its operator's, its hotel's, and everybody's."""

    operator: int
    house: int
    everywhere: int

    @classmethod
    def read(cls, text: str) -> "Heard":
        """Read it as the desktop gives it back, in Last-Event-ID."""
        parts = text.split(".")
        if len(parts) != 3 or not all(each.isdecimal() and len(each) <= _DIGITS for each in parts):
            raise InvalidInput("Last-Event-ID", "not one of ours", "Send it as it came, or leave it out")
        return cls(*map(int, parts))

    def __str__(self) -> str:
        return f"{self.operator}.{self.house}.{self.everywhere}"


@dataclass(frozen=True, slots=True)
class Stream:
    """One desktop's stream: who listens, where, and how it is known that they still may."""

    session: Session
    house: PropertyId
    store: TenantDocuments
    listeners: Listeners
    clock: Clock
    entropy: Entropy

    async def events(self, since: Heard | None) -> AsyncIterator[bytes]:
        """Yield what is told from now on, or after what was heard last, until the desktop is to come anew."""
        yield _RETRY
        heard = since or await self._present()
        ends = self.clock.now() + LASTS + timedelta(seconds=self.entropy.uniform(0, JITTER_SECONDS))
        woken, tenant = asyncio.Event(), self.store.tenant
        at = self.listeners.at
        async with (
            at(tenant, self.session.operator, woken) as operator,
            at(tenant, self.house, woken) as house,
            at(tenant, EVERY_HOUSE, woken) as everywhere,
        ):
            ear = _Ear({"operator": operator, "house": house, "everywhere": everywhere}, heard, self.session)
            await self._catch_up(ear)
            async for said in self._spoken(ear, woken, ends):
                yield said
        if not ear.is_over():
            yield ear.says(BYE, "")

    async def _present(self) -> Heard:
        places = (self.session.operator, self.house, EVERY_HOUSE)
        return Heard(*[(await feed_of(place, self.store)).last for place in places])

    async def _catch_up(self, ear: "_Ear") -> None:
        """Read each feed once: what a reader knows may be older than what was heard elsewhere."""
        for reader in ear.readers.values():
            feed = await feed_of(reader.feed.place, self.store)
            if feed.last > reader.feed.last:
                reader.feed = feed

    async def _spoken(self, ear: "_Ear", woken: asyncio.Event, ends: datetime) -> AsyncIterator[bytes]:
        checked = self.clock.now()
        while self.clock.now() < ends and not ear.is_over():
            woken.clear()
            for said in ear.news(self.clock.now()):
                yield said
            if self.clock.now() >= checked + CHECKED_EVERY:
                checked = self.clock.now()
                if not await self._still_open():
                    yield ear.says(FORCE_LOGOUT, self.session.id)
            if not ear.is_over() and not await _woken(woken):
                yield _PING

    async def _still_open(self) -> bool:
        found = await self.store.get(self.session.ref)
        return found is not None and session_from(found).is_open(self.clock.now())


@dataclass(slots=True)
class _Ear:
    """What one desktop has heard, and whether it is to hear more."""

    readers: Mapping[str, _Reader]
    heard: Heard
    session: Session
    over: bool = False

    def is_over(self) -> bool:
        """Say whether it has been told to leave."""
        return self.over

    def news(self, now: datetime) -> Iterator[bytes]:
        """Yield what each feed has told since, as the desktop is to hear it."""
        for name, reader in self.readers.items():
            entries = reader.feed.after(getattr(self.heard, name), now)
            if entries is None:
                self.heard = replace(self.heard, **{name: reader.feed.last})
                yield self.says(RESYNC, "")
            for entry in entries or ():
                self.heard = replace(self.heard, **{name: entry.number})
                if entry.word != FORCE_LOGOUT or entry.about == self.session.id:
                    yield self.says(entry.word, entry.about)

    def says(self, word: str, about: str) -> bytes:
        """Return an event on the wire; after a logout there is no other."""
        self.over = self.over or word == FORCE_LOGOUT
        data = orjson.dumps({"about": about} if about else {})
        return b"id: %s\nevent: %s\ndata: %s\n\n" % (str(self.heard).encode(), word.encode(), data)


async def _woken(woken: asyncio.Event) -> bool:
    try:
        async with asyncio.timeout(PING_EVERY):
            await woken.wait()
    except TimeoutError:
        return False
    return True
