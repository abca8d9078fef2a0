"""Who goes first in every line before a vendor, and how it is told to whoever keeps the line.

| who                                     | goes                                                            |
|-----------------------------------------|-----------------------------------------------------------------|
| REVOKE: what shuts a door               | before everybody                                                |
| DOOR: a guest who may stand before one  | before all other keys, in the order of their coming             |
| ISSUE: any other key                    | by its guest's arrival                                          |
| POLL: a look at a battery               | last                                                            |
| many keys that go at once (`in_bulk`)   | before keys that are not needed yet                             |
| whoever waited over ten minutes         | each fourth turn, the longest first; never before the first two |

Decisions 0048 and 0068.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from typing import Final, Protocol, TypeVar

AT_THE_DOOR: Final = timedelta(minutes=15)
"""So long before a stay its guest may be there."""
AGED: Final = timedelta(minutes=10)
TURN_OF_THE_AGED: Final = 4
LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Urgency(IntEnum):
    """How soon: an open door outranks a missing key, and both outrank a look at the battery."""

    REVOKE = 0
    DOOR = 1
    BULK = 2
    """Many keys go at once: hours of a limit, for which nobody at a door waits."""
    ISSUE = 3
    POLL = 4


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in a line: places compare as they go, but for those who waited too long already."""

    urgency: Urgency
    arrives: datetime
    since: datetime

    @classmethod
    def at(cls, urgency: Urgency, since: datetime, arrives: datetime | None = None) -> "Place":
        """Return the place of somebody; only keys that are not needed yet go by their guests' arrivals."""
        near = arrives is not None and arrives <= since + AT_THE_DOOR
        if urgency is Urgency.ISSUE and near:
            urgency = Urgency.DOOR
        by_arrival = urgency is Urgency.ISSUE and arrives is not None
        return cls(urgency, arrives if by_arrival and arrives else LONG_AGO, since)

    def aged(self, now: datetime) -> bool:
        """Say whether whoever has it waited for longer than anybody should."""
        return now - self.since >= AGED


class HasPlace(Protocol):
    """Whoever stands in a line."""

    @property
    def place(self) -> Place:
        """Return where."""


W = TypeVar("W", bound=HasPlace)


def first_of(waiting: Iterable[W], turn: int, now: datetime) -> W | None:
    """Return whose turn it is, if anybody's."""
    everybody = list(waiting)
    first = min(everybody, key=_place, default=None)
    if first is None or first.place.urgency <= Urgency.DOOR or turn % TURN_OF_THE_AGED:
        return first
    aged = (each for each in everybody if each.place.aged(now))
    return min(aged, key=_since, default=first)


def _place(who: HasPlace) -> Place:
    return who.place


def _since(who: HasPlace) -> datetime:
    return who.place.since


@dataclass(frozen=True, slots=True)
class Hurry:
    """What is known of the work being done: how urgent it is, for whose arrival, since when it waits."""

    urgency: Urgency | None = None
    arrives: datetime | None = None
    since: datetime | None = None

    def place(self, urgency: Urgency, now: datetime) -> Place:
        """Return the place of a call of this work: it is as urgent as itself, or as the work."""
        most = urgency if self.urgency is None else min(urgency, self.urgency)
        placed = Place.at(most, now, self.arrives)
        return placed if self.since is None else replace(placed, since=min(self.since, now))


NO_HURRY: Final = Hurry()
_HURRY: Final[ContextVar[Hurry]] = ContextVar("hurry", default=NO_HURRY)


@contextmanager
def hurrying(hurry: Hurry) -> Iterator[None]:
    """Let everything that is asked inside stand in its lines by this; the innermost who says so counts."""
    outer = _HURRY.get()
    inner = Hurry(
        outer.urgency if hurry.urgency is None else hurry.urgency,
        hurry.arrives or outer.arrives,
        hurry.since or outer.since,
    )
    token = _HURRY.set(inner)
    try:
        yield
    finally:
        _HURRY.reset(token)


_BULK: Final[ContextVar[bool]] = ContextVar("bulk", default=False)


@contextmanager
def in_bulk() -> Iterator[None]:
    """Let everything inside go before what is not needed yet, and after what is urgent by itself.

    Ten thousand keys that go are hours of a vendor's limit: whoever lost one key, or arrives, does not wait.
    """
    token = _BULK.set(True)
    try:
        yield
    finally:
        _BULK.reset(token)


def is_in_bulk() -> bool:
    """Say whether what is done now is one of many that go at once."""
    return _BULK.get()


def place_now(urgency: Urgency, now: datetime) -> Place:
    """Return the place that the work being done has in a line."""
    if _BULK.get():
        return Place(max(urgency, Urgency.BULK), LONG_AGO, now)
    return _HURRY.get().place(urgency, now)
