"""Who comes to a hotel within a span of time, and how far their keys are: the one reader, for every board.

| asked | once | of |
|---|---|---|
| the span's stays | a query | the index of a property's stays by arrival |
| the span's keys at their locks | a query | the index of a property's grants by beginning |
| the stays' keys | a reading of many by id, a thousand at a time | |
| a key that opens from before | a query for each | of a guest who stays on by another booking |

| readiness, the least of a stay's doors | is |
|---|---|
| `none`, `failed` | nobody will get in: somebody must act |
| `waiting` | no vendor has confirmed the key yet |
| `resting` | something holds the stay |
| `accepted` | the vendor has it; the lock may not have heard |
| `on_lock`, `used` | the lock has it; it has opened |
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from shared.domain.grant_lifecycle import Intended, Placed, Resting
from shared.domain.instants import milliseconds
from shared.domain.kinds import SetRole
from shared.domain.states import Active, Failed, Suspended
from shared.ledger.grant_record import GrantRecord, Wish, grant_from
from shared.ledger.indexes import COMING, STAYS_AT
from shared.ledger.key_record import KeyRecord, key_record_from, ref_of
from shared.ledger.reading import all_of, from_value
from shared.ledger.reservation import Reservation, Status, reservation_from
from shared.ledger.stay import Stay
from shared.ports.document_limits import MOST_RESULTS
from shared.ports.documents import Document, Index, TenantDocuments
from shared.queries.grants import grants_of

READINESS: Final = ("none", "failed", "waiting", "resting", "accepted", "on_lock", "used")
"""From the worst to the best."""
READY: Final = frozenset({"accepted", "on_lock", "used"})


@dataclass(frozen=True, slots=True)
class Span:
    """From when until when guests arrive who are asked about."""

    begins: datetime
    ends: datetime

    @classmethod
    def day(cls, day: date, zone: str) -> "Span":
        """Return a day by the clock on a wall; those of a change of clocks are longer or shorter."""
        wall = ZoneInfo(zone)
        first = datetime(day.year, day.month, day.day, tzinfo=wall)
        following = day + timedelta(days=1)
        return cls(first, datetime(following.year, following.month, following.day, tzinfo=wall))

    @classmethod
    def today(cls, now: datetime, zone: str) -> "Span":
        """Return the day that it is on a wall."""
        return cls.day(now.astimezone(ZoneInfo(zone)).date(), zone)


@dataclass(frozen=True, slots=True)
class Coming:
    """A confirmed stay that begins, its keys, and each key's grants at the doors."""

    record: Reservation
    stay: Stay
    keys: tuple[KeyRecord, ...]
    doors: Mapping[str, Sequence[GrantRecord]]

    @property
    def readiness(self) -> str:
        """The least of its keys but those that open once, and copies that are over."""
        keys = (key for key in self.keys if not _is_beside(key))
        return min(map(self.readiness_of, keys), key=READINESS.index, default="none")

    def readiness_of(self, key: KeyRecord) -> str:
        """Return how ready one key is: as its state says, or as the door that knows least of it."""
        state = key.credential.state
        if isinstance(state, Failed):
            return "failed"
        if isinstance(state, Suspended):
            return "resting"
        if not isinstance(state, Active):
            return "waiting" if key.to_be_made else "none"
        return min(map(at_door, self.wanted(key)), key=READINESS.index, default="accepted")

    def wanted(self, key: KeyRecord) -> list[GrantRecord]:
        """Return the doors that a key is to open, or to open again."""
        grants = self.doors.get(key.id, ())
        return [kept for kept in grants if kept.wish in (Wish.OPEN, Wish.REST) and kept.wanted]


def _is_beside(key: KeyRecord) -> bool:
    role = key.credential.core.role
    return role is SetRole.ONE_SHOT or (role is SetRole.COPY and key.credential.is_withdrawn)


def at_door(kept: GrantRecord) -> str:
    """Return how much one door knows of a key."""
    match kept.grant.state:
        case Placed(placement=placement):
            return placement.value
        case Resting():
            return "resting"
        case Intended() | _:
            return "waiting"


async def coming(store: TenantDocuments, house: str, span: Span) -> list[Coming]:
    """Return the confirmed stays of a hotel that begin within a span, in the order of their arrival."""
    stays = [reservation_from(each) for each in await _within(store, STAYS_AT, {"property_id": house}, span)]
    grants = await _within(store, COMING, {"grant.property_id": house}, span)
    doors = defaultdict[str, list[GrantRecord]](list)
    for each in map(grant_from, grants):
        doors[each.grant.credential_id].append(each)
    confirmed = [each for each in stays if each.status is Status.CONFIRMED]
    keys = await _keys(store, confirmed)
    for key in keys.values():
        if key.id not in doors and key.credential.core.window.start < span.begins:
            doors[key.id] = await grants_of(store, key.id)
    return [
        Coming(each, each.stay, tuple(keys[name] for name in each.credentials if name in keys), doors)
        for each in confirmed
        if each.stay is not None
    ]


async def _within(
    store: TenantDocuments, index: Index, equals: Mapping[str, Any], span: Span
) -> list[Document]:
    until, after = milliseconds(span.ends) - 1, from_value(index, milliseconds(span.begins))
    found = list[Document]()
    while True:
        page = await store.query(index, equals, until=until, after=after, limit=MOST_RESULTS)
        found += page
        if len(page) < MOST_RESULTS:
            return found
        after = page[-1]


async def _keys(store: TenantDocuments, stays: Iterable[Reservation]) -> dict[str, KeyRecord]:
    found = await all_of(store, [ref_of(key) for stay in stays for key in stay.credentials])
    keys = [key_record_from(each) for each in found if each is not None]
    return {each.id: each for each in keys}
