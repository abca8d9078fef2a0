"""How long the cloud and the air take; nothing, unless somebody says so."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random

Span = tuple[float, float]
NONE: Span = (0, 0)


@dataclass(frozen=True, slots=True)
class LatencyProfile:
    """Shortest and longest time of a request at the cloud, and of an operation over a gateway, in ms."""

    cloud_ms: Span = NONE
    gateway_ms: Span = NONE

    def __post_init__(self) -> None:
        for shortest, longest in (self.cloud_ms, self.gateway_ms):
            if not 0 <= shortest <= longest:
                raise ValueError("a span is [shortest, longest] in ms, neither negative")


class Latency:
    """Waits through the injected sleep, for seeded times."""

    def __init__(self, sleep: Callable[[float], Awaitable[None]], chance: Random) -> None:
        self.sleep, self._chance = sleep, chance
        self.profile = LatencyProfile()

    async def at_the_cloud(self) -> None:
        """Take the time of a request."""
        await self._wait(self.profile.cloud_ms)

    async def over_the_air(self) -> None:
        """Take the time of a gateway's operation."""
        await self._wait(self.profile.gateway_ms)

    async def _wait(self, span: Span) -> None:
        if span[1]:
            await self.sleep(self._chance.uniform(*span) / 1000)
