"""A vendor's rate limit: this process's line for the blocks that it takes of it, the urgent first."""

import asyncio
from collections import deque
from typing import Final, Protocol

from shared.ports.ambient import Clock
from shared.vendor_kit.calm.allowance import Block, Granted, Wish
from shared.vendor_kit.calm.blocks import Blocks, InHand, Taken
from shared.vendor_kit.calm.urgency import Urgency, place_now
from shared.vendor_kit.calm.waiting import Waiting, WaitingLine

__all__ = ["NO_LIMIT", "Rate", "RateLimit", "Throttled", "Urgency"]


class Throttled(Exception):
    """Too many of our own calls are waiting already: nothing was sent."""


class Rate(Protocol):
    """Lets calls go when they may."""

    async def turn(self, urgency: Urgency) -> None:
        """Return when a call may be made; raise Throttled when that takes longer than our patience."""


class _NoLimit:
    """The rate of a vendor who counts nothing."""

    async def turn(self, urgency: Urgency) -> None:
        """Return."""


NO_LIMIT: Final[Rate] = _NoLimit()


class _Spending:
    """The calls in hand that are not made yet, by the loop's time in seconds."""

    def __init__(self, taken: InHand) -> None:
        self._taken, self._late = taken, taken.late / 1000
        self._moments = deque(map(taken.here, taken.granted.moments))
        self._spare = taken.granted.spare
        self._spent, self._spent_last = 0, 0.0

    def spend(self, now: float) -> bool:
        """Make one of the calls, if any may be made now."""
        self._drop(now)
        if self._moments and self._moments[0] <= now:
            self._moments.popleft()
        elif self._has_spare(now):
            self._spent, self._spent_last = self._spent + 1, now
        else:
            return False
        return True

    def next_in(self, now: float) -> float | None:
        """Return for how long no call can be made; None if there is none left."""
        self._drop(now)
        if self._has_spare(now):
            return 0.0
        return max(0.0, self._moments[0] - now) if self._moments else None

    @property
    def over(self) -> tuple[Block, Block] | None:
        """Return the spare calls as they were taken and as they were spent: the rest is given back."""
        spare = self._spare
        return None if spare is None else (spare, Block(self._spent, self._taken.shared(self._spent_last)))

    def _drop(self, now: float) -> None:
        while self._moments and self._moments[0] + self._late <= now:
            self._moments.popleft()

    def _has_spare(self, now: float) -> bool:
        spare = self._spare
        return spare is not None and self._spent < spare.calls and now < self._taken.here(spare.until)


class RateLimit:
    """So many calls in any period. Whoever is first in the line takes the next block, as much as all want."""

    def __init__(self, blocks: Blocks, patience: float, clock: Clock) -> None:
        self._blocks, self._patience, self._clock = blocks, patience, clock
        self._line, self._spending = WaitingLine(clock), _Spending(InHand(Granted(()), 0.0))
        self._taking: asyncio.Future[Taken] | None = None

    async def turn(self, urgency: Urgency) -> None:
        """Return when a call may be made; raise Throttled when that takes longer than our patience."""
        mine = self._line.join(place_now(urgency, self._clock.now()))
        try:
            async with asyncio.timeout(self._patience):
                await self._come(mine)
            self._line.turn += 1
        except TimeoutError:
            raise Throttled("the vendor's rate limit is used up") from None
        finally:
            self._line.leave(mine)

    async def _come(self, mine: Waiting) -> None:
        joined = _now()
        while not (first := self._line.first is mine) or not self._spend():
            if not first:
                await mine.sleep()
            elif (wait := self._next_in()) is not None:
                await mine.sleep(wait)
            else:
                await self._take(mine, (_now() - joined) * 1000)

    def _spend(self) -> bool:
        return self._spending.spend(_now())

    def _next_in(self) -> float | None:
        return self._spending.next_in(_now())

    async def _take(self, mine: Waiting, waited: float) -> None:
        if self._taking is None:
            wish = Wish(len(self._line), mine.place.urgency, waited, over=self._spending.over)
            self._taking = asyncio.ensure_future(self._blocks.take(wish))
            self._taking.add_done_callback(self._taken)
        taking = self._taking
        # Whoever stops waiting leaves what they have asked for to the others.
        await asyncio.wait({taking})
        wait = None if taking.cancelled() else taking.result()
        if isinstance(wait, float) and self._line.first is mine:
            await mine.sleep(wait)

    def _taken(self, taking: asyncio.Future[Taken]) -> None:
        self._taking = None
        if not taking.cancelled() and isinstance(taken := taking.result(), InHand):
            self._spending = _Spending(taken)
        self._line.wake()


def _now() -> float:
    return asyncio.get_running_loop().time()
