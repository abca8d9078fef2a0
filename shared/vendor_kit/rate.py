"""A vendor's rate limit: a bucket of calls, and when it is empty, those who take access away go first."""

import asyncio
from collections import deque
from collections.abc import Iterator
from enum import IntEnum
from heapq import heappop, heappush
from itertools import count

MINUTE = 60.0


class Urgency(IntEnum):
    """Who goes first: an open door outranks a missing key, and both outrank a look at the battery."""

    REVOKE = 0
    ISSUE = 1
    POLL = 2


class Throttled(Exception):
    """Too many calls are waiting already: nothing was sent."""


class RateLimit:
    """So many calls in any minute, a few of them at once. It counts what this process sends and no other."""

    def __init__(self, per_minute: int, burst: int, patience: float) -> None:
        self._per_second, self._burst, self._patience = per_minute / MINUTE, float(burst), patience
        self._per_minute, self._gone = per_minute, deque[float](maxlen=per_minute)
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
        now = asyncio.get_running_loop().time()
        self._fill(now)
        while self._waiting and self._tokens >= 1 and self._a_minute_ago() <= now:
            *_, place = heappop(self._waiting)
            if not place.done():
                place.set_result(None)
                self._tokens -= 1
                self._gone.append(now)
        self._set_timer(now)

    def _a_minute_ago(self) -> float:
        """Return when the call that went as many calls ago as may go in a minute is a minute old."""
        return self._gone[0] + MINUTE if len(self._gone) == self._per_minute else float("-inf")

    def _fill(self, now: float) -> None:
        if now > self._at:
            # Rounding must not leave a token a hair short for ever.
            gained = (now - self._at) * self._per_second + 1e-9
            self._tokens, self._at = min(self._burst, self._tokens + gained), now

    def _set_timer(self, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        at = max(now + (1 - self._tokens) / self._per_second, self._a_minute_ago())
        self._timer = asyncio.get_running_loop().call_at(at, self._let_go) if self._waiting else None
