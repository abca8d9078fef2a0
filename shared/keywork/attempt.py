"""One call of an adapter function: the entry it works on, and the means to save it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from shared.domain.kinds import VendorCode
from shared.domain.replacing import replace
from shared.keywork.services import Services
from shared.keywork.start import publish_pending
from shared.keywork.verdicts import StepCall
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Change, Ledger
from shared.ports.documents import StorageFull, Write
from shared.ports.trouble import ServiceTrouble


@dataclass(frozen=True, slots=True)
class AttemptContext:
    """The work of one call."""

    entry: KeyRecord
    ledger: Ledger
    services: Services
    vendor: VendorCode

    @property
    def now(self) -> datetime:
        """The present instant."""
        return self.services.now

    async def grants(self) -> tuple[GrantRecord, ...]:
        """Return all grants of the key."""
        return await self.ledger.grants(self.entry)

    async def saved(self, change: Change) -> "tuple[AttemptContext, tuple[GrantRecord, ...]]":
        """Save a change; return the task and the grants as they are now."""
        saved = await self.ledger.save(change)
        return replace(self, entry=saved.entry), saved.grants

    async def publish_or_defer(self) -> KeyRecord:
        """Announce what was saved; return the entry that knows it, or knows that it is still to be told.

        A bus in trouble must cost the key nothing: what is untold is told later, if need be by the sweeper.
        """
        try:
            return await self.ledger.announce(self.entry, self.services.bus)
        except (ServiceTrouble, StorageFull) as trouble:
            self.services.log.failure("what was asked of a vendor could not be announced yet", trouble)
            return self.entry

    async def ended(self, change: Change, *beside: Write) -> None:
        """Save the last change of a task: once it is told, only what is due later is still owed."""
        untold = replace(change, entry=change.entry.due_in(TOLD_WITHIN, self.now))
        saved = await self.ledger.save(untold, *beside)
        try:
            await publish_pending(saved.entry, self.ledger, self.services.bus, due=change.entry.due)
        except (ServiceTrouble, StorageFull) as trouble:
            # It is done and saved; the sweeper tells it.
            self.services.log.failure("what was done could not be announced yet", trouble)


TOLD_WITHIN: Final = timedelta(minutes=1)
"""When the sweeper tells what a task that died could not."""


def claimed(entry: KeyRecord, call: StepCall) -> KeyRecord:
    """Return the entry as this execution's own, which the next save makes true."""
    if entry.saga.execution is not None:
        return entry
    announced = max(entry.announced, min(call.announced, entry.credential.sequence))
    return replace(entry, saga=entry.saga.claimed(call.execution), announced=announced)
