"""What vendors did for a company in a month, how well, and what that cost (A §15.5, §16.1).

It is read off the outbox, row by row, for that is what was told: keys issued and not, how long it took from
the first call until the vendor had confirmed, and what became of keys that were to go. Rows are kept for
ninety days behind a key's end, so older months are of the copies in BigQuery.
"""

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final

import orjson

from shared.domain.errors import InvalidInput
from shared.domain.instants import instant_from_text
from shared.ledger.indexes import DAYS, DEVICES
from shared.ledger.vendor_price import amount_text, find_price
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.queries.hotels import every, properties
from shared.streams.telling import OUTBOX

PAGE: Final = 500
ROOT: Final = "melmastoon.lock.credential."
PENDING, ISSUED, FAILED, SETTLED = "pending", "issued", "failed", "revoke_settled"
COUNTED: Final = frozenset({PENDING, ISSUED, FAILED, SETTLED})
_MONTH: Final = re.compile(r"20[0-9]{2}-(0[1-9]|1[0-2])")
_BEFORE_ALL: Final = "!"
Where = tuple[str, str]
"""A vendor, and a property."""


@dataclass(slots=True)
class Done:
    """What one vendor did at one property."""

    issued: int = 0
    failed: int = 0
    revoked: int = 0
    unrevoked: int = 0
    locks: int = 0
    took_ms: list[int] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """Return it as people are shown it; a rate of nothing is none."""
        return {
            "issued": self.issued,
            "failed": self.failed,
            "revoked": self.revoked,
            "unrevoked": self.unrevoked,
            "locks": self.locks,
            "issue_success_rate": _rate(self.issued, self.failed),
            "revoke_success_rate": _rate(self.revoked, self.unrevoked),
            "issue_p95_ms": percentile(self.took_ms, 0.95),
        }


async def costs(store: TenantDocuments, month: str) -> dict[str, Any]:
    """Return what each vendor did at each property in a month, what it cost, and the sum by currency."""
    first, last = days_of(month)
    done = await _done(store, first, last)
    for where, locks in (await _locks(store)).items():
        done.setdefault(where, Done()).locks = locks
    rows = [await _priced(where, it, store) for where, it in sorted(done.items())]
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


def percentile(values: Iterable[int], part: float) -> int | None:
    """Return the value below which a part of them lie, by the nearest rank; None of none."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * round(part * 100) // 100) - 1)] if ordered else None


async def _done(store: TenantDocuments, first: str, last: str) -> dict[Where, Done]:
    done, began = dict[Where, Done](), dict[str, datetime]()
    async for row in _rows(store, first, last):
        word = str(row["subject"]).removeprefix(ROOT).partition(".")[0]
        if not str(row["subject"]).startswith(ROOT) or word not in COUNTED:
            continue
        told: Mapping[str, Any] = orjson.loads(row["body"])
        at, stream = instant_from_text(told["time"], "time"), str(row["aggregateId"])
        if word == PENDING:
            began[stream] = at
            continue
        vendor = row["audit"].get("vendor") or told["data"].get("vendor")
        it = done.setdefault((str(vendor), str(told["data"].get("propertyId"))), Done())
        _count(it, word, told["data"])
        if word == ISSUED and stream in began:
            it.took_ms.append(round((at - began.pop(stream)).total_seconds() * 1000))
    return done


def _count(it: Done, word: str, data: Mapping[str, Any]) -> None:
    match word:
        case "issued":
            it.issued += 1
        case "failed":
            it.failed += 1
        case _:
            good = bool(data.get("vendorRevokeOk"))
            it.revoked, it.unrevoked = it.revoked + good, it.unrevoked + (not good)


async def _rows(store: TenantDocuments, first: str, last: str) -> AsyncIterator[Mapping[str, Any]]:
    """Go through the rows of some days, stream by stream within each."""
    cursor, page = Document(Ref(OUTBOX, _BEFORE_ALL), {"day": first}, ""), PAGE
    while page == PAGE:
        found = await store.query(DAYS, {}, until=last, after=cursor, limit=PAGE)
        for each in found:
            yield each.data
        page, cursor = len(found), found[-1] if found else cursor


async def _locks(store: TenantDocuments) -> Counter[Where]:
    """Count the locks that are mapped now: what they were in a month that is over nobody kept."""
    counted = Counter[Where]()
    for place in await properties(store):
        async for lock in every(store, DEVICES, {"property_id": place}):
            counted[str(lock.data["vendor"]), place] += 1
    return counted


async def _priced(where: Where, it: Done, store: TenantDocuments) -> dict[str, Any]:
    price = await find_price(store, where[0])
    amount = None if price is None else price.of(it.issued, it.revoked, it.locks)
    told = {"vendor": where[0], "property_id": where[1], **it.facts(), "amount": amount}
    currency = None if price is None else price.currency
    return {**told, "currency": currency, "cost": None if amount is None else amount_text(amount)}


def _rate(well: int, badly: int) -> float | None:
    return round(well / (well + badly), 4) if well + badly else None
