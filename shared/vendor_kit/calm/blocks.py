"""Blocks of calls: taken of a limit that all processes share through the store, or of one process's own.

| what happens                   | what comes of it                                                       |
|--------------------------------|------------------------------------------------------------------------|
| somebody else was faster       | the limit is read anew, and looked at again after a while of one's own |
| a process dies with a block    | its calls are not made; nobody makes them                              |
| the answer to a write is lost  | the same: the block counts, and is not spent                           |
| the store does not answer      | a fiftieth of the limit a process, until it does (decision 0046)       |
"""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, Protocol

from shared.domain.ids import TenantId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.kernel.log import Log
from shared.ports.ambient import Clock, Entropy
from shared.ports.documents import AlreadyExists, Create, Document, DocumentStore, Ref, StaleVersion, Update
from shared.vendor_kit.calm.allowance import SELDOM, Allowance, Granted, Limit, Wish
from shared.vendor_kit.calm.shared_time import SharedTime
from shared.vendor_kit.calm.urgency import Urgency

PLATFORM: Final = TenantId("tnt_platform")
"""Accounts are shared between tenants: what is known of them is nobody's."""
COLLECTION: Final = "rates"
KEPT_FOR: Final = timedelta(days=30)
STORE_ANSWERS_IN: Final = 2.0
WITHOUT_STORE: Final = 50
"""So many processes together make no more calls than they may while the store is away."""
LONGEST_PAUSE: Final = 4.0
SECOND: Final = 1000.0


@dataclass(frozen=True, slots=True)
class InHand:
    """Calls to make, by the shared time, and by how much the loop's own time is ahead of that."""

    granted: Granted
    late: float
    ahead: float = 0.0

    def here(self, shared: float) -> float:
        """Return a moment of the shared time as the loop's, in seconds."""
        return (shared + self.ahead) / SECOND

    def shared(self, here: float) -> float:
        """Return a moment of the loop's time as the shared one."""
        return here * SECOND - self.ahead


Taken = InHand | float
"""Some calls to make, or for how many seconds there are none."""


class Blocks(Protocol):
    """Where a process takes its blocks."""

    async def take(self, wish: Wish) -> Taken:
        """Take a block of at most so many calls, or say how long to wait before asking again."""


class Demand:
    """How much a process asks for that comes again at once: twice what it made use of.

    Where calls lie closer than blocks, few wait here at a moment, for they wait at gateways too; taking a
    block for just those would make the store's pace the vendor's. Who leaves calls unmade begins anew.
    """

    def __init__(self, limit: Limit) -> None:
        self._close, self._lasts = limit.interval < SELDOM, limit.late + SELDOM
        self._calls, self._until = 0, float("-inf")

    def of(self, wish: Wish, now: float) -> Wish:
        """Return what is wished for, or more."""
        again = self._close and now <= self._until
        return replace(wish, calls=max(wish.calls, 2 * self._calls)) if again else wish

    def met(self, granted: Granted) -> None:
        """Note what was taken."""
        self._calls, self._until = len(granted.moments), granted.moments[-1] + self._lasts


class OwnBlocks:
    """A limit that one process has for itself."""

    def __init__(self, limit: Limit) -> None:
        self._allowance, self._demand = Allowance(limit), Demand(limit)

    async def take(self, wish: Wish) -> Taken:
        """Take a block."""
        now = _passed()
        taken = self._allowance.take(now, self._demand.of(wish, now))
        if taken is None:
            return self._allowance.wait(now, wish) / SECOND
        self._allowance, granted = taken
        self._demand.met(granted)
        return InHand(granted, self._allowance.limit.late)


