"""What a process remembers of answers that change seldom: not for long, and not too much."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """Values by key, each for a while; the longest unread gives way to a new one."""

    def __init__(self, now: Callable[[], datetime], kept_for: timedelta, most: int = 256) -> None:
        self._now, self._kept_for, self._most = now, kept_for, most
        self._values: OrderedDict[K, tuple[datetime, V]] = OrderedDict()
        self._reading: dict[K, asyncio.Future[V]] = {}
        self.changes = 0

    def get(self, key: K) -> V | None:
        """Return what is remembered, or None."""
        until, value = self._values.get(key, (None, None))
        if until is None or self._now() >= until:
            return None
        self._values.move_to_end(key)
        return value

    def last(self, key: K) -> V | None:
        """Return what was remembered last, though its time may be over, or None."""
        return self._values.get(key, (None, None))[1]

    def put(self, key: K, value: V) -> None:
        """Remember a value from now on."""
        self._values[key] = (self._now() + self._kept_for, value)
        self._values.move_to_end(key)
        while len(self._values) > self._most:
            self._values.popitem(last=False)

    async def recall(self, key: K, read: Callable[[], Coroutine[Any, Any, V]]) -> V:
        """Return what is remembered, or read it: once, for all who ask meanwhile."""
        known = self.get(key)
        if known is not None:
            return known
        if key not in self._reading:
            reading = self._reading[key] = asyncio.ensure_future(self._read(key, read, self.changes))
            # Where everybody stopped waiting, nobody is left to hear that it failed.
            reading.add_done_callback(lambda done: done.cancelled() or done.exception())
        # Whoever stops waiting does not stop the others.
        return await asyncio.shield(self._reading[key])

    async def _read(self, key: K, read: Callable[[], Coroutine[Any, Any, V]], changes: int) -> V:
        try:
            value = await read()
        finally:
            del self._reading[key]
        if changes == self.changes:
            self.put(key, value)
        return value

    def forget(self, of: Callable[[K], bool]) -> None:
        """Forget the keys that something changed for."""
        self.changes += 1
        for key in [key for key in self._values if of(key)]:
            del self._values[key]
