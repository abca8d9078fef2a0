"""Nudges within one process: the embedded cloud is one, so whoever listens is here."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from shared.domain.ids import TenantId
from shared.ports.nudges import Bell, check_desk, check_wait


class LocalBell:
    """Remembers that it rang until somebody hears it."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Ring."""
        self._rung.set()

    async def heard(self, within: float) -> bool:
        """Wait until it rings, at most so many seconds."""
        check_wait(within)
        try:
            async with asyncio.timeout(within):
                await self._rung.wait()
        except TimeoutError:
            return False
        self._rung.clear()
        return True


class LocalNudges:
    """The bells of every desk that somebody listens for."""

    def __init__(self) -> None:
        self._bells: dict[tuple[str, str], list[LocalBell]] = {}

    async def ring(self, tenant: TenantId, desk: str) -> None:
        """Ring whoever listens there; nobody may."""
        check_desk(tenant, desk)
        for bell in self._bells.get((tenant, desk), ()):
            bell.ring()

    @asynccontextmanager
    async def listen(self, tenant: TenantId, desk: str) -> AsyncIterator[Bell]:
        """Listen for a while; when the last listener goes, nothing is kept of the desk."""
        check_desk(tenant, desk)
        bell, at = LocalBell(), (tenant, desk)
        self._bells.setdefault(at, []).append(bell)
        try:
            yield bell
        finally:
            self._bells[at].remove(bell)
            if not self._bells[at]:
                del self._bells[at]
