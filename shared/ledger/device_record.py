"""What is kept of a lock apart from where it hangs: how it is, how it came, what hangs there, and its events.

It lies beside the premises and not in them: a battery that fades must not have every hotel read anew.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final, Self

from shared.domain.capabilities import LockCapabilities
from shared.domain.device_health import Condition
from shared.domain.ids import LockDeviceId, PropertyId, TenantId, UserId
from shared.domain.instants import Moment
from shared.domain.kinds import VendorCode
from shared.domain.premises import LockDevice
from shared.domain.stored import Json, Stored
from shared.ledger.reading import read_record
from shared.ledger.site import site_of
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.streams.stream import Stream

DEVICE_HEALTH: Final = "device_health"
TOLD_AFTER: Final = timedelta(minutes=2)
MADE_WITH: Final = frozenset({"pin", "card_encoding", "qr", "nfc"})
"""Abilities that a lock is made with; others come and go with its gateway, or with its tenant's policy."""
ROTATED_WITHIN: Final = timedelta(hours=24)
"""After a lock was taken out of use, its vendor's account has so long to be changed (A §13.2)."""


@dataclass(frozen=True, slots=True)
class Decommission:
    """That a lock was taken out of use: by whom, and until when its account must have changed."""

    at: Moment
    by: UserId
    because: str
    rotate_by: Moment
    account_mark: str | None = None
    """A blind index of the account as it was when its adapter looked first: it tells nothing about it."""
    rotated_at: Moment | None = None
    alarmed_at: Moment | None = None
    empty_at: Annotated[Moment | None, Stored(omitted=True)] = None
    """When no key was found at it, at a look after everybody knew that it had left."""

    @property
    def done(self) -> bool:
        """Say whether nothing is left to watch for."""
        return self.rotated_at is not None and self.empty_at is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceRecord(Stream):
    """One lock; `hardware` tells its make from any other that may hang there under the same name."""

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("site", "rank")

    id: LockDeviceId
    tenant: TenantId
    property_id: PropertyId
    vendor: VendorCode
    vendor_device: str
    registered_at: Moment
    condition: Condition = field(default_factory=Condition)
    hardware: str | None = None
    able: Annotated[LockCapabilities | None, Stored(omitted=True)] = None
    """What its vendor's list says that it can do; what it is mapped with, a person said."""
    swapped_at: Annotated[Moment | None, Stored(omitted=True)] = None
    """Since when another lock answers under its name: nobody has said yet that it belongs there."""
    missing_since: Annotated[Moment | None, Stored(omitted=True)] = None
    proven_at: Annotated[Moment | None, Stored(omitted=True)] = None
    """When somebody typed a challenge at the door, and this lock opened."""
    proven_as: Annotated[str | None, Stored(omitted=True)] = None
    """To which door it was mapped then: mapped to another, it is proven no more."""
    out_of_use: Annotated[Decommission | None, Stored(omitted=True)] = None
    sequence: int = 1

    def indexed(self) -> dict[str, Json]:
        """Return what the index of a property's locks of one vendor reads."""
        return {"site": site_of(self.property_id, self.vendor), "rank": str(self.id)}

    def proven(self, mapped: LockDevice) -> datetime | None:
        """Return when it was proven to hang at the door to which it is mapped; None if it never was."""
        same = self.proven_as is None or self.proven_as == door_of(mapped)
        return self.proven_at if same else None

    def lacks(self, mapped: LockDevice) -> tuple[str, ...]:
        """Return the readers and keypads it is mapped with, and has not by its vendor's word."""
        if self.able is None:
            return ()
        return tuple(name for name in mapped.capabilities.names if name in MADE_WITH - {*self.able.names})

    def happened(self, many: int, now: datetime) -> Self:
        """Return it with so many events more, which are yet to be told."""
        return replace(self, sequence=self.sequence + many, due=now + TOLD_AFTER) if many else self

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(DEVICE_HEALTH, str(self.id))

    @property
    def _sequence(self) -> int:
        return self.sequence


def door_of(mapped: LockDevice) -> str:
    """Return to which door a lock is mapped, and as which lock of its vendor."""
    leads = [*mapped.rooms, *mapped.areas, mapped.floor or "", "back of house" * mapped.back_of_house]
    return "|".join([mapped.vendor, mapped.vendor_device, *sorted(map(str, leads))])


def device_record_from(found: Document) -> DeviceRecord:
    """Read a lock's record."""
    return read_record(DeviceRecord, found)


async def kept_of(store: TenantDocuments, device: str) -> DeviceRecord | None:
    """Return what is kept of a lock besides where it hangs, if it was ever looked at."""
    found = await store.get(Ref(DEVICE_HEALTH, str(device)))
    return None if found is None else device_record_from(found)


def state_of(record: DeviceRecord | None) -> str:
    """Return how a lock stands, the worst first."""
    if record is None or record.condition.looked_at is None:
        return "never looked at"
    if record.swapped_at is not None:
        return "swapped"
    if record.missing_since is not None:
        return "missing"
    return "offline" if record.condition.silent_since is not None else "online"
