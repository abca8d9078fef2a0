"""Taking turns at what does one thing at a time, such as a gateway: in this process and among all of them."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from shared.domain.ids import TenantId
from shared.ports.ambient import Clock, Entropy
from shared.ports.leases import Lease, LeaseLost, Leases

HELD_FOR: Final = timedelta(seconds=30)
PATIENCE: Final = 40.0
"""Longer than a lease: who waits outlasts one who died holding it."""
LOOKS_EVERY: Final = (0.1, 0.3)
LONGEST_RUN: Final = PATIENCE / 4
"""For so long one process may follow itself before it lets the others look."""
PAUSE: Final = 2 * LOOKS_EVERY[1]


class TurnNotCome(Exception):
    """Somebody else's turn did not end, or ours was over before we were done."""


class Turn:
    """A turn that has come; it must be kept while it is used."""

    def __init__(self, leases: Leases, lease: Lease, clock: Clock) -> None:
        self._leases, self.lease, self._clock = leases, lease, clock

    @property
    def lasts(self) -> bool:
        """Whether it is not over yet."""
        return self.lease.expires_at > self._clock.now()

    async def keep(self, needed: float) -> None:
        """Make sure that the turn lasts for as many seconds more, or raise TurnNotCome."""
        if self.lease.expires_at - self._clock.now() > timedelta(seconds=needed):
            return
        try:
            self.lease = await self._leases.renew(self.lease, HELD_FOR)
        except LeaseLost:
            self.lease = replace(self.lease, expires_at=self._clock.now())
            raise TurnNotCome(f"the turn at {self.lease.name} was over too soon") from None


@dataclass(slots=True)
class _Queue:
    """Those of this process who want one thing, and the run of turns that they have had of it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    began: float = 0.0
    ended: float = float("-inf")

    def overlong(self, now: float) -> bool:
        """Say whether the others' time has come."""
        return now - self.began >= LONGEST_RUN

    async def give_way(self, now: float) -> None:
        """Begin a run, or let the others look: they ask now and then, while we would follow at once."""
        if now - self.ended < PAUSE:
            if not self.overlong(now):
                return
            await asyncio.sleep(PAUSE)
        self.began = asyncio.get_running_loop().time()


class Turns:
    """The turns of one tenant's things."""

    def __init__(self, leases: Leases, tenant: TenantId, clock: Clock, entropy: Entropy) -> None:
        self._leases, self._tenant, self._clock, self._entropy = leases, tenant, clock, entropy
        self._queues: dict[str, _Queue] = defaultdict(_Queue)

    @asynccontextmanager
    async def take(self, name: str, holder: str) -> AsyncIterator[Turn]:
        """Wait for the turn, hold it inside, and raise TurnNotCome when it does not come."""
        late = asyncio.get_running_loop().time() + PATIENCE
        async with self._queued(name, late):
            turn = Turn(self._leases, await self._acquired(name, holder, late), self._clock)
            try:
                yield turn
            finally:
                self._queues[name].ended = asyncio.get_running_loop().time()
                await self._leases.release(turn.lease)

    def overlong(self, name: str) -> bool:
        """Say whether this process has had the turn for so long that others may be waiting in vain."""
        return self._queues[name].overlong(asyncio.get_running_loop().time())

    @asynccontextmanager
    async def _queued(self, name: str, late: float) -> AsyncIterator[None]:
        # Within the process nobody needs to ask the store again and again.
        lock = self._queues[name].lock
        try:
            async with asyncio.timeout_at(late):
                await lock.acquire()
        except TimeoutError:
            raise TurnNotCome(f"{name} is busy") from None
        try:
            yield
        finally:
            lock.release()

    async def _acquired(self, name: str, holder: str, late: float) -> Lease:
        await self._queues[name].give_way(asyncio.get_running_loop().time())
        while (lease := await self._leases.acquire(self._tenant, name, holder, HELD_FOR)) is None:
            if asyncio.get_running_loop().time() >= late:
                raise TurnNotCome(f"{name} is busy")
            # Uneven, so that two who wait do not look at the same moments for ever.
            await asyncio.sleep(self._entropy.uniform(*LOOKS_EVERY))
        return lease