class SharedBlocks:
    """The limit of an application, named by a digest, among all processes that call in its name."""

    def __init__(
        self, store: DocumentStore, application: str, limit: Limit, clock: Clock, entropy: Entropy, log: Log
    ) -> None:
        self._documents, self._ref = store.tenant(PLATFORM), Ref(COLLECTION, application)
        self._limit, self._clock, self._entropy, self._log = limit, clock, entropy, log
        self._time, self._known, self._demand = SharedTime(limit), Allowance(limit), Demand(limit)
        self._version: str | None = None
        self._beside: Mapping[str, Any] = {}
        self._ours: str | None = None
        self._fresh, self._pause, self._own_share_at = False, 0.0, float("-inf")
        self._away, self._answers_in = False, 0.0

    async def take(self, wish: Wish) -> Taken:
        """Take a block: by one write, if nobody else has written since we did, else by a read and a write."""
        try:
            async with asyncio.timeout(STORE_ANSWERS_IN):
                taken = await self._taken(wish)
        except Exception as trouble:  # noqa: BLE001 - whatever the store's trouble, doors must still be shut
            self._note_away(trouble)
            return self._own_share()
        self._away, self._own_share_at = False, _passed() + self._own_interval
        return taken

    def _note_away(self, trouble: Exception) -> None:
        if not self._away:
            self._log.failure(
                "a vendor's limit cannot be shared: each process keeps to a small part", trouble
            )
        self._away, self._fresh = True, False

    async def _taken(self, wish: Wish) -> Taken:
        for _ in range(2):
            if not self._fresh:
                await self._read()
            notice = max(0.0, 2 * self._answers_in - self._limit.late / 2)
            now, asked, wish = self._time.now(), _passed(), replace(wish, notice=notice)
            self._known = self._known.in_month(self._limit.month(self._clock.now()))
            taken = self._known.take(now, self._demand.of(wish, now))
            if taken is None:
                return self._wait(now, wish)
            if await self._written(taken[0]):
                self._pause /= 2
                self._note_answer(asked)
                self._demand.met(taken[1])
                return InHand(taken[1], self._limit.late, asked - now)
        return self._wait(now, wish)

    def _note_answer(self, asked: float) -> None:
        took = _passed() - asked
        self._answers_in += (took - self._answers_in) / (4 if self._answers_in else 1)

    def _wait(self, now: float, wish: Wish) -> float:
        """Say how long to wait: each a while of one's own, or all who wait would come at the same moment.

        Whoever wrote last waits no longer than there is nothing: nobody else did.
        """
        self._fresh = False
        shortest = self._limit.interval / SECOND
        self._pause = min(LONGEST_PAUSE, max(2 * self._pause, shortest))
        patient = wish.urgency > Urgency.DOOR and self._version != self._ours
        spread = self._entropy.uniform(0, self._pause) if patient else 0.0
        return max(self._known.wait(now, wish) / SECOND, shortest / 2) + spread

    async def _read(self) -> None:
        asked = _passed()
        found = await self._documents.get(self._ref)
        self._note_answer(asked)
        if found is None:
            self._time.begin()
            self._known, self._version, self._fresh = Allowance(self._limit), None, True
            self._beside = {}
        else:
            self._take_in(found)

    def _take_in(self, found: Document) -> None:
        written = instant_from_text(found.data["written"], "written")
        self._known = Allowance.from_document(self._limit, found.data)
        self._time.saw(found.version, self._known.at, written, self._clock.now())
        self._version, self._fresh, self._beside = found.version, True, found.data

    async def _written(self, allowance: Allowance) -> bool:
        now = self._clock.now()
        # What a newer release wrote beside ours stays: the other process may be one of it.
        data = {**self._beside, **allowance.to_document(), "written": instant_to_text(now)}
        until = now + KEPT_FOR
        over = self._version
        write = Create(self._ref, data, until) if over is None else Update(self._ref, data, over, until)
        self._fresh = False
        with contextlib.suppress(AlreadyExists, StaleVersion):
            (self._version,) = await self._documents.commit([write])
            self._known, self._fresh, self._ours = allowance, True, self._version
            self._time.wrote(self._version)
            return True
        return False

    def _own_share(self) -> Taken:
        now = _passed()
        if now < self._own_share_at:
            return (self._own_share_at - now) / SECOND
        self._own_share_at = now + self._own_interval
        return InHand(Granted((now,)), self._limit.late)

    @property
    def _own_interval(self) -> float:
        return self._limit.interval * WITHOUT_STORE


def _passed() -> float:
    return asyncio.get_running_loop().time() * SECOND
