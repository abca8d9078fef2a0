"""TTLock's error codes, which come under HTTP 200, and what each means to us."""

from datetime import datetime, timedelta, timezone
from typing import Final

from shared.domain.kinds import TTLOCK
from shared.domain.lock_errors import DeviceNotPaired, LockError, VendorUnreachable
from shared.ports.lock_causes import PIN_REFUSED, PIN_TAKEN, WINDOW_SPENT
from shared.vendor_kit.refusals import Meaning, Refusals

UNREACHED: Final = ("-3002", "-3036", "-3035")
"""The gateway or the lock's own radio is out of reach: only a computed passcode can do without."""
OUT_OF_REACH: Final = (*UNREACHED, "-2012")
"""So is a lock that no gateway hears: its battery is empty, or it is too far away."""
ASTRAY: Final = (*OUT_OF_REACH, "-3003", "-4037")
"""The gateway is busy though it is our turn, or away, or none: perhaps the lock has another by now."""
GONE: Final = ("-1008", "-2009", "-1021")
NOT_CHANGEABLE: Final = ("-3008", "-2023")
SAME_PASSCODE: Final = "-3007"
WINDOW_TAKEN: Final = "-1026"
SERVER_ERROR: Final = "90000"
CLOCK_OFF: Final = "80000"
STALE_TOKEN: Final = ("10003", "10004")
BAD_REFRESH_TOKEN: Final = "10011"  # noqa: S105 - an error code
QUOTA_SPENT: Final = "quota_spent"
_BEIJING: Final = timezone(timedelta(hours=8))


def _each(codes: str, meaning: Meaning) -> dict[str, Meaning]:
    return dict.fromkeys(codes.split(), meaning)


def _unreachable(cause: str, *, permanent: bool = False) -> Meaning:
    return Meaning(cause, VendorUnreachable, permanent)


REFUSALS: Final = Refusals(
    TTLOCK,
    {
        **_each("90000", _unreachable("server_error")),
        **_each("10003 10004 10011", _unreachable("token_refused")),
        **_each("10000 10001 10007", _unreachable("account_refused", permanent=True)),
        **_each("30008", _unreachable("wrong_region", permanent=True)),
        **_each("80000", _unreachable("clock_off")),
        **_each("30006 429", _unreachable("rate_limited")),
        **_each("30007", _unreachable(QUOTA_SPENT)),
        **_each("-3002 -3036 -3035", _unreachable("gateway_offline")),
        **_each("-3003", _unreachable("gateway_busy")),
        **_each("-3037", _unreachable("lock_busy")),
        **_each("-2012", Meaning("no_gateway", DeviceNotPaired)),
        **_each("-1003 -4037", Meaning("no_such_lock", DeviceNotPaired)),
        **_each("-3034 -4067", Meaning("not_provisioned", DeviceNotPaired)),
        **_each("20002 -2018", Meaning("no_permission", DeviceNotPaired)),
        **_each("-3007", Meaning(PIN_TAKEN)),
        **_each("-3006 -2032", Meaning(PIN_REFUSED)),
        **_each(WINDOW_TAKEN, Meaning(WINDOW_SPENT)),
        **_each("-3009 -4056", Meaning("lock_full", permanent=True)),
        **_each("-4043", Meaning("not_supported", permanent=True)),
        **_each("-2025", Meaning("lock_frozen", permanent=True)),
        **_each("-4064 -1027", Meaning("receiver_refused", permanent=True)),
        **_each("-1008 -2009 -1021", Meaning("no_such_key")),
        **_each("-3008 -2023", Meaning("not_changeable")),
        **_each("-3 80002 1", Meaning("bad_request")),
    },
)
"""Facts §1, and HTTP's 429. What is not listed refuses whatever was being done, and may be tried again."""

WAITS: Final = {
    "gateway_busy": timedelta(seconds=3),
    "lock_busy": timedelta(seconds=3),
    "throttled": timedelta(seconds=30),
    "circuit_open": timedelta(seconds=30),
    "rate_limited": timedelta(minutes=2),
}


def wait_after(error: LockError, now: datetime) -> timedelta | None:
    """Return how long TTLock wants to be left alone; a spent quota is renewed with Beijing's month."""
    if error.cause.kind == QUOTA_SPENT:
        return _next_month(now) - now
    return WAITS.get(error.cause.kind)


def _next_month(now: datetime) -> datetime:
    first = now.astimezone(_BEIJING).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first + timedelta(days=32)).replace(day=1)
