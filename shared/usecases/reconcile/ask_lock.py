"""A lock is asked now how it is and which keys it has; whoever stands at its door waits a little for it."""

import asyncio
from dataclasses import dataclass
from typing import Final

from shared.domain.ids import PropertyId, TenantId
from shared.domain.premises import LockDevice
from shared.keywork.services import Services
from shared.ports.documents import DocumentStore
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

    async def _is_over(self, execution: str) -> bool:
        found = await self.sagas.get(execution)
        return found is None or found.state.terminal
