"""Each hour a cell's houses are gone round, however many they are.

1. A round is of an hour. The first call of that hour begins it; each goes on where the one before stopped.
2. Houses are visited side by side, and what is begun there is paced: no faster than adapters take it.
3. A call that is out of time keeps the last house that was visited, and says it; one that died is taken up by
   the next that comes after its time, which visits some houses again.
4. A round that takes longer than its hour is ended first, and told of; the next hours have theirs in turn.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.ids import PropertyId, TenantId
from shared.domain.instants import instant_to_text
from shared.keywork.services import Services
from shared.ledger.hourly_round import AN_HOUR, WALKED_FOR, Round, round_due
from shared.ledger.residents import houses_of, residents
from shared.ports.documents import AlreadyExists, DocumentStore, StaleVersion, TenantDocuments
from shared.vendor_kit.calm.blocks import PLATFORM

LANES: Final = 16
A_SECOND: Final = 8
"""So many executions are begun: each asks an adapter for up to a minute, which takes 1,200 at once."""
LONGEST: Final = timedelta(minutes=4)
"""Less than the time of a call, and than the five minutes after which the next comes."""
KEPT_EVERY: Final = timedelta(seconds=20)
House = tuple[TenantId, PropertyId]


@dataclass(frozen=True, slots=True)
class Visitor:
    """What is done on a round: `visit` begins what a house is due at that hour, and returns how much."""

    name: str
    minute: int
    complaint: str
    enter: Callable[[TenantId], Awaitable[TenantDocuments]]
    visit: Callable[[TenantId, PropertyId, datetime], Awaitable[int]]


async def go_round(
    visitor: Visitor, documents: DocumentStore, cell: str, services: Services
) -> dict[str, Any]:
    """Walk the round that is due as far as one call's time lasts, and return how far that is."""
    store = documents.tenant(PLATFORM)
    with suppress(AlreadyExists, StaleVersion):
        due = await round_due(visitor.name, visitor.minute, store, services.now)
        if due is None:
            return {"visited": 0, "begun": 0, "failed": 0}
        taken = await replace(due, walked_until=services.now + WALKED_FOR).saved(store)
        walk = _Walk(visitor, documents, cell, services, taken)
        await walk.walk()
        return walk.said
    return {"visited": 0, "begun": 0, "failed": 0}  # somebody else walks it


@dataclass(slots=True)
class _Walk:
    visitor: Visitor
    documents: DocumentStore
    cell: str
    services: Services
    round: Round
    visited: int = 0
    begun: int = 0
    failed: int = 0
    kept_at: datetime = field(init=False)

    async def walk(self) -> None:
        """Go from house to house, and keep how far that was."""
        self.kept_at = self.services.now
        async with aclosing(self._side_by_side()) as found:
            over = await self._through(found)
        self._tell(over)
        await self._kept(replace(self.round, over=over, walked_until=None))

    async def _through(self, found: AsyncIterator[Sequence[House]]) -> bool:
        """Visit houses until there are none or time is up; say whether all were visited."""
        until, owed = self.services.now + LONGEST, 0
        async for houses in found:
            await asyncio.sleep(owed / A_SECOND)
            if self.services.now >= until:
                return False
            owed = sum(await asyncio.gather(*(self._visited(*house) for house in houses)))
            self.begun += owed
            self.visited += len(houses)
            self.round = self.round.came_to(*houses[-1])
            await self._keep_now_and_then()
        return True

    @property
    def said(self) -> dict[str, Any]:
        """Return how far it came; where it is not over, after which house it goes on."""
        counts = {"visited": self.visited, "begun": self.begun, "failed": self.failed}
        told = {"hour": instant_to_text(self.round.hour), "over": self.round.over, **counts}
        return told if self.round.over else {**told, "tenant": self.round.tenant, "after": self.round.house}

    async def _side_by_side(self) -> AsyncGenerator[Sequence[House]]:
        """Yield houses in the order of their ids, as many at a time as are visited side by side."""
        lane = list[TenantId]()
        async for tenant in residents(self.documents, self.cell, self.round.tenant):
            lane.append(tenant)
            if len(lane) == LANES:
                async for houses in self._houses(lane):
                    yield houses
                lane = []
        async for houses in self._houses(lane):
            yield houses

    async def _houses(self, tenants: Sequence[TenantId]) -> AsyncIterator[Sequence[House]]:
        found = [house for houses in await asyncio.gather(*map(self._entered, tenants)) for house in houses]
        for first in range(0, len(found), LANES):
            yield found[first : first + LANES]

    async def _entered(self, tenant: TenantId) -> list[House]:
        after = self.round.house if tenant == self.round.tenant else None
        try:
            return [
                (tenant, house) for house in await houses_of(await self.visitor.enter(tenant), after=after)
            ]
        except Exception as error:  # noqa: BLE001 - told by place; the other companies are visited all the same
            self.failed += 1
            self.services.log.failure(self.visitor.complaint, error, tenant=tenant)
            return []

    async def _visited(self, tenant: TenantId, house: PropertyId) -> int:
        try:
            return await self.visitor.visit(tenant, house, self.round.hour)
        except Exception as error:  # noqa: BLE001 - told by place; the others are visited all the same
            self.failed += 1
            self.services.log.failure(self.visitor.complaint, error, tenant=tenant, property=house)
            return 0

    async def _keep_now_and_then(self) -> None:
        if self.services.now >= self.kept_at + KEPT_EVERY:
            await self._kept(self.round)

    async def _kept(self, come: Round) -> None:
        self.round, self.kept_at = await come.saved(self.documents.tenant(PLATFORM)), self.services.now

    def _tell(self, over: bool) -> None:
        """Say who was not visited yet, where that is more than an hour late."""
        if not over and self.services.now >= self.round.hour + AN_HOUR:
            self.services.log.warning(
                "a round through the cell's houses takes longer than its hour",
                round=self.round.name,
                hour=instant_to_text(self.round.hour),
                tenant=self.round.tenant,
                after=self.round.house,
            )
