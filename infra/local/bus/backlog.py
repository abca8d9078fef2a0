"""What one subscription still has to deliver: a cursor over its rows, and in memory only the heads.

A row is read once, in the order of publishing, when the cursor passes it. Of an ordered key only its first
message is held; that more wait behind it is one number. So 100,000 waiting messages cost no memory, and a
restart reads no more than a page.
"""

import heapq
from collections import deque
from dataclasses import dataclass
from typing import Any

from infra.local.storage.engine import Engine

PAGE = 256
MOST_RESTING = 10_000
NEXT_PAGE = """SELECT seq, message, ordering_key, attempts, due FROM bus_delivery
    WHERE subscription = ? AND seq > ? ORDER BY seq LIMIT ?"""
NEXT_IN_LINE = """SELECT seq, message, ordering_key, attempts, due FROM bus_delivery
    WHERE subscription = ? AND ordering_key = ? AND ordering_key <> '' AND seq > ? AND seq <= ?
    ORDER BY seq LIMIT 1"""


@dataclass(slots=True)
class Delivery:
    """A message on its way to one subscription."""

    seq: int
    message: int
    ordering_key: str
    attempts: int
    due: int
    reason: str = "the process ended during the last attempt"
    settled: bool = False


class Backlog:
    """Hands out deliveries: those ready now in order, those resting when their time has come."""

    def __init__(self, engine: Engine, subscription: str, longest_wait: float) -> None:
        self._engine, self._subscription, self._longest_wait = engine, subscription, longest_wait
        self._cursor, self._behind = 0, True
        self._last_of_key: dict[str, int] = {}
        self._ready: deque[Delivery] = deque()
        self._resting: list[tuple[float, int, Delivery]] = []

    @property
    def idle(self) -> bool:
        """Whether nothing is ready and no row is unread."""
        return not self._ready and not self._behind

    @property
    def next_due(self) -> float | None:
        """When the first resting delivery is due, in loop time."""
        return self._resting[0][0] if self._resting else None

    def look_again(self) -> None:
        """Expect rows beyond the cursor."""
        self._behind = True

    def take(self, now: float, stored_now: int) -> Delivery | None:
        """Return the next delivery to push; None may also mean that another page is unread (see `unread`)."""
        while self._resting and self._resting[0][0] <= now:
            self._ready.append(heapq.heappop(self._resting)[2])
        if not self._ready and self.unread:
            self._read_page(now, stored_now)
        return self._ready.popleft() if self._ready else None

    @property
    def unread(self) -> bool:
        """Whether rows may lie beyond the cursor and there is room to hold their heads."""
        return self._behind and len(self._resting) < MOST_RESTING

    def rest(self, delivery: Delivery, until: float) -> None:
        """Hold a delivery back; its key waits with it."""
        heapq.heappush(self._resting, (until, delivery.seq, delivery))

    def finish(self, delivery: Delivery, now: float, stored_now: int) -> None:
        """Let the next of its key go on."""
        key, last = delivery.ordering_key, self._last_of_key.get(delivery.ordering_key)
        if last is None:
            return
        following = self._read(NEXT_IN_LINE, key, delivery.seq, last) if delivery.seq < last else []
        if following:
            self._admit(following[0], now, stored_now)
        else:
            del self._last_of_key[key]

    def _read_page(self, now: float, stored_now: int) -> None:
        page = self._read(NEXT_PAGE, self._cursor, PAGE)
        self._behind = len(page) == PAGE
        for delivery in page:
            self._cursor = delivery.seq
            if delivery.ordering_key in self._last_of_key:
                self._last_of_key[delivery.ordering_key] = delivery.seq
            else:
                self._begin(delivery, now, stored_now)

    def _begin(self, delivery: Delivery, now: float, stored_now: int) -> None:
        if delivery.ordering_key:
            self._last_of_key[delivery.ordering_key] = delivery.seq
        self._admit(delivery, now, stored_now)

    def _admit(self, delivery: Delivery, now: float, stored_now: int) -> None:
        if delivery.due > stored_now:
            # A due time further ahead was counted from a clock that has been set back since.
            self.rest(delivery, now + min((delivery.due - stored_now) / 1e6, self._longest_wait))
        else:
            self._ready.append(delivery)

    def _read(self, sql: str, *parameters: Any) -> list[Delivery]:
        return [Delivery(*row) for row in self._engine.read(sql, (self._subscription, *parameters))]
