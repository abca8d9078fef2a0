"""A line of those in this process who want the same: whoever is first is woken, the others sleep."""

import asyncio
import contextlib
from dataclasses import dataclass, field

from shared.ports.ambient import Clock
from shared.vendor_kit.calm.urgency import Place, first_of


@dataclass(slots=True, eq=False)
class Waiting:
    """Somebody in the line; `look` is set when they should look where they stand."""

    place: Place
    look: asyncio.Event = field(default_factory=asyncio.Event)

    async def sleep(self, seconds: float | None = None) -> None:
        """Sleep until woken, or for so long."""
        self.look.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.look.wait()


class WaitingLine:
    """Those who wait."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self._waiting = clock, list[Waiting]()
        self.turn = 1
        """The number of the next turn."""

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def first(self) -> Waiting | None:
        """Return whose turn is next."""
        return first_of(self._waiting, self.turn, self._clock.now())

    def before(self, mine: Waiting) -> int:
        """Return how many go before somebody."""
        return sum(each.place < mine.place for each in self._waiting)

    def join(self, place: Place) -> Waiting:
        """Stand in the line."""
        mine = Waiting(place)
        before = self.first
        self._waiting.append(mine)
        if before is not None and self.first is mine:
            before.look.set()  # no longer first: whatever they sleep for is ours
        return mine

    def leave(self, mine: Waiting) -> None:
        """Stand in the line no longer, and wake whoever is first now."""
        self._waiting.remove(mine)
        self.wake()

    def wake(self) -> None:
        """Let whoever is first look."""
        if (first := self.first) is not None:
            first.look.set()
