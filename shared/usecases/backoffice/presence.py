"""Whether the guest of a stay is in the house, by the youngest word of reception.

| heard | before | kept |
|---|---|---|
| came in | nothing, or an older word | here, since then |
| went | nothing, or a word that is no younger | gone, since then |
| either | a younger word | that word |

Words come in any order: who is told to have gone is not shown as here by a check-in that comes late.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final, Self

from shared.domain.ids import PropertyId, ReservationId
from shared.domain.instants import Moment
from shared.domain.stored import UNSTORED, Stored
from shared.ledger.reading import read_record
from shared.ports.documents import Ref, TenantDocuments
from shared.streams.record import Record

ARRIVED: Final = "backoffice_arrived"
KEPT_FOR: Final = timedelta(days=120)


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence(Record):
    """What reception said last of one stay's guest; only who is here stands in its property's index."""

    schema_version: ClassVar[int] = 1

    reservation: Annotated[ReservationId | None, UNSTORED] = None
    property_id: Annotated[PropertyId | None, Stored(omitted=True)] = None
    since: Annotated[Moment | None, Stored(omitted=True)] = None
    left: Annotated[Moment | None, Stored(omitted=True)] = None

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(ARRIVED, str(self.reservation))

    @property
    def kept_until(self) -> datetime | None:
        """When it goes: no stay lasts as long."""
        last = max((at for at in (self.since, self.left) if at is not None), default=None)
        return None if last is None else last + KEPT_FOR

    def came(self, house: PropertyId | None, at: datetime) -> Self | None:
        """Return it after a check-in; None where a younger word counts."""
        if self.since is not None or (self.left is not None and at <= self.left):
            return None
        return replace(self, property_id=house, since=at, left=None)

    def went(self, at: datetime) -> Self | None:
        """Return it after a check-out; None where a younger word counts."""
        if (self.since is not None and at < self.since) or (self.left is not None and at <= self.left):
            return None
        return replace(self, property_id=None, since=None, left=at)


async def presence_of(stay: ReservationId, store: TenantDocuments) -> Presence:
    """Return what was said last of a stay's guest."""
    found = await store.get(Ref(ARRIVED, stay))
    kept = Presence() if found is None else read_record(Presence, found)
    return replace(kept, reservation=stay)
