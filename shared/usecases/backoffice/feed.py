"""What open desktops are told at once: one feed of each hotel, one of each operator, the last of it kept.

An entry is a word and an id, never what it is about: whoever hears it looks. Its number is given in the
commit that has its cause, so that a desktop which comes back with the last number it saw misses nothing of a
day, and sees nothing twice. Whoever was away for longer, or whose numbers are not ours, is told `resync` and
looks at everything anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final

from shared.domain.instants import Moment
from shared.domain.stored import Stored
from shared.ledger.reading import read_record
from shared.ports.documents import Ref, TenantDocuments
from shared.streams.record import Record

FEEDS: Final = "backoffice_feeds"
MOST_KEPT: Final = 200
KEPT_FOR: Final = timedelta(hours=24)
RESYNC: Final = "resync"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was told: which number it has, what happened, and to what."""

    number: int
    word: str
    about: str
    at: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed(Record):
    """What was told of late to whoever listens at one place."""

    schema_version: ClassVar[int] = 1

    place: str
    last: int = 0
    entries: Annotated[tuple[Entry, ...], Stored(rows=True)] = ()

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return ref_of(self.place)

    def told(self, word: str, about: str, now: datetime) -> "Feed":
        """Return it with one thing more."""
        entry = Entry(number=self.last + 1, word=word, about=about, at=now)
        fresh = [each for each in self.entries if now < each.at + KEPT_FOR]
        return replace(self, last=entry.number, entries=(*fresh, entry)[-MOST_KEPT:])

    def after(self, number: int, now: datetime) -> Sequence[Entry] | None:
        """Return what was told after a number, or None where that cannot be said any more."""
        if number == self.last:
            return ()
        kept = [each for each in self.entries if now < each.at + KEPT_FOR]
        first = kept[0].number if kept else self.last + 1
        if not first - 1 <= number <= self.last:
            return None
        return [each for each in kept if each.number > number]


def ref_of(place: str) -> Ref:
    """Return where the feed of a hotel or an operator is kept."""
    return Ref(FEEDS, place)


async def feed_of(place: str, store: TenantDocuments) -> Feed:
    """Return the feed of a hotel or an operator."""
    found = await store.get(ref_of(place))
    return Feed(place=place) if found is None else read_record(Feed, found)
