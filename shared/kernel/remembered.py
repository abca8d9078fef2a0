"""What a process remembers of answers that change seldom: not for long, and not too much."""

from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """Values by key, each for a while; the longest unread gives way to a new one."""

    def __init__(self, now: Callable[[], datetime], kept_for: timedelta, most: int = 256) -> None:
        self._now, self._kept_for, self._most = now, kept_for, most
        self._values: OrderedDict[K, tuple[datetime, V]] = OrderedDict()
        self.changes = 0

    def get(self, key: K) -> V | None:
        """Return what is remembered, or None."""
        until, value = self._values.get(key, (None, None))
        if until is None or self._now() >= until:
            return None
        self._values.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Remember a value from now on."""
        self._values[key] = (self._now() + self._kept_for, value)
        self._values.move_to_end(key)
        while len(self._values) > self._most:
            self._values.popitem(last=False)

    def forget(self, of: Callable[[K], bool]) -> None:
        """Forget the keys that something changed for."""
        self.changes += 1
        for key in [key for key in self._values if of(key)]:
            del self._values[key]
