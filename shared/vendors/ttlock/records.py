"""TTLock's unlock records: who tried a lock, the newest first, guests' passcodes in the clear among them."""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Final

from shared.domain.secret import Secret
from shared.ports.door_records import DoorRecord, Means
from shared.vendor_kit.asks import Ask, Json, Page, number_in
from shared.vendor_kit.grids import EPOCH
from shared.vendors.ttlock.api import listing

MEANS: Final[Mapping[int | None, Means]] = {
    1: Means.APP,
    4: Means.PIN,
    7: Means.CARD,
    8: Means.OTHER,
    10: Means.OTHER,
    12: Means.APP,
    49: Means.CARD,
    51: Means.CARD,
    55: Means.OTHER,
    57: Means.QR,
    58: Means.QR,
}
"""Record types that are attempts at a door; the others tell of a lock that moved by itself, or was locked."""
EXPIRED: Final = 58
DELETED: Final = 51


def list_records(lock: str, since_ms: int, page: int) -> Ask[Page[DoorRecord]]:
    """List the attempts at a lock that its own clock dates since then."""
    return listing("/v3/lockRecord/list", page, _record, lockId=lock, startDate=str(since_ms))


def records_since(lock: str, since_ms: int) -> partial[Ask[Page[DoorRecord]]]:
    """Return the list's pages."""
    return partial(list_records, lock, since_ms)


def _record(row: Json) -> DoorRecord | None:
    type_ = number_in(row.get("recordType"))
    means = MEANS.get(type_)
    if means is None:
        return None
    ms = int(row["lockDate"])
    told = str(row.get("keyboardPwd") or "")
    return DoorRecord(
        # Its number where the list has it; older records have none, and one lock does one thing at a time.
        event=str(row.get("recordId") or f"{type_}.{ms}"),
        at=EPOCH + timedelta(milliseconds=ms),
        opened=row.get("success") == 1,
        means=means,
        name=str(row.get("username") or ""),
        secret=Secret(told) if told else None,
        refused={EXPIRED: "expired", DELETED: "revoked"}.get(type_ or 0),
    )
