"""TTLock with a tight limit for all processes of an application together, and a vendor that counts."""

import asyncio
from collections import deque

from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.guard import GuardPolicy
from tests.chaos.small_world.ttlock import TTLockDoors

CALLS, SECONDS = 20, 60.0
GRACE = 0.1
"""So many more, in parts, may come at once: a process may freeze between its turn and its call."""


class StrictTTLockDoors(TTLockDoors):
    """The same doors, called by two processes at least."""

    policy = GuardPolicy(limit=Limit(calls=CALLS, seconds=SECONDS))
    workers = 2

    def __init__(self, air, clock, spawn):
        super().__init__(air, clock, spawn)
        self._called, self.most = deque(), 0

    async def send(self, call):
        """Count a call as it leaves, and answer it."""
        now = asyncio.get_running_loop().time()
        self._called.append(now)
        while self._called[0] <= now - SECONDS:
            self._called.popleft()
        self.most = max(self.most, len(self._called))
        return await super().send(call)

    @property
    def protests(self):
        """What the vendor complains of."""
        if self.most <= CALLS * (1 + GRACE):
            return []
        return [f"{self.most} calls in {SECONDS:.0f} seconds, and {CALLS} are allowed"]
