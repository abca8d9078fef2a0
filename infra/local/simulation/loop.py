"""An event loop without a machine: virtual time, a seeded order of what is ready, no sockets, no threads."""

import asyncio
import random
import selectors
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

T = TypeVar("T")
BEGINNING = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


class NothingLeftToDo(RuntimeError):
    """Everything waits and no timer is set: the program would hang for ever."""


class _SeededReady(deque[Any]):
    """The loop's ready queue, which gives out its entries in a seeded order."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self._chance = chance

    def popleft(self) -> Any:
        """Take any entry."""
        if len(self) > 1:
            self.rotate(-self._chance.randrange(len(self)))
        return super().popleft()


class _TimeJumper(selectors.BaseSelector):
    """A selector with nothing to select from: waiting is moving the clock."""

    def __init__(self, jump: Callable[[float], None]) -> None:
        self._jump, self._keys = jump, dict[int, selectors.SelectorKey]()

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        """Remember the loop's own wake-up pipe; it is never used."""
        key = selectors.SelectorKey(fileobj, int(fileobj), events, data)
        self._keys[key.fd] = key
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        """Forget it."""
        return self._keys.pop(int(fileobj))

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Move the clock to the next timer."""
        if timeout is None:
            raise NothingLeftToDo("everything waits and no timer is set")
        if timeout > 0:
            self._jump(timeout)
        return []

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        """Return what is registered."""
        return self._keys


class VirtualLoop(asyncio.SelectorEventLoop):
    """Runs coroutines in virtual time; with a seed, in a repeatable but arbitrary order."""

    def __init__(self, seed: int | None = None) -> None:
        self._elapsed = 0.0
        super().__init__(_TimeJumper(self._jump))
        self._clock_resolution = 1e-6  # the machine's own is lost in rounding after half a virtual year
        if seed is not None:
            self._ready = _SeededReady(random.Random(seed))  # noqa: S311 - repeatable on purpose

    def _jump(self, seconds: float) -> None:
        self._elapsed += seconds

    def time(self) -> float:
        """Return virtual seconds since the beginning."""
        return self._elapsed


class VirtualClock:
    """The clock of a virtual loop."""

    def __init__(self, loop: VirtualLoop, beginning: datetime = BEGINNING) -> None:
        self._loop, self._beginning = loop, beginning
        self._told = 0.0, beginning, beginning

    def now(self) -> datetime:
        """Return the virtual instant, which is asked for many times before it goes by."""
        at, beginning, now = self._told
        if at != self._loop.time() or beginning is not self._beginning:  # as where a clock is set
            at, beginning = self._loop.time(), self._beginning
            now = beginning + timedelta(seconds=at)
            self._told = at, beginning, now
        return now


def run_virtually(main: Callable[[VirtualClock], Coroutine[Any, Any, T]], seed: int | None = None) -> T:
    """Run a coroutine function, given the clock, to its end in virtual time."""
    loop = VirtualLoop(seed)
    try:
        return loop.run_until_complete(main(VirtualClock(loop)))
    finally:
        loop.run_until_complete(_cancel_rest())
        loop.close()


async def _cancel_rest() -> None:
    rest = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
