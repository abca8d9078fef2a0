"""Things by their ids: where each is, and in which state it was read, for whoever asks before they show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shared.domain.ids import CredentialId, LockDeviceId, PropertyId, ReservationId
from shared.ledger.bulk_job import find_job
from shared.ledger.finding import FINDINGS, finding_from
from shared.ledger.grant_record import GRANTS, grant_from
from shared.ledger.indexes import KEYS_AT, KEYS_OF_STAY, TASKS, WAITING
from shared.ledger.key_record import key_record_from
from shared.ledger.reservation import Reservation, reservation_from
from shared.ledger.reservation import ref_of as stay_ref
from shared.ports.documents import Ref, TenantDocuments
from shared.queries.hotels import every
from shared.queries.keys import key_of, shared_keys, summary_of
from shared.queries.pages import Place, page_of

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A key that is there."""

    id: CredentialId
    property_id: PropertyId
    version: str


@dataclass(frozen=True, slots=True)
class FoundStay:
    """A stay that somebody told of; nobody may have said yet where it is."""

    record: Reservation

    @property
    def id(self) -> ReservationId:
        """What it is called."""
        return self.record.id

    @property
    def property_id(self) -> PropertyId | None:
        """Where it is, if anybody said."""
        return self.record.property_id

    @property
    def version(self) -> str:
        """In which state it was read."""
        return self.record.version or ""


@dataclass(frozen=True, slots=True)
class KeyPage:
    """Some keys as they are shown in lists, and the cursor of the next page if there may be one."""

    keys: tuple[Json, ...]
    cursor: str | None


async def find_key(store: TenantDocuments, key: str) -> FoundKey | None:
    """Return where a key is, or None."""
    found = await key_of(store, key)
    return (
        None if found is None else FoundKey(found.id, found.credential.core.property_id, found.version or "")
    )


async def find_stay(store: TenantDocuments, reservation: str) -> FoundStay | None:
    """Return where a stay is, or None."""
    found = await store.get(stay_ref(reservation))
    return None if found is None else FoundStay(reservation_from(found))


async def find_grant(store: TenantDocuments, grant: str) -> PropertyId | None:
    """Return where a key's share of a lock is, or None."""
    found = await store.get(Ref(GRANTS, grant))
    return None if found is None else grant_from(found).grant.property_id


async def find_device(store: TenantDocuments, device: LockDeviceId) -> PropertyId | None:
    """Return where a lock is, or was before it went out of use with all its keys; else None."""
    found = await store.get(Ref("devices", device))
    if found is not None:
        return PropertyId(found.data["property_id"])
    job = await find_job(store, device)
    return None if job is None else job.property_id


async def find_finding(store: TenantDocuments, finding: str) -> PropertyId | None:
    """Return where something was found at a lock, or None."""
    found = await store.get(Ref(FINDINGS, finding))
    return None if found is None else finding_from(found).property_id


async def keys_of_stay_paged(store: TenantDocuments, reservation: str, place: Place) -> KeyPage:
    """Return some of the keys that a stay ever had, the newest first; the last page has what it shares."""
    page = await page_of(store, KEYS_OF_STAY, {"of_stay": reservation}, place)
    if page.cursor is not None:
        return _shown(page)
    own = [key_record_from(each) for each in page.documents]
    keys = (*own, *await shared_keys(store, reservation, own))
    return KeyPage(tuple(map(summary_of, keys)), None)


async def keys_at_paged(store: TenantDocuments, property_id: str, place: Place) -> KeyPage:
    """Return some of the keys that a property ever had, the newest first."""
    return _shown(await page_of(store, KEYS_AT, {"of_property": property_id}, place))


def _shown(page: Any) -> KeyPage:
    return KeyPage(tuple(summary_of(key_record_from(each)) for each in page.documents), page.cursor)


async def keys_yet_to_come(store: TenantDocuments, property_id: str) -> list[Json]:
    """Return the keys of a property that are yet to be made or moved, as their guests arrive."""
    found = [key_record_from(each) async for each in every(store, WAITING, {})]
    return [summary_of(each) for each in found if each.credential.core.property_id == property_id]


async def keys_with_tasks(store: TenantDocuments, property_id: str) -> list[Json]:
    """Return the keys of a property that failed, and that somebody has to see to."""
    found = [await key_of(store, task.ref.id) async for task in every(store, TASKS, {})]
    here = [each for each in found if each is not None and each.credential.core.property_id == property_id]
    return [summary_of(each) for each in here]


async def work_on(store: TenantDocuments, key: str) -> Json:
    """Return how the work on a key stands."""
    record = await key_of(store, key)
    assert record is not None  # noqa: S101 - whoever asks has found it
    saga, told = record.saga, summary_of(record)
    counts = {"parked": saga.parked, "lost": saga.unclaimed_starts, "broken": saga.aborted_runs}
    return {"key": record.id, "work": told["saga"], "due_at": told["due_at"], **counts}
