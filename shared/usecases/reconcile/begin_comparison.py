"""Comparisons begin: each night, when somebody asks, and when the ledger or the locks were set back.

| why | which properties | what vanished |
|---|---|---|
| nightly, at three by the hotel's clock | those not compared whole for most of a day | is placed again |
| hourly | those whose walk stalled or broke off, or where a key is to go | the same |
| asked by somebody | those that are named | the same |
| restored: a backup was put back, a loss was accepted | all | waits for a person's word |
| emptied: the simulated doors were started anew | all | is placed again, however much it is |

By night and hour hotels are gone round as `upkeep/go_round.py` says, and the hour is the round's. What is
asked for begins at once, some hotels side by side.

A comparison that begins while another walks takes its place, and its doubts: it is whole unless both are of
the same lock, and holds what that one would have held.
"""

from asyncio import gather
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, PropertyId, TenantId
from shared.domain.kinds import VendorCode
from shared.domain.window import zone_named
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.verdicts import adapter_of
from shared.ledger.comparison import Comparison, Occasion, Progress, comparison_from, ref_of
from shared.ledger.finding import finding_from
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.indexes import ADOPTED, FINDINGS
from shared.ledger.residents import houses_of, residents
from shared.ports.documents import Document, DocumentStore, Index, TenantDocuments
from shared.usecases.reconcile.place_again import settle_placed
from shared.usecases.upkeep.go_round import LANES, House, Visitor, go_round

WORKFLOW: Final = "compare_locks"
NIGHT_HOUR: Final = 3
A_NIGHT: Final = timedelta(hours=20)
TAKEN_UP_AFTER: Final = timedelta(minutes=50)
PAGE: Final = 500
ROUND: Final = "compare-locks"
MINUTE: Final = 17
COMPLAINT: Final = "a hotel's locks could not be compared"


@dataclass(frozen=True, slots=True)
class BeginComparison:
    """Which locks are meant, and why; what is None does not matter."""

    occasion: Occasion = Occasion.NIGHTLY
    tenant: TenantId | None = None
    property_id: PropertyId | None = None
    vendor: VendorCode | None = None
    lock: LockDeviceId | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command; the clock sends none."""
        said = body.get("occasion", Occasion.NIGHTLY)
        if said not in list(Occasion):
            raise InvalidInput("occasion", "not a reason to compare", f"name one of {', '.join(Occasion)}")
        tenant, hotel, vendor, lock = (body.get(each) for each in ("tenant", "property", "vendor", "lock"))
        return cls(
            Occasion(said),
            None if tenant is None else TenantId.parse(tenant, "tenant"),
            None if hotel is None else PropertyId.parse(hotel, "property"),
            None if vendor is None else VendorCode(vendor),
            None if lock is None else LockDeviceId.parse(lock, "lock"),
        )

    @property
    def is_round(self) -> bool:
        """Whether it is the clock that asks, for all hotels."""
        return self == BeginComparison()


@dataclass(frozen=True, slots=True)
class Site:
    """One property's locks of one vendor."""

    tenant: TenantId
    setup: HotelSetup
    vendor: VendorCode

    @property
    def property_id(self) -> PropertyId:
        """Which property."""
        return self.setup.property.id


@dataclass(frozen=True, slots=True)
class Begun:
    """Which comparisons were begun, and the hotels whose locks could not be compared."""

    comparisons: tuple[dict[str, str], ...]
    failed: tuple[PropertyId, ...] = ()


async def compare_due(documents: DocumentStore, cell: str, services: Services) -> dict[str, Any]:
    """Begin what is due at the hotels of this hour's round, and settle what was placed again there."""
    settled = 0

    async def enter(tenant: TenantId) -> TenantDocuments:
        nonlocal settled
        ledger = await services.ledger(tenant)
        settled += await settle_placed(ledger, services)
        return ledger.documents

    async def visit(tenant: TenantId, hotel: PropertyId, at: datetime) -> int:
        return len(await _begun_at(tenant, hotel, BeginComparison(), services, at))

    visitor = Visitor(ROUND, MINUTE, COMPLAINT, enter, visit)
    return {**await go_round(visitor, documents, cell, services), "settled": settled}


async def begin_comparisons(
    command: BeginComparison, documents: DocumentStore, cell: str, services: Services
) -> Begun:
    """Begin what is asked for, and return which comparisons those are; one hotel stops no other."""
    begun, failed = list[dict[str, str]](), list[PropertyId]()

    async def begin(tenant: TenantId, hotel: PropertyId) -> Sequence[dict[str, str]]:
        try:
            return await _begun_at(tenant, hotel, command, services, services.now)
        except Exception as error:
            if command.property_id is not None:
                raise
            failed.append(hotel)
            services.log.failure(COMPLAINT, error, tenant=tenant, property=hotel)
            return ()

    async for houses in _side_by_side(command, documents, cell, services):
        for here in await gather(*(begin(*house) for house in houses)):
            begun += here
    return Begun(tuple(begun), tuple(failed))


