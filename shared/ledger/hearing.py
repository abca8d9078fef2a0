"""A hearing: since when the doors of one property and vendor are asked who tried them, and when all were."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Final

from shared.domain.instants import Moment
from shared.ledger.reading import read_record
from shared.ports.documents import Ref, TenantDocuments
from shared.streams.record import Record

HEARINGS: Final = "hearings"
FIRST_LOOK: Final = timedelta(days=2)
OVERLAP: Final = timedelta(days=1)
"""Locks' clocks differ, and what a lock kept to itself while it was offline comes late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing(Record):
    """`polled_at`: when all doors were asked last; `after`: the last door that the present poll came to."""

    schema_version: ClassVar[int] = 1

    site: str
    polled_at: Moment | None = None
    began_at: Moment | None = None
    after: str | None = None
    unheard: tuple[str, ...] = ()
    """The doors that could not be asked by the last poll: the next asks them from as far back."""
    unheard_since: Moment | None = None
    read_back_at: Moment | None = None
    """Until when arriving keys were read back at their locks."""
    braked_at: Moment | None = None
    """When somebody was called last because a list lacked too many locks to be believed."""

    def since(self, now: datetime) -> datetime:
        """Return since when doors are asked."""
        known = [at for at in (self.polled_at, self.unheard_since) if at is not None]
        return min(known) - OVERLAP if known else now - FIRST_LOOK

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(HEARINGS, self.site)


async def hearing_of(site: str, store: TenantDocuments) -> Hearing:
    """Return how far the doors of a site were heard."""
    found = await store.get(Ref(HEARINGS, site))
    return Hearing(site=site) if found is None else read_record(Hearing, found)
