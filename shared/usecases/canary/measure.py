"""How well an adapter's build did, counted from the calls that the ledger noted at each lock (A §15.5).

| figure | counts |
|---|---|
| issue.success.rate | places asked for the first time: those that the lock took, of all that were answered |
| issue.p95 | how long the vendor took for those that the lock took, without our own line before it |
| revoke.success.rate | the same of removals |
| vendor.error.rate | of all calls made, those that ended in an error, or whose end nobody heard |

Both sides are counted alike: the first time that a lock was asked for something. A next build has but one
chance at each, and what the present build mends later is no merit of the next one. What a vendor has in hand,
and calls that were never made, for a limit or an open circuit, say nothing of a build.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import orjson

from shared.domain.kinds import VendorCode
from shared.kernel.percentile import percentile
from shared.ledger.canary import Figures, trials_of
from shared.ledger.grant_record import MOST_GRANTS, PLACE, REMOVE, YES, GrantRecord, grant_from
from shared.ledger.indexes import DAYS, OF_CREDENTIAL
from shared.ledger.job_in_hand import IN_HAND
from shared.ledger.vendor_calls import CallMade
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.streams.telling import OUTBOX

PATIENCE: Final = timedelta(minutes=5)
"""Longer than any call of an adapter lasts: what is open after it was lost."""
PAGE: Final = 500
OF_KEYS: Final = "melmastoon.lock.credential."
_BEFORE_ALL: Final = "!"
P95: Final = 0.95
Span = tuple[datetime, datetime]


@dataclass(slots=True)
class _Tally:
    placed: int = 0
    unplaced: int = 0
    removed: int = 0
    unremoved: int = 0
    calls: int = 0
    errors: int = 0
    took: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def count(self, calls: Iterable[CallMade]) -> None:
        """Count one lock's calls in their order."""
        asked = set[str]()
        for call in calls:
            good = call.answer in YES
            self.calls, self.errors = self.calls + 1, self.errors + (not good)
            if call.asked not in asked:
                asked.add(call.asked)
                self._first(call, good=good)

    def lost(self, *, opens: bool) -> None:
        """Count what was begun, and of which nothing came."""
        self.calls, self.errors = self.calls + 1, self.errors + 1
        self.unplaced, self.unremoved = self.unplaced + opens, self.unremoved + (not opens)

    def figures(self) -> Figures:
        """Return what was counted."""
        days = [percentile(each, P95) for each in self.took.values()]
        return Figures(
            placed=self.placed,
            unplaced=self.unplaced,
            removed=self.removed,
            unremoved=self.unremoved,
            calls=self.calls,
            errors=self.errors,
            p95_ms=percentile([each for day in self.took.values() for each in day], P95),
            worst_p95_ms=max((each for each in days if each is not None), default=None),
        )

    def _first(self, call: CallMade, *, good: bool) -> None:
        if call.asked == PLACE:
            self.placed, self.unplaced = self.placed + good, self.unplaced + (not good)
            if good and call.took_ms is not None:
                self.took[call.at.date().isoformat()].append(call.took_ms)
        elif call.asked == REMOVE:
            self.removed, self.unremoved = self.removed + good, self.unremoved + (not good)


async def before_trial(store: TenantDocuments, property_id: str, vendor: VendorCode, span: Span) -> Figures:
    """Return how a vendor's adapter did at a property in some days."""
    tally = _Tally()
    for key in await _keys_told_of(store, property_id, span):
        await _count(tally, key, span, vendor, store)
    return tally.figures()


async def on_trial(store: TenantDocuments, vendor: VendorCode, turn: str, now: datetime) -> Figures:
    """Return how the next build did with what it was handed in a turn."""
    tally = _Tally()
    for trial in await trials_of(store, turn):
        if trial.ended_at is not None:
            await _count(tally, trial.key, (trial.at, trial.ended_at), vendor, store)
        elif trial.at + PATIENCE <= now:
            tally.lost(opens=trial.opens)
    return tally.figures()


async def _count(tally: _Tally, key: str, span: Span, vendor: VendorCode, store: TenantDocuments) -> None:
    found = await store.query(OF_CREDENTIAL, {"credential_id": key}, limit=MOST_GRANTS)
    for kept in map(grant_from, found):
        if kept.grant.vendor == vendor:
            tally.count(_within(kept, span))


def _within(kept: GrantRecord, span: Span) -> Iterator[CallMade]:
    for call in kept.calls:
        if call.made and call.answer != IN_HAND and span[0] <= call.at <= span[1]:
            yield call


async def _keys_told_of(store: TenantDocuments, property_id: str, span: Span) -> list[str]:
    """Return the keys of a property of which anything was told in some days."""
    first, last = (each.date().isoformat() for each in span)
    keys, cursor = dict[str, None](), Document(Ref(OUTBOX, _BEFORE_ALL), {"day": first}, "")
    while page := await store.query(DAYS, {}, until=last, after=cursor, limit=PAGE):
        for row in page:
            if str(row.data["subject"]).startswith(OF_KEYS):
                told = orjson.loads(row.data["body"])["data"]
                keys |= {str(row.data["aggregateId"]): None} if told.get("propertyId") == property_id else {}
        cursor = page[-1]
    return list(keys)
