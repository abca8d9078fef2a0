"""Who can open a room now, or could: every key at its doors, and what was found there that is nobody's.

| at the lock | opens |
|---|---|
| a key that stands, in its time | now |
| the same, before its time | later |
| a key that is yet to come, whose call may be under way | perhaps |
| one that was to go or rest, and whose lock has not said yes | perhaps, until its time is over |
| one at rest, as its lock agreed | no |
| a key that nobody gave, or that should be gone | perhaps |
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from shared.domain.core import Guest
from shared.domain.grant_lifecycle import Placed, Resting
from shared.domain.premises import LockDevice
from shared.ledger.finding import Finding, finding_from
from shared.ledger.grant_record import GrantRecord, Wish, grant_from
from shared.ledger.indexes import AT_DEVICE, FOUND_AT
from shared.ledger.key_record import KeyRecord
from shared.ports.documents import TenantDocuments
from shared.queries.attention import may_still_open
from shared.queries.grants import at_or_none
from shared.queries.hotels import every
from shared.queries.keys import key_of


@dataclass(slots=True)
class Looking:
    """One look at some doors: whose keys were met is read once."""

    store: TenantDocuments
    now: datetime
    keys: dict[str, KeyRecord | None] = field(default_factory=dict)

    async def key(self, name: str) -> KeyRecord | None:
        """Return a key that was met."""
        if name not in self.keys:
            self.keys[name] = await key_of(self.store, name)
        return self.keys[name]


async def who_can_open(
    store: TenantDocuments, doors: tuple[LockDevice, ...], now: datetime
) -> list[dict[str, Any]]:
    """Return everything that opens some doors, or may; what opens now comes first."""
    looking = Looking(store, now)
    found = [each for door in doors async for each in _at_door(door, looking)]
    order = ("now", "perhaps", "later", "no")
    return sorted(found, key=lambda each: (order.index(each["opens"]), str(each["until"])))


async def _at_door(door: LockDevice, looking: Looking) -> AsyncIterator[dict[str, Any]]:
    async for document in every(looking.store, AT_DEVICE, {"device_id": str(door.id)}):
        kept = grant_from(document)
        yield {**_place(door), **await _by_key(kept, looking)}
    async for document in every(looking.store, FOUND_AT, {"at_lock": str(door.id)}):
        for told in _by_finding(finding_from(document), looking.now):
            yield {**_place(door), **told}


def _place(door: LockDevice) -> dict[str, Any]:
    return {"device": door.id, "label": door.label, "vendor": door.vendor}


async def _by_key(kept: GrantRecord, looking: Looking) -> dict[str, Any]:
    record = await looking.key(kept.grant.credential_id)
    opens, because = how_it_opens(kept, looking.now)
    leaving = opens == "perhaps" and kept.grant.exposure_until is not None
    return {
        "id": kept.grant.id,
        "key": kept.grant.credential_id,
        **_holder(record),
        "kind": kept.grant.kind.value,
        "opens": opens,
        "because": because,
        "from": at_or_none(kept.opens[0]),
        "until": at_or_none(kept.grant.exposure_until if leaving else kept.opens[1]),
    }


def _holder(record: KeyRecord | None) -> dict[str, str | None]:
    holder = None if record is None else record.credential.core.holder
    if isinstance(holder, Guest):
        return {"reservation": holder.reservation_id, "staff": None}
    return {"reservation": None, "staff": None if holder is None else holder.user_id}


def how_it_opens(kept: GrantRecord, now: datetime) -> tuple[str, str]:
    """Say whether a key opens its lock, and why."""
    if may_still_open(kept, now):
        return "perhaps", "the lock has not heard that it is to open no more, or less"
    state = kept.grant.state
    if isinstance(state, Resting):
        return ("no", "at rest") if kept.wish is Wish.REST else ("no", "it is to wake, and has not yet")
    if isinstance(state, Placed) and kept.wish is Wish.OPEN:
        return _by_time(kept, now)
    if kept.wanted and kept.busy(now):
        return "perhaps", "its lock is being asked just now"
    return "no", "it has not come to its lock" if kept.wanted else "its lock said that it is gone"


def _by_time(kept: GrantRecord, now: datetime) -> tuple[str, str]:
    begins, ends = kept.opens
    if now < begins:
        return "later", "its time has not begun"
    if now >= ends:
        return "no", "its time is over"
    return "now", "a key of its stay"


def _by_finding(finding: Finding, now: datetime) -> Iterator[dict[str, Any]]:
    if finding.may_open(now):
        yield {
            "id": finding.id,
            "key": finding.credential_id,
            "reservation": None,
            "staff": None,
            "kind": finding.key_kind.value,
            "opens": "perhaps",
            "because": "a person let it stand"
            if finding.adopted
            else f"found at the lock: {finding.kind.value}",
            "from": at_or_none(finding.opens_from),
            "until": at_or_none(finding.opens_until),
        }
