"""Work that is saved is told, and begun: by who saved it, by a duplicate, or by the sweeper."""

import contextlib
from dataclasses import replace
from datetime import datetime
from typing import Final

from shared.ledger.entry import Entry, Work
from shared.ledger.ledger import Ledger
from shared.ports.bus import EventBus
from shared.ports.documents import StaleVersion
from shared.ports.sagas import Sagas

WORKFLOWS: Final = {Work.ISSUE: "issue_key", Work.WITHDRAW: "revoke_key"}


async def begin_saga(entry: Entry, ledger: Ledger, bus: EventBus, sagas: Sagas) -> Entry:
    """Announce what happened, then start the saga: an execution knows that all before it is published."""
    told = await ledger.announce(entry, bus)
    argument = {
        "tenant": str(entry.credential.tenant),
        "saga_id": str(entry.id),
        "generation": entry.saga.generation,
    }
    await sagas.start(WORKFLOWS[entry.saga.kind], argument)
    return told


async def tell(entry: Entry, ledger: Ledger, bus: EventBus, due: datetime | None = None) -> Entry:
    """Announce what happened, and note it; nothing is owed to this key any more, or not before it is due."""
    told = replace(await ledger.announce(entry, bus), due=due)
    # Who was faster has read that this is not announced, and tells it once more: no harm in that.
    with contextlib.suppress(StaleVersion):
        return await ledger.note(told)
    return told
