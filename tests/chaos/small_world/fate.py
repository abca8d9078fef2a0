"""Who is alive: a call of a function may die between any two of its lines, and all of them together."""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar

from tests.chaos.small_world.weather import Weather

WAITS = {"pause": (0.0, 0.05), "stall": (0.0, 1.0), "freeze": (10.0, 80.0)}
"""For how long: a machine that freezes wakes before its function's time is over, or never again."""


class Life:
    """The time from one start of the fleet to its end."""

    __slots__ = ("over",)

    def __init__(self) -> None:
        self.over = False


class Invocation:
    """One call of a function, until it or its fleet is dead; what it left behind dies with either."""

    __slots__ = ("_dead", "_life", "name", "task")

    def __init__(self, name: str, life: Life | None = None) -> None:
        self.name, self._life, self._dead = name, life or Life(), False
        self.task: asyncio.Task[object] | None = None

    @property
    def dead(self) -> bool:
        """Whether nothing that it still tries to do may reach anything."""
        return self._dead or self._life.over

    def die(self) -> None:
        """End here."""
        self._dead = True
        if self.task is not None:
            self.task.cancel()


NOBODY = Invocation("nobody")
running: ContextVar[Invocation] = ContextVar("running", default=NOBODY)


class Air:
    """What every port call passes through, before and after it has its effect."""

    def __init__(self, weather: Weather, kill: Callable[[], None]) -> None:
        self.weather, self._kill = weather, kill

    async def passes(self, place: str) -> None:
        """Let a call through, perhaps late; or end its caller here."""
        caller = running.get()
        if caller.dead:
            raise asyncio.CancelledError
        self.weather.note(caller.name, place)
        fault = self.weather.passing()
        if fault is not None:
            await self._befall(caller, fault)

    async def _befall(self, caller: Invocation, fault: str) -> None:
        if fault == "yield":
            await asyncio.sleep(0)
        elif fault in WAITS:
            await asyncio.sleep(self.weather.chance.uniform(*WAITS[fault]) * self._pace(fault))
        elif caller is not NOBODY:
            self.weather.note(caller.name, f"{fault}s")
            self._kill() if fault == "kill" else caller.die()
        if caller.dead:
            raise asyncio.CancelledError

    def _pace(self, fault: str) -> float:
        return 1.0 if fault == "freeze" else self.weather.climate.slow
