"""Taking turns at what does one thing at a time, such as a gateway: in this process and among all of them.

1. Within a process whoever is first in the line asks the store for the turn, for whoever is first by then.
2. Where another process has it, or is to have it first, ours stands in the line that is written beside it.
3. Who gives a turn back finds out by that write whether anybody waits elsewhere: nobody asks for nothing.
4. Who waited in vain and comes again stands where they stood: for the longest here, or as their work says.

Who goes first is `calm.urgency`'s to say; decision 0048.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.ids import TenantId
from shared.ports.ambient import Clock, Entropy
from shared.ports.leases import Lease, LeaseLost, Leases, Waiter
from shared.vendor_kit.calm.urgency import Place, Urgency, place_now
from shared.vendor_kit.calm.waiting import Waiting, WaitingLine

HELD_FOR: Final = timedelta(seconds=30)
PATIENCE: Final = 40.0
"""Longer than a lease: who waits outlasts one who died holding it."""
LOOKS_EVERY: Final = {True: (0.4, 0.6), False: (0.8, 1.6)}
"""How often the store is asked again for somebody urgent, and for anybody else."""
LONGEST_RUN: Final = PATIENCE / 4
"""For so long a visit keeps its turn, or a process follows itself, while others wait."""
FOLLOWS_WITHIN: Final = 0.3
LOOKED_FOR: Final = timedelta(seconds=2)
"""So often a visit looks whether somebody more urgent waits in another process."""
MOST_REMEMBERED: Final = 512


class TurnNotCome(Exception):
    """Our own turn did not come, or was over too soon: the vendor was not asked. Come again after a while."""

    def __init__(self, what: str, after_seconds: float = 0.0) -> None:
        super().__init__(what)
        self.after_seconds = after_seconds


class Turn:
    """A turn that has come; it must be kept while it is used."""

    def __init__(self, leases: Leases, lease: Lease, clock: Clock) -> None:
        self._leases, self.lease, self._clock = leases, lease, clock
        self.began = self._looked = clock.now()

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

    async def wanted_elsewhere(self, place: Place) -> bool:
        """Say whether somebody more urgent waits for it in another process, as far as was seen lately."""
        now = self._clock.now()
        if now - self._looked >= LOOKED_FOR:
            self._looked = now
            self.lease = replace(self.lease, line=tuple(await self._leases.line(self.lease)))
        return any(each.urgency < place.urgency and each.until > now for each in self.lease.line)


@dataclass(slots=True, eq=False)
class _Queue:
    """Those of this process who want one thing; `ready` is a turn that has come for whoever is first."""

    line: WaitingLine
    busy: bool = False
    ready: Lease | None = None
    took: float = 1.0
    """How long a turn lasts, by those before."""
    began: float = float("-inf")
    ended: float = float("-inf")
    """When the run of turns began that this process had, and when its last turn ended."""

    def follows(self, now: float) -> bool:
        """Say whether this process may follow itself: between processes each turn costs a while."""
        if now - self.ended > FOLLOWS_WITHIN:
            self.began = now
            return False
        return now - self.began < LONGEST_RUN


class Turns:
    """The turns of one tenant's things."""

    def __init__(self, leases: Leases, tenant: TenantId, clock: Clock, entropy: Entropy) -> None:
        self._leases, self._tenant, self._clock, self._entropy = leases, tenant, clock, entropy
        self._who = entropy.token(8).hex()
        self._queues: dict[str, _Queue] = {}
        self._since: OrderedDict[str, datetime] = OrderedDict()

    @asynccontextmanager
    async def take(self, name: str, holder: str, urgency: Urgency = Urgency.ISSUE) -> AsyncIterator[Turn]:
        """Wait for the turn, hold it inside, and raise TurnNotCome when it does not come."""
        queue = self._queues.setdefault(name, _Queue(WaitingLine(self._clock)))
        turn = Turn(self._leases, await self._waited(queue, name, holder, urgency), self._clock)
        began = asyncio.get_running_loop().time()
        try:
            yield turn
        finally:
            queue.took += (asyncio.get_running_loop().time() - began - queue.took) / 4
            try:
                await self._leases.release(turn.lease, self._next_waiter(queue))
            finally:
                queue.ended = asyncio.get_running_loop().time()
                self._next(queue, name)

    def place(self, urgency: Urgency) -> Place:
        """Return the place that the work being done has in every line."""
        return place_now(urgency, self._clock.now())

    def wanted(self, name: str, place: Place) -> bool:
        """Say whether somebody more urgent waits in this process."""
        queue = self._queues.get(name)
        first = None if queue is None else queue.line.first
        return first is not None and first.place.urgency < place.urgency

    def overlong(self, name: str, turn: Turn) -> bool:
        """Say whether a turn was kept for so long that whoever else waits should have theirs."""
        queue = self._queues.get(name)
        waiting = turn.lease.line or (queue is not None and len(queue.line))
        return bool(waiting) and self._clock.now() - turn.began >= timedelta(seconds=LONGEST_RUN)

    async def _waited(self, queue: _Queue, name: str, holder: str, urgency: Urgency) -> Lease:
        mine = queue.line.join(self._place(name, holder, urgency))
        try:
            async with asyncio.timeout(PATIENCE):
                lease = await self._came(queue, mine, name, holder)
        except TimeoutError:
            self._remember(name, holder, mine.place)
            after = min(HELD_FOR.total_seconds(), queue.took * queue.line.before(mine) / 2)
            raise TurnNotCome(f"{name} is busy", after) from None
        finally:
            queue.line.leave(mine)
            await self._give_up(queue, name)
        queue.line.turn = lease.fence + 1
        self._since.pop(f"{name} {holder}", None)
        return lease

    async def _came(self, queue: _Queue, mine: Waiting, name: str, holder: str) -> Lease:
        late = self._clock.now() + timedelta(seconds=PATIENCE)
        while True:
            while queue.busy or queue.line.first is not mine:
                await mine.sleep()
            queue.busy = True
            if queue.ready is None:
                queue.ready = await self._asked(queue, mine, name, holder, late)
            if queue.line.first is mine and queue.ready is not None:
                lease, queue.ready = queue.ready, None
                return lease
            queue.busy = False
            queue.line.wake()
            if queue.line.first is mine:
                await mine.sleep(self._entropy.uniform(*LOOKS_EVERY[mine.place.urgency <= Urgency.DOOR]))

    async def _asked(
        self, queue: _Queue, mine: Waiting, name: str, holder: str, late: datetime
    ) -> Lease | None:
        follows = queue.follows(asyncio.get_running_loop().time())
        waiter = self._waiter(mine.place, late, following=follows)
        try:
            return await self._leases.acquire(self._tenant, name, holder, HELD_FOR, waiter)
        except BaseException:
            queue.busy = False
            raise

    def _next_waiter(self, queue: _Queue) -> Waiter | None:
        """Return who is next here: those elsewhere see them in the line before they can have asked."""
        first, late = queue.line.first, self._clock.now() + timedelta(seconds=PATIENCE)
        return None if first is None else self._waiter(first.place, late)

    def _waiter(self, place: Place, late: datetime, *, following: bool = False) -> Waiter:
        return Waiter(self._who, place.urgency, place.arrives, place.since, late, following)

    async def _give_up(self, queue: _Queue, name: str) -> None:
        """Give back a turn that came for somebody who had gone by then."""
        if queue.ready is not None and not len(queue.line):
            lease, queue.ready = queue.ready, None
            await self._leases.release(lease)
        if not queue.busy and not len(queue.line):
            self._queues.pop(name, None)

    def _next(self, queue: _Queue, name: str) -> None:
        queue.busy = False
        if len(queue.line):
            queue.line.wake()
        elif self._queues.get(name) is queue:
            del self._queues[name]

    def _place(self, name: str, holder: str, urgency: Urgency) -> Place:
        place = self.place(urgency)
        since = self._since.get(f"{name} {holder}", place.since)
        return replace(place, since=min(since, place.since))

    def _remember(self, name: str, holder: str, place: Place) -> None:
        self._since[f"{name} {holder}"] = place.since
        while len(self._since) > MOST_REMEMBERED:
            self._since.popitem(last=False)
