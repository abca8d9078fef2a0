"""The endpoints that tell of locks and gateways; of a lock's detail, full of secrets, two fields."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from shared.vendor_kit.asks import Ask, Json, Page, number_in
from shared.vendor_kit.grids import EPOCH
from shared.vendor_kit.relays import WEAKEST, Hearers, Near
from shared.vendors.ttlock.api import GATEWAY_SECONDS, listing

PERCENT: Final = range(101)
_FIRMWARE: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]{0,31}")


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock as the vendor lists it."""

    id: str
    label: str
    features: int | None
    battery: int | None
    hardware: str | None = None
    """Its radio's address: another lock under the same number has another."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway, which relays to the locks around it."""

    id: str
    online: bool


@dataclass(frozen=True, slots=True)
class Detail:
    """What we want to know of a lock, by itself."""

    battery: int | None
    firmware: str | None = None


def list_locks(page: int) -> Ask[Page[Lock]]:
    """List the account's locks."""
    return listing("/v3/lock/list", page, _lock)


def list_gateways(page: int) -> Ask[Page[Gateway]]:
    """List the account's gateways."""
    return listing("/v3/gateway/list", page, _gateway)


def list_locks_of_gateway(gateway: str) -> Ask[tuple[Near, ...]]:
    """List the locks that a gateway has heard within half an hour; this list has no pages."""
    return Ask("GET", "/v3/gateway/listLock", {"gatewayId": gateway}, _near("lockId"))


def list_gateways_of_lock(lock: str) -> Ask[tuple[Near, ...]]:
    """List the gateways that have heard a lock within half an hour; the vendor takes the best of them."""
    return Ask("GET", "/v3/gateway/listByLock", {"lockId": lock}, _near("gatewayId"))


def lock_detail(lock: str) -> Ask[Detail]:
    """Ask the cloud, not the lock, what it knows of a lock."""
    return Ask("GET", "/v3/lock/detail", {"lockId": lock}, _detail)


def clock_ahead(lock: str) -> Ask[timedelta]:
    """Ask the cloud by how much a lock's own clock is set ahead of UTC."""
    return Ask("GET", "/v3/lock/detail", {"lockId": lock}, _ahead)


def query_date(lock: str) -> Ask[datetime]:
    """Ask a lock what time it is."""
    return Ask("GET", "/v3/lock/queryDate", {"lockId": lock}, _date, GATEWAY_SECONDS)


def _lock(row: Json) -> Lock:
    # What is odd about one lock must not hide the others.
    features, battery = number_in(row.get("featureValue"), 16), _battery(row)
    hardware = str(row.get("lockMac") or "") or None
    return Lock(str(row["lockId"]), str(row.get("lockAlias") or ""), features, battery, hardware)


def _gateway(row: Json) -> Gateway:
    return Gateway(str(row["gatewayId"]), row.get("isOnline") == 1)


def _near(id_: str) -> Callable[[Json], tuple[Near, ...]]:
    return lambda answer: tuple(
        Near(str(row[id_]), number_in(row.get("rssi")) or WEAKEST, _instant(row.get("updateDate")))
        for row in answer["list"]
    )


def _ahead(answer: Json) -> timedelta:
    return timedelta(milliseconds=int(answer.get("timezoneRawOffset") or 0))


def _detail(answer: Json) -> Detail:
    firmware = str(answer.get("firmwareRevision") or "")
    return Detail(_battery(answer), firmware if _FIRMWARE.fullmatch(firmware) else None)


def _date(answer: Json) -> datetime:
    return datetime.fromtimestamp(int(answer["date"]) / 1000, UTC)


def _battery(row: Json) -> int | None:
    percent = number_in(row.get("electricQuantity"))
    return percent if percent in PERCENT else None


def _instant(told: Json) -> datetime | None:
    with suppress(OverflowError):
        milliseconds = number_in(told)
        return None if milliseconds is None else EPOCH + timedelta(milliseconds=milliseconds)
    return None


HEARERS: Final = Hearers(list_gateways_of_lock, list_locks_of_gateway)
