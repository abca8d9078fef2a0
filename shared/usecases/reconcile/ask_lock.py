"""A lock is asked now how it is and which keys it has; whoever stands at its door waits a little for it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from shared.domain.ids import PropertyId, TenantId
from shared.domain.premises import LockDevice
from shared.keywork.services import Services
from shared.ledger.comparison import comparison_from, ref_of
from shared.ledger.device_record import kept_of
from shared.ports.documents import DocumentStore, TenantDocuments
from shared.ports.sagas import Sagas
from shared.usecases.attempts.begin_hearing import LOOK, HearDoors, begin_hearing
from shared.usecases.reconcile.begin_comparison import BeginComparison, begin_comparisons, is_over

PATIENCE_SECONDS: Final = 12.0
LOOK_EVERY_SECONDS: Final = 0.25


@dataclass(frozen=True, slots=True)
class Asking:
    """Through what locks are asked."""

    documents: DocumentStore
    cell: str
    sagas: Sagas
    services: Services

    async def asked(
        self, tenant: TenantId, place: PropertyId, lock: LockDevice, patience: float = PATIENCE_SECONDS
    ) -> bool:
        """Have a lock looked at and compared, wait for it, and say whether it answered in that time."""
        hearing = HearDoors(tenant, place, lock.vendor, lock=lock.id)
        looking = await begin_hearing(hearing, self.sagas, LOOK)
        named = {"property": place, "vendor": lock.vendor, "lock": lock.id}
        command = BeginComparison.of({"occasion": "asked", "tenant": tenant, **named})
        begun = await begin_comparisons(command, self.documents, self.cell, self.services)
        runs, store = {each["run"] for each in begun.comparisons}, self.documents.tenant(tenant)
        waited = 0.0
        while waited < patience:
            if await is_over(runs, place, lock.vendor, store) and await self._is_over(looking):
                return True
            await asyncio.sleep(LOOK_EVERY_SECONDS)
            waited += LOOK_EVERY_SECONDS
        return False

    async def all_asked(
        self, tenant: TenantId, place: PropertyId, locks: Sequence[LockDevice], patience: float
    ) -> int:
        """Ask one lock after another, all within one patience, and return how many answered."""
        answered, until = 0, self.services.now + timedelta(seconds=patience)
        for lock in locks:
            left = (until - self.services.now).total_seconds()
            answered += left > 0 and await self.asked(tenant, place, lock, left)
        return answered

    async def _is_over(self, execution: str) -> bool:
        found = await self.sagas.get(execution)
        return found is None or found.state.terminal


async def heard_since(
    store: TenantDocuments, place: PropertyId, locks: Sequence[LockDevice], since: datetime
) -> bool:
    """Say whether each of these locks was looked at since then, and their comparison is over."""
    for lock in locks:
        record, found = await kept_of(store, lock.id), await store.get(ref_of(place, lock.vendor))
        looked = None if record is None else record.condition.looked_at
        if looked is None or looked < since or found is None:
            return False
        last = comparison_from(found)
        if last.began_at < since or last.under_way:
            return False
    return True
