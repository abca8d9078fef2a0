"""Who is alive: a call of a function may die between any two of its lines, and all of them together."""

import asyncio
from collections.abc import Callable
from contextvars import ContextVar

from tests.chaos.small_world.weather import Weather


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
        elif fault in ("pause", "stall"):
            await asyncio.sleep(self._wait(fault))
        elif caller is not NOBODY:
            self.weather.note(caller.name, f"{fault}s")
            self._kill() if fault == "kill" else caller.die()
        if caller.dead:
            raise asyncio.CancelledError

    def _wait(self, fault: str) -> float:
        most = self.weather.climate.slow
        return self.weather.chance.uniform(0, most if fault == "stall" else most / 20)
