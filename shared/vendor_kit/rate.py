"""A vendor's rate limit: a bucket of calls, and when it is empty, those who take access away go first."""

import asyncio
from collections.abc import Iterator
from enum import IntEnum
from heapq import heappop, heappush
from itertools import count


class Urgency(IntEnum):
    """Who goes first: an open door outranks a missing key, and both outrank a look at the battery."""

    REVOKE = 0
    ISSUE = 1
    POLL = 2


class Throttled(Exception):
    """Too many calls are waiting already: nothing was sent."""


class RateLimit:
    """So many calls a minute, a few of them at once. It counts what this process sends and no other."""

    def __init__(self, per_minute: int, burst: int, patience: float) -> None:
        self._per_second, self._burst, self._patience = per_minute / 60, float(burst), patience
        self._tokens, self._at = float(burst), float("-inf")
        self._waiting: list[tuple[Urgency, int, asyncio.Future[None]]] = []
        self._numbers: Iterator[int] = count()
        self._timer: asyncio.TimerHandle | None = None

    async def turn(self, urgency: Urgency) -> None:
        """Return when a call may be made; raise Throttled when that takes longer than our patience."""
        place = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (urgency, next(self._numbers), place))
        self._let_go()
        try:
            async with asyncio.timeout(self._patience):
                await place
        except TimeoutError:
            raise Throttled("the vendor's rate limit is used up") from None

    def _let_go(self) -> None:
        self._fill()
        while self._waiting and self._tokens >= 1:
            *_, place = heappop(self._waiting)
            if not place.done():
                place.set_result(None)
                self._tokens -= 1
        self._set_timer()

    def _fill(self) -> None:
        now = asyncio.get_running_loop().time()
        if now > self._at:
            # Rounding must not leave a token a hair short for ever.
            gained = (now - self._at) * self._per_second + 1e-9
            self._tokens, self._at = min(self._burst, self._tokens + gained), now

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        wait = (1 - self._tokens) / self._per_second
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(wait, self._let_go) if self._waiting else None