async def _begun_at(
    tenant: TenantId, hotel: PropertyId, command: BeginComparison, services: Services, at: datetime
) -> list[dict[str, str]]:
    setup, begun = await services.hotels.premises(tenant, hotel), []
    for vendor in sorted({door.vendor for door in _meant(command, setup)}):
        site = Site(tenant, setup, vendor)
        comparison = await retry_on_conflict(lambda site=site: _begun(command, site, services, at))  # type: ignore[misc]  # bound now
        if comparison is not None:
            await _start(site, comparison, services)
            told = {"tenant": tenant, "property": hotel, "vendor": vendor, "run": comparison.run}
            begun.append({name: str(value) for name, value in told.items()})
    return begun


async def is_over(runs: Collection[str], property_id: str, vendor: str, store: TenantDocuments) -> bool:
    """Say whether comparisons that were begun of a property's locks are done, or another took their place."""
    found = await store.get(ref_of(property_id, vendor))
    last = None if found is None else comparison_from(found)
    return last is None or last.run not in runs or last.progress is Progress.DONE


async def settle_all_placed(
    command: BeginComparison, documents: DocumentStore, cell: str, services: Services
) -> int:
    """Settle what was placed again and stands, where locks are to be compared; return how much that is."""
    tenants = await _tenants(command, documents, cell)
    return sum([await settle_placed(await services.ledger(tenant), services) for tenant in tenants])


async def _tenants(command: BeginComparison, documents: DocumentStore, cell: str) -> list[TenantId]:
    if command.tenant is not None:
        return [command.tenant]
    return [tenant async for tenant in residents(documents, cell)]


async def _side_by_side(
    command: BeginComparison, documents: DocumentStore, cell: str, services: Services
) -> AsyncIterator[Sequence[House]]:
    found = list[House]()
    async for tenant, hotel in _hotels(command, documents, cell, services):
        found.append((tenant, hotel))
        if len(found) == LANES:
            yield found
            found = []
    yield found


async def _hotels(
    command: BeginComparison, documents: DocumentStore, cell: str, services: Services
) -> AsyncIterator[House]:
    for tenant in await _tenants(command, documents, cell):
        store = await services.hotels.admit(tenant)
        for hotel in [command.property_id] if command.property_id else await houses_of(store):
            yield tenant, hotel


def _meant(command: BeginComparison, setup: HotelSetup) -> Iterator[Any]:
    for door in setup.devices:
        if command.vendor in (None, door.vendor) and command.lock in (None, door.id):
            yield door


async def _begun(command: BeginComparison, site: Site, services: Services, at: datetime) -> Comparison | None:
    """Write the comparison down, if it is due; one that stalled goes on as it is."""
    store = (await services.ledger(site.tenant)).documents
    found = await store.get(ref_of(site.property_id, site.vendor))
    last = None if found is None else comparison_from(found)
    if command.occasion is Occasion.NIGHTLY:
        if last is not None and last.under_way:
            return last if last.stalled(services.now) else None
        if not (_is_night(last, site, services, at) or await _is_owed(last, site, store, services)):
            return None
    comparison = _anew(command, last, site, services)
    await store.commit([comparison.write()])
    return comparison


def _anew(command: BeginComparison, last: Comparison | None, site: Site, services: Services) -> Comparison:
    unfinished = last is not None and last.progress in (Progress.UNDER_WAY, Progress.BROKEN_OFF)
    whole = last is not None and unfinished and last.only != command.lock
    doubted = last is not None and unfinished and last.held
    return Comparison(
        property_id=site.property_id,
        vendor=site.vendor,
        run=services.ids.ulid(),
        occasion=command.occasion,
        began_at=services.now,
        moved_at=services.now,
        held=command.occasion is Occasion.RESTORED or doubted,
        only=None if whole else command.lock,
        whole_at=None if last is None else last.whole_at,
        version=None if last is None else last.version,
    )


def _is_night(last: Comparison | None, site: Site, services: Services, at: datetime) -> bool:
    hour = at.astimezone(zone_named(site.setup.property.zone)).hour
    whole_at = None if last is None else last.whole_at
    return hour == NIGHT_HOUR and (whole_at is None or services.now >= whole_at + A_NIGHT)


async def _is_owed(last: Comparison | None, site: Site, store: TenantDocuments, services: Services) -> bool:
    """Say whether a walk broke off, or left something to be done at a lock."""
    if last is None or services.now < last.moved_at + TAKEN_UP_AFTER:
        return False
    if last.progress is Progress.BROKEN_OFF:
        return True
    for index in (FINDINGS, ADOPTED):
        async for found in _all(store, index):
            finding = finding_from(found)
            here = (finding.property_id, finding.vendor) == (site.property_id, site.vendor)
            if here and finding.to_be_removed(services.now):
                return True
    return False


async def _all(store: TenantDocuments, index: Index) -> AsyncIterator[Document]:
    page = await store.query(index, {}, limit=PAGE)
    while page:
        for found in page:
            yield found
        page = await store.query(index, {}, after=page[-1], limit=PAGE) if len(page) == PAGE else ()


async def _start(site: Site, comparison: Comparison, services: Services) -> None:
    argument = {
        "tenant": str(site.tenant),
        "property": str(site.property_id),
        "run": comparison.run,
        "adapter": adapter_of(site.vendor),
        "work": "compare",
    }
    await services.sagas.start(WORKFLOW, argument)
