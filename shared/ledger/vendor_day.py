"""What a vendor did for a hotel in a day: counted from the rows in which it was told, and added up."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

import orjson

from shared.domain.instants import instant_from_text
from shared.domain.stored import Stored
from shared.ledger.indexes import DAYS
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.streams.telling import OUTBOX, row_ref

PAGE: Final = 1000
MOST_BACK: Final = 20
"""So far back in its key's stream a beginning is looked for that was told on another day."""
OF_KEYS: Final = "melmastoon.lock.credential."
PENDING, ISSUED = "pending", "issued"
SECOND: Final = 1000
CLASSES_MS: Final = tuple(
    each * SECOND
    for each in (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 45, 60, 90, 120, 300, 600, 1800, 3600, 21_600, 86_400)
)
"""How long a key may have taken to be in each class; the last takes whatever was longer, too."""
Where = tuple[str, str]
"""A vendor, and a property."""
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Took:
    """How many keys took so long from the first call until their vendor had confirmed, and no longer."""

    at_most_ms: int
    keys: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorDay:
    """One vendor's day at one property; two of them are added to one."""

    vendor: str
    issued: int = 0
    failed: int = 0
    revoked: int = 0
    unrevoked: int = 0
    took: Annotated[tuple[Took, ...], Stored(rows=True)] = ()

    def __add__(self, other: "VendorDay") -> "VendorDay":
        """Return what the vendor did on both."""
        return VendorDay(
            vendor=self.vendor,
            issued=self.issued + other.issued,
            failed=self.failed + other.failed,
            revoked=self.revoked + other.revoked,
            unrevoked=self.unrevoked + other.unrevoked,
            took=_together((*self.took, *other.took)),
        )

    def took_at_most(self, part: float) -> int | None:
        """Return the end of the class in which the key of a rank lies, by the nearest rank; None of none."""
        keys = sum(each.keys for each in self.took)
        rank = max(1, -(-keys * round(part * 100) // 100))
        for each in self.took:
            rank -= each.keys
            if rank <= 0:
                return each.at_most_ms
        return None


def _together(took: Iterable[Took]) -> tuple[Took, ...]:
    keys = Counter[int]()
    for each in took:
        keys[each.at_most_ms] += each.keys
    return tuple(Took(*each) for each in sorted(keys.items()))


async def rows_of(first: str, last: str, store: TenantDocuments) -> AsyncIterator[Document]:
    """Go through the rows of some days, stream by stream and in order within each."""
    cursor, page = Document(Ref(OUTBOX, "0"), {"day": first}, ""), PAGE
    while page == PAGE:
        rows = await store.query(DAYS, {}, until=last, after=cursor, limit=PAGE)
        for row in rows:
            yield row
        page, cursor = len(rows), rows[-1] if rows else cursor


def of_keys(row: Json) -> str | None:
    """Return what a row tells of a key, in a word; None of a row about something else."""
    subject = str(row["subject"])
    return subject.removeprefix(OF_KEYS).partition(".")[0] if subject.startswith(OF_KEYS) else None


async def earlier(row: Json, word: str, store: TenantDocuments) -> Json | None:
    """Return what was told of the same key before, on another day."""
    for back in range(row["sequence"] - 1, max(0, row["sequence"] - 1 - MOST_BACK), -1):
        found = await store.get(row_ref(row["aggregateId"], back))
        if found is not None and of_keys(found.data) == word:
            told: Json = orjson.loads(found.data["body"])
            return told
    return None


@dataclass(slots=True)
class VendorTally:
    """What each vendor did at each property in the rows that it was given, in their order."""

    store: TenantDocuments
    found: dict[Where, VendorDay] = field(default_factory=dict)
    began: dict[str, Json] = field(default_factory=dict)
    """What told of each key that its vendor was about to be asked."""

    async def take(self, row: Json, told: Json) -> None:
        """Count one row that tells of a key."""
        word, data = of_keys(row), told["data"]
        if word == PENDING:
            self.began[row["aggregateId"]] = told
        if word is None or word not in _COUNTED_AS or not data.get("propertyId"):
            return
        vendor = str(row["audit"].get("vendor") or data.get("vendor"))
        took = await self._took(row, told) if word == ISSUED else ()
        one = VendorDay(vendor=vendor, took=took, **{_COUNTED_AS[word](data): 1})
        self.add(one, data["propertyId"])

    def add(self, one: VendorDay, place: str) -> None:
        """Add what a vendor did at a property."""
        where = one.vendor, place
        self.found[where] = self.found[where] + one if where in self.found else one

    async def _took(self, row: Json, told: Json) -> tuple[Took, ...]:
        """Return how long a key took; nothing, where nobody told that it was begun."""
        began = self.began.pop(row["aggregateId"], None) or await earlier(row, PENDING, self.store)
        if began is None:
            return ()
        since = instant_from_text(told["time"], "time") - instant_from_text(began["time"], "time")
        least = since.total_seconds() * SECOND
        return (Took(next((each for each in CLASSES_MS if least <= each), CLASSES_MS[-1]), 1),)


_COUNTED_AS: Final[Mapping[str, Callable[[Json], str]]] = {
    ISSUED: lambda _: "issued",
    "failed": lambda _: "failed",
    "revoke_settled": lambda data: "revoked" if data.get("vendorRevokeOk") else "unrevoked",
}
