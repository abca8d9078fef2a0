"""What is done about vendors' accounts, told and so an entry of the audit log: who, why, and who agreed.

A deed is kept in the commit that does it, a stream of one event; the sweeper tells it. So no function that
sees to accounts need be allowed to publish, and none can do a thing that the log does not hear of.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from shared.domain.ids import TenantId
from shared.domain.instants import milliseconds
from shared.ledger.account_rotation import AccountRotation
from shared.ledger.break_glass import BreakGlass
from shared.ports.ambient import Clock, Ids
from shared.ports.documents import Create, Ref, TenantDocuments
from shared.streams.record import Record
from shared.streams.rows import Telling, row_of
from shared.streams.telling import ANNOUNCED, DUE_AT, SEQUENCE, row_write, tell

if TYPE_CHECKING:
    from shared.ports.bus import EventBus

DEEDS: Final = "account_deeds"
R = TypeVar("R", bound=Record)


class Around(Protocol):
    """What a deed takes of the ports."""

    @property
    def clock(self) -> Clock:
        """What time it is."""

    @property
    def ids(self) -> Ids:
        """New names."""


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that was done about an account: by whom, why, and on which occasion."""

    name: str
    by: str
    because: str | None
    about: dict[str, Any]

    @classmethod
    def of_rotation(cls, name: str, record: AccountRotation, because: str | None = None) -> "Deed":
        """Return what was done in a rotation, in the name of whoever began it."""
        about = {"vendor": record.vendor, "property_id": record.property_id, "turn": record.turn}
        return cls(name, record.by or "saga", because or record.because, about)

    @classmethod
    def of_glass(cls, name: str, glass: BreakGlass, by: str) -> "Deed":
        """Return what was done about broken glass, and who had agreed by then."""
        agreed = tuple(str(each.by) for each in glass.approvals)
        about = {"vendor": glass.vendor, "property_id": glass.property_id, "incident": glass.incident}
        of_it = {"break_glass_id": str(glass.id), "approvers": agreed or None}
        return cls(name, by, glass.because, {**about, **of_it})

    def writes(self, tenant: TenantId, on: Around) -> tuple[Create, Create]:
        """Return what keeps it: the row of the outbox, and that it is to be told."""
        from shared.events.vendor_account import VendorAccountHandledV1

        name, now = f"deed_{on.ids.ulid()}", on.clock.now()
        payload = VendorAccountHandledV1(deed_id=name, deed=self.name, handled_at=now, **self.about)
        telling = Telling(
            tenant=tenant,
            stream=name,
            sequence=1,
            action=self.name,
            at=now,
            vendor=str(self.about["vendor"]),
            reason=self.because,
            correlation=self.about.get("break_glass_id"),
            operator=self.by,
        )
        due = {"schema_version": 1, SEQUENCE: 1, ANNOUNCED: 0, DUE_AT: milliseconds(now)}
        return row_write(row_of(payload, telling, on.ids)), Create(Ref(DEEDS, name), due)


async def saved_with(record: R, deeds: Sequence[Deed], store: TenantDocuments, on: Around) -> R:
    """Return a record once it is kept, and in the same commit what was done."""
    writes = [write for deed in deeds for write in deed.writes(store.tenant, on)]
    version, *_ = await store.commit([record.write(), *writes])
    return record.as_found(version)


async def tell_deed(name: str, documents: TenantDocuments, bus: "EventBus") -> bool:
    """Tell a deed that nobody is known to have told."""
    return await tell(Ref(DEEDS, name), name, documents, bus)
