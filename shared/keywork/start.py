"""Work that is saved is told, and begun: by who saved it, by a duplicate, or by the sweeper."""

import contextlib
from datetime import datetime
from typing import Final

from shared.domain.kinds import VendorCode
from shared.domain.replacing import replace
from shared.keywork.desired import next_vendor
from shared.keywork.next_due import next_due
from shared.keywork.services import Services
from shared.keywork.verdicts import adapter_of
from shared.ledger.key_record import KeyRecord, Saga, Work
from shared.ledger.ledger import Ledger, Saved
from shared.ports.bus import EventBus
from shared.ports.documents import StaleVersion, StorageFull
from shared.ports.trouble import ServiceTrouble

WORKFLOW: Final = "work_on_key"
"""What every execution runs: the work on a key may change under it, from making to settling."""

FORMER: Final = ("issue_key", "revoke_key")
"""What executions of the last release run; none is begun any more, and their files go with the next."""

WORKFLOWS: Final = (WORKFLOW, *FORMER)


async def begin_work(saved: Saved, ledger: Ledger, services: Services) -> None:
    """Begin what a saved key needs done at its locks, or tell that it needs nothing."""
    vendor = next_vendor(saved.entry, saved.grants)
    if vendor is None:
        await publish_pending(saved.entry, ledger, services.bus)
    else:
        await begin_saga(saved.entry, vendor, ledger, services)


async def begin_saga(entry: KeyRecord, vendor: VendorCode, ledger: Ledger, services: Services) -> None:
    """Announce what happened, then start the saga, which is told what is published."""
    told = await publish_or_defer(entry, ledger, services)
    argument = {
        "tenant": str(entry.credential.tenant),
        "saga_id": str(entry.id),
        "property": str(entry.credential.core.property_id),
        "generation": entry.saga.generation,
        "adapter": adapter_of(vendor),
        "announced": told.announced,
    }
    await services.sagas.start(WORKFLOW, argument)


async def publish_or_defer(entry: KeyRecord, ledger: Ledger, services: Services) -> KeyRecord:
    """Announce what happened; that nobody can be told yet must not keep a key at the locks that is to go."""
    try:
        return await ledger.announce(entry, services.bus)
    except (ServiceTrouble, StorageFull) as trouble:
        if entry.saga.kind is Work.ISSUE:
            raise
        services.log.failure("a key is taken back before its end could be announced", trouble)
        return entry


async def publish_pending(
    entry: KeyRecord, ledger: Ledger, bus: EventBus, due: datetime | None = None
) -> KeyRecord:
    """Announce what happened, and note it; nothing is owed to the key till it is due, or its stay over."""
    told = replace(await ledger.announce(entry, bus), due=next_due(entry, due))
    # Who was faster has read that this is not announced, and tells it once more: no harm in that.
    with contextlib.suppress(StaleVersion):
        return await ledger.note(told)
    return told


async def worked_on(saga: Saga, services: Services) -> bool:
    """Say whether the execution that does the work is still under way."""
    if saga.execution is None or saga.parked:
        return False
    # An execution knows its own id, not what its release called the file that it runs.
    for workflow in WORKFLOWS:
        execution = await services.sagas.get(f"{workflow}/{saga.execution}")
        if execution is not None:
            return not execution.state.terminal
    return False
