"""What a day brought to a hotel's keys, in numbers: counted once the day is over, and read ever after.

The longest waits are open-ended: a mean would hide the one lock that opened for an hour longer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import ClassVar, Final

from shared.domain.ids import PropertyId
from shared.domain.instants import instant_from_text
from shared.ledger.reading import read_record
from shared.ledger.vendor_day import VendorDay
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.streams.record import Record

FIGURES, COUNTED = "day_figures", "day_counts"
KEPT_FOR: Final = timedelta(days=800)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayFigures(Record):
    """One property's day in UTC."""

    schema_version: ClassVar[int] = 1

    property_id: PropertyId
    day: str
    requested: int = 0
    issued: int = 0
    stays: int = 0
    """Keys that were a guest's first: each a check-in without a search for a key."""
    failed: int = 0
    """Keys that could not be made; those that nobody wanted any more are not among them."""
    revoked: int = 0
    lost: int = 0
    settled: int = 0
    left: int = 0
    """Revocations that a lock did not confirm."""
    within_5s: int = 0
    within_30s: int = 0
    within_5m: int = 0
    within_30m: int = 0
    longer: int = 0
    vendors: tuple[VendorDay, ...] = ()
    """What each vendor did; a day that an older release counted says nothing of it."""

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(FIGURES, f"{self.property_id}.{self.day}")

    @property
    def kept_until(self) -> datetime:
        """When it goes: two years are compared, and no more."""
        return instant_from_text(f"{self.day}T00:00:00Z", "day") + KEPT_FOR


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedUpTo(Record):
    """Up to which day a tenant's days were counted."""

    schema_version: ClassVar[int] = 2

    day: str

    @property
    def ref(self) -> Ref:
        """Where it is kept: one a tenant."""
        return Ref(COUNTED, "days")


NUMBERS: Final = tuple(
    each.name
    for each in fields(DayFigures)
    if each.name not in {"property_id", "day", "vendors", "schema_version", "version", "strays"}
)
"""What is counted of a day."""


def figures_from(found: Document) -> DayFigures:
    """Read a day."""
    return read_record(DayFigures, found)


def counted_from(found: Document) -> CountedUpTo:
    """Read up to which day days were counted."""
    return read_record(CountedUpTo, found)


async def counted_up_to(store: TenantDocuments) -> CountedUpTo | None:
    """Return up to which day a tenant's days were counted, if any was."""
    found = await store.get(Ref(COUNTED, "days"))
    return None if found is None else counted_from(found)


def numbers_of(each: DayFigures) -> Mapping[str, int]:
    """Return a day's numbers by their names."""
    return {name: getattr(each, name) for name in NUMBERS}
