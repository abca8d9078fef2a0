"""A page of several widgets, each read in its own time: one that is slow or broken never holds the page.

| a widget                                       | is shown                     | counts as |
|------------------------------------------------|------------------------------|-----------|
| was read of the present epoch within 30 s      | as it was read               | cached    |
| comes within its deadline                      | fresh                        | composed  |
| comes later, or not, and was read before       | as it was then, with its age | composed  |
| comes later, or not, and was never read        | not                          | missing   |

What came late is kept for the next who asks. Two who ask at once are answered by one reading. The epoch is
read before the data, so that what was read before a change is never taken for what came after it.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from shared.kernel.log import Log
from shared.ports.ambient import Clock

FRESH_FOR: Final = timedelta(seconds=30)
WIDGET_SECONDS: Final = 0.25
MOST_KEPT: Final = 2000
Read = Callable[[], Awaitable[Any]]
Place = tuple[str, str, str]
"""Tenant, property and widget."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One widget: what was read, and when."""

    data: Any = field(repr=False)
    epoch: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Composed:
    """A page: its widgets by name, those that are missing, and whether all came from what was kept."""

    widgets: Mapping[str, Shown]
    missing: tuple[str, ...]
    cached: bool

    @property
    def mode(self) -> str:
        """How it was rendered, in C's words."""
        return "cached" if self.cached else "composed"


@dataclass(slots=True)
class Boards:
    """What one instance has read of late, for all who look."""

    clock: Clock
    log: Log
    patience: float = WIDGET_SECONDS
    _kept: "OrderedDict[Place, Shown]" = field(default_factory=OrderedDict)
    _flights: dict[tuple[Place, int], "asyncio.Task[None]"] = field(default_factory=dict)

    async def compose(self, tenant: str, house: str, epoch: int, reads: Mapping[str, Read]) -> Composed:
        """Return a page, as far as it can be had in time."""
        places = {name: (tenant, house, name) for name in reads}
        wanted = [name for name, place in places.items() if not self._is_fresh(place, epoch)]
        flights = [self._flight(places[name], epoch, reads[name]) for name in wanted]
        if flights:
            await asyncio.wait(flights, timeout=self.patience)
        shown = {name: self._kept[place] for name, place in places.items() if place in self._kept}
        missing = tuple(sorted(reads.keys() - shown.keys()))
        return Composed(shown, missing, cached=not wanted)

    def forget(self) -> None:
        """Take nothing that was read before for what is so."""
        self._kept.clear()

    def _is_fresh(self, place: Place, epoch: int) -> bool:
        kept = self._kept.get(place)
        return kept is not None and kept.epoch == epoch and self.clock.now() < kept.at + FRESH_FOR

    def _flight(self, place: Place, epoch: int, read: Read) -> "asyncio.Task[None]":
        key = (place, epoch)
        if key not in self._flights:
            flight = self._flights[key] = asyncio.ensure_future(self._read(place, epoch, read))
            flight.add_done_callback(lambda _: self._flights.pop(key, None))
        return self._flights[key]

    async def _read(self, place: Place, epoch: int, read: Read) -> None:
        at = self.clock.now()
        try:
            data = await read()
        except Exception as error:  # noqa: BLE001 - one broken widget must not break the page
            self.log.failure("a widget could not be read", error, widget=place[2])
            return
        kept = self._kept.get(place)
        if kept is None or kept.epoch <= epoch:
            self._kept[place] = Shown(data, epoch, at)
            self._kept.move_to_end(place)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
