"""What vendors did for a company in a month, how well, and what that cost (A §15.5, §16.1).

Days that are over are read as they were counted (decision 0181), so that a look costs a document a day and
property, however many keys there were; today is counted from its rows in the outbox as it is asked for. How
long keys took is kept in classes: the end of the 95th percentile's class is told, and none took longer.

Days that a release before counted by the hotel alone, and whose rows are gone, say nothing of vendors: since
when a property's were counted is told, and no cost of a month that was not counted whole.
"""

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any, Final

import orjson

from shared.domain.errors import InvalidInput
from shared.ledger.day_figures import FIGURES, counted_up_to, figures_from, numbers_of
from shared.ledger.indexes import DEVICES, FIGURES_AT
from shared.ledger.vendor_day import VendorDay, VendorTally, Where, of_keys, rows_of
from shared.ledger.vendor_price import amount_text, find_price
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.queries.hotels import every, properties

MOST_DAYS: Final = 31
_MONTH: Final = re.compile(r"20[0-9]{2}-(0[1-9]|1[0-2])")
_BEFORE_ALL: Final = "!"


async def costs(store: TenantDocuments, month: str) -> dict[str, Any]:
    """Return what each vendor did at each property in a month, what it cost, and the sum by currency."""
    first, last = days_of(month)
    places = await properties(store)
    (done, since), locks = await _done(places, first, last, store), await _locks(places, store)
    for vendor, place in locks.keys() - done.keys():
        done[vendor, place] = VendorDay(vendor=vendor)
    rows = [
        _since(await _priced(where, it, locks[where], store), since.get(where[1]))
        for where, it in sorted(done.items())
    ]
    sums = Counter[str]()
    for row in rows:
        sums[row["currency"] or ""] += row.pop("amount") or 0
    sums.pop("", None)
    return {"month": month, "rows": rows, "sums": {each: amount_text(sums[each]) for each in sorted(sums)}}


def days_of(month: str) -> tuple[str, str]:
    """Return the first day of a month, and its last."""
    if not _MONTH.fullmatch(month):
        raise InvalidInput("month", "not a month", "Write one such as 2026-11")
    first = date.fromisoformat(f"{month}-01")
    following = (first + timedelta(days=32)).replace(day=1)
    return first.isoformat(), (following - timedelta(days=1)).isoformat()


async def _done(
    places: Sequence[str], first: str, last: str, store: TenantDocuments
) -> tuple[dict[Where, VendorDay], dict[str, str]]:
    """Return what each vendor did at each property, and since when those were counted that were not before.

    It is added up of counted days, and of the rows of the others.
    """
    note = await counted_up_to(store)
    counted = min(last, note.day) if note else _BEFORE_ALL
    tally, since = VendorTally(store), dict[str, str]()
    for place in places:
        before = Document(Ref(FIGURES, _BEFORE_ALL), {"property_id": place, "day": first}, "")
        at = {"property_id": place}
        for found in await store.query(FIGURES_AT, at, until=counted, after=before, limit=MOST_DAYS):
            figures = figures_from(found)
            if not figures.vendors and any(numbers_of(figures).values()):
                since[place] = _day_after(figures.day)
            for each in figures.vendors:
                tally.add(each, place)
    uncounted = max(first, _day_after(counted)) if note else first
    async for row in rows_of(uncounted, last, store):
        if of_keys(row.data) is not None:
            await tally.take(row.data, orjson.loads(row.data["body"]))
    return tally.found, since


def _since(row: dict[str, Any], since: str | None) -> dict[str, Any]:
    """Return a row as it is told: without a cost, where a part of the month was not counted."""
    unknown = {} if since is None else {"amount": None, "currency": None, "cost": None}
    return {**row, **unknown, "counted_since": since}


def _day_after(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


async def _locks(places: Sequence[str], store: TenantDocuments) -> Counter[Where]:
    """Count the locks that are mapped now: what they were in a month that is over nobody kept."""
    counted = Counter[Where]()
    for place in places:
        async for lock in every(store, DEVICES, {"property_id": place}):
            counted[str(lock.data["vendor"]), place] += 1
    return counted


async def _priced(where: Where, it: VendorDay, locks: int, store: TenantDocuments) -> dict[str, Any]:
    price = await find_price(store, where[0])
    amount = None if price is None else price.of(it.issued, it.revoked, locks)
    currency = None if price is None else price.currency
    return {
        "vendor": where[0],
        "property_id": where[1],
        "issued": it.issued,
        "failed": it.failed,
        "revoked": it.revoked,
        "unrevoked": it.unrevoked,
        "locks": locks,
        "issue_success_rate": _rate(it.issued, it.failed),
        "revoke_success_rate": _rate(it.revoked, it.unrevoked),
        "issue_p95_ms": it.took_at_most(0.95),
        "amount": amount,
        "currency": currency,
        "cost": None if amount is None else amount_text(amount),
    }


def _rate(well: int, badly: int) -> float | None:
    return round(well / (well + badly), 4) if well + badly else None
