"""How a mock is to behave, written as an address: `mock://?fail=issue&pct=20&error=VENDOR_UNREACHABLE`.

`mock://?desk=30` has cards encoded at a desk, which somebody comes to within thirty seconds, or nobody.
`mock://?room=5` has locks that keep five keys of a kind and no more.
`mock://?post=http://127.0.0.1:9201/v3/key/get` has every key's reference from there.
"""

import math
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Any, Final, Self
from urllib.parse import parse_qsl, urlsplit

from shared.domain.capabilities import LockCapabilities
from shared.domain.errors import InvalidInput
from shared.domain.lock_errors import LOCK_ERRORS, CredentialExpired, LockError, VendorUnreachable
from shared.vendor_kit.http import checked_address

OPERATIONS: Final = ("issue", "revoke", "suspend", "unsuspend", "find", "list", "health")
_CODE: Final = "MELMASTOON.LOCK."


USUAL: Final = LockCapabilities(mobile_key=True, pin=True, remote_issue=True, remote_revoke=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What fails, how often and with what; before or after it is done; how long it takes; who is told.

    `desk`: how long a card waits for somebody at the encoder; `room`: how many keys of a kind a lock keeps.
    """

    fail: tuple[str, ...] = ()
    pct: float = 100.0
    error: type[LockError] = VendorUnreachable
    permanent: bool = False
    after: bool = False
    latency_ms: tuple[float, float] = (0.0, 0.0)
    capabilities: LockCapabilities = USUAL
    post: str | None = None
    desk: timedelta | None = None
    room: int | None = None

    @classmethod
    def parse(cls, address: str) -> Self:
        """Read an address; what it leaves out succeeds at once."""
        parts = urlsplit(address)
        if parts.scheme != "mock":
            raise InvalidInput("mock", "not a mock's address", "Begin it with mock://")
        wishes = cls()
        for name, value in parse_qsl(parts.query, keep_blank_values=True):
            wishes = replace(wishes, **_read(name, value))
        return wishes


def _read(name: str, value: str) -> dict[str, Any]:
    try:
        return _READERS[name](value)
    except (KeyError, ValueError):
        known = ", ".join(_READERS)
        raise InvalidInput("mock", "a wish it does not know", f"Use {known} as the docs say") from None


def _fail(value: str) -> dict[str, Any]:
    operations = tuple(value.split(","))
    if not set(operations) <= set(OPERATIONS):
        raise ValueError
    return {"fail": operations}


def _pct(value: str) -> dict[str, Any]:
    if not 0 <= (pct := float(value)) <= 100:
        raise ValueError
    return {"pct": pct}


def _error(value: str) -> dict[str, Any]:
    error = LOCK_ERRORS[_CODE + value]
    if error is CredentialExpired:
        raise ValueError(value)  # a lock knows nothing of our credentials' ids
    return {"error": error}


def _permanent(value: str) -> dict[str, Any]:
    return {"permanent": {"true": True, "false": False}[value]}


def _when(value: str) -> dict[str, Any]:
    return {"after": {"before": False, "after": True}[value]}


def _latency(value: str) -> dict[str, Any]:
    shortest, _dash, longest = value.partition("-")
    latency = float(shortest), float(longest or shortest)
    if not 0 <= latency[0] <= latency[1] < math.inf:
        raise ValueError
    return {"latency_ms": latency}


def _capabilities(value: str) -> dict[str, Any]:
    names = {field.name for field in fields(LockCapabilities)}
    wanted = set(filter(None, value.split(",")))
    if not wanted <= names:
        raise ValueError
    return {"capabilities": LockCapabilities(**dict.fromkeys(wanted, True))}


def _desk(value: str) -> dict[str, Any]:
    if not 0 < (waits := float(value)) < math.inf:
        raise ValueError
    return {"desk": timedelta(seconds=waits)}


def _room(value: str) -> dict[str, Any]:
    if (keys := int(value)) < 1:
        raise ValueError
    return {"room": keys}


def _post(value: str) -> dict[str, Any]:
    parts = urlsplit(value)
    try:
        checked_address(f"{parts.scheme}://{parts.netloc}")
    except InvalidInput:
        raise ValueError(value) from None
    return {"post": value.rstrip("/")}


_READERS: Final = {
    "fail": _fail,
    "pct": _pct,
    "error": _error,
    "permanent": _permanent,
    "when": _when,
    "latency": _latency,
    "capabilities": _capabilities,
    "post": _post,
    "desk": _desk,
    "room": _room,
}
