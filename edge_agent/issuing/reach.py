"""Whether the cloud can be reached, decided before a guest notices (A §9.1): in 800 ms at most."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from shared.ports.ambient import Clock

PROBE_SECONDS: Final = 0.8
HEARTBEAT: Final = timedelta(seconds=30)
Probe = Callable[[], Awaitable[object]]
"""Asks the cloud for a sign of life; any error is none."""


@dataclass
class CloudReach:
    """What a desk knows of its line: when it last heard from the cloud, and how to ask."""

    probe: Probe
    clock: Clock
    heard_at: datetime | None = None

    def heard(self) -> None:
        """Note a sign of life."""
        self.heard_at = self.clock.now()

    @property
    def lately(self) -> bool:
        """Say whether the cloud was heard within a heartbeat; a clock that was set knows nothing."""
        return self.heard_at is not None and abs(self.clock.now() - self.heard_at) <= HEARTBEAT

    async def offline(self) -> bool:
        """Say whether the cloud is out of reach: silent for 30 seconds, or for 0.8 when asked."""
        if not self.lately:
            return True
        return not await self.ask()

    async def ask(self) -> bool:
        """Ask for a sign of life, as the heartbeat does; say whether one came in time."""
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await self.probe()
        except (OSError, TimeoutError):
            return False
        self.heard()
        return True
