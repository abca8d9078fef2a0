"""A trial of a vendor's next build begins at a pilot, or a person ends it; nobody but its saga decides it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.domain.kinds import VendorCode
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.verdicts import adapter_of, next_of
from shared.ledger.canary import Canary, Stage, find_canary
from shared.ports.documents import TenantDocuments
from shared.usecases.canary.shares import hand_over_nothing

WORKFLOW: Final = "promote_canary"


@dataclass(frozen=True, slots=True)
class WhichBuild:
    """A vendor's next build at a company."""

    tenant: TenantId
    vendor: VendorCode

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read which is meant."""
        return cls(TenantId.parse(body.get("tenant"), "tenant"), VendorCode(str(body.get("vendor"))))


async def begin_canary(which: WhichBuild, pilot: PropertyId, by: str, services: Services) -> Canary:
    """Put a vendor's next build on trial at a pilot; one that is on trial already goes on."""
    premises = await services.hotels.premises(which.tenant, pilot)
    if not premises.of_vendor(which.vendor):
        raise InvalidInput("vendor", "has no lock at this property", "Name a pilot that has locks of it")
    store = services.hotels.admitted(which.tenant)

    async def begin() -> Canary:
        known = await find_canary(store, which.vendor)
        if known is not None and known.stage is Stage.RUNNING:
            return known
        turn, version = (known.turn + 1, known.version) if known else (1, None)
        now = services.now
        fresh = Canary(
            vendor=which.vendor, pilot=pilot, by=by, began_at=now, step_at=now, turn=turn, version=version
        )
        return await fresh.looked_at(now).saved(store)

    record = await retry_on_conflict(begin)
    if record.execution is None:
        await start(which.tenant, record, services)
    return record


async def start(tenant: TenantId, record: Canary, services: Services) -> None:
    """Begin an execution that sees to a trial; of two, the one that comes first goes on."""
    named = {"tenant": str(tenant), "vendor": str(record.vendor), "turn": record.turn}
    adapter = next_of(adapter_of(record.vendor))
    await services.sagas.start(WORKFLOW, {**named, "adapter": adapter})


async def stop_canary(which: WhichBuild, by: str, services: Services) -> Canary:
    """End a trial on a person's word: from now on the present build works on every key."""
    store = await services.hotels.admit(which.tenant)

    async def stop() -> Canary:
        record = await find_canary(store, which.vendor)
        if record is None:
            raise InvalidInput("vendor", "no next build of it was ever on trial", "Name another")
        if record.stage is not Stage.RUNNING:
            return record
        return await record.ended(Stage.STOPPED, f"by {by}").saved(store)

    record = await retry_on_conflict(stop)
    await hand_over_nothing(record, store)
    services.hotels.forget(which.tenant)
    return record


async def tend_canary(name: str, tenant: TenantId, store: TenantDocuments, services: Services) -> bool:
    """See that an execution is at work on a trial of which nobody has said anything for long."""
    record = await find_canary(store, VendorCode(name))
    if record is None or record.due is None or record.due > services.now:
        return False
    again = await record.looked_at(services.now, execution=None).saved(store)
    await start(tenant, again, services)
    return True
