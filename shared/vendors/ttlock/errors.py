"""TTLock's error codes, which come under HTTP 200, and what each means to us."""

from datetime import datetime, timedelta, timezone
from typing import Final

from shared.domain.lock_errors import LockError
from shared.ports.lock_causes import LockCause
from shared.vendor_kit.refusals import WAITS, Meaning, Refusals, each, unpaired, unreachable
from shared.vendors.ttlock.capabilities import TTLOCK

OUT_OF_REACH: Final = ("-3002", "-3036", "-3035", "-2012")
"""The gateway or the lock's own radio is out of reach; or no gateway hears the lock at all."""
ASTRAY: Final = (*OUT_OF_REACH, "-3003", "-4037")
"""The gateway is busy though it is our turn, or away, or none: perhaps the lock has another by now."""
WINDOW_TAKEN: Final = "-1026"
SERVER_ERROR: Final = "90000"
CLOCK_OFF: Final = "80000"
STALE_TOKEN: Final = ("10003", "10004")
BAD_REFRESH_TOKEN: Final = "10011"  # noqa: S105 - an error code
_BEIJING: Final = timezone(timedelta(hours=8))


REFUSALS: Final = Refusals(
    TTLOCK,
    {
        **each("90000", unreachable(LockCause.SERVER_ERROR)),
        **each("10003 10004 10011", unreachable(LockCause.TOKEN_REFUSED)),
        **each("10000 10001 10007", unreachable(LockCause.ACCOUNT_REFUSED, permanent=True)),
        **each("30008", unreachable(LockCause.WRONG_REGION, permanent=True)),
        **each("80000", unreachable(LockCause.CLOCK_OFF)),
        **each("30006 429", unreachable(LockCause.RATE_LIMITED)),
        **each("30007", unreachable(LockCause.QUOTA_SPENT)),
        **each("-3002 -3036 -3035", unreachable(LockCause.GATEWAY_OFFLINE)),
        **each("-3003", unreachable(LockCause.GATEWAY_BUSY)),
        **each("-3037", unreachable(LockCause.LOCK_BUSY)),
        **each("-2012", unreachable(LockCause.NO_GATEWAY)),
        **each("-1003 -4037", unpaired(LockCause.NO_SUCH_LOCK)),
        **each("-3034 -4067", unpaired(LockCause.NOT_PROVISIONED)),
        **each("20002 -2018", unpaired(LockCause.NO_PERMISSION)),
        **each("-3007", Meaning(LockCause.PIN_TAKEN)),
        **each("-3006 -2032", Meaning(LockCause.PIN_REFUSED)),
        **each(WINDOW_TAKEN, Meaning(LockCause.WINDOW_SPENT)),
        **each("-3009 -4056", Meaning(LockCause.LOCK_FULL, permanent=True)),
        **each("-4043", Meaning(LockCause.NOT_SUPPORTED, permanent=True)),
        **each("-2025", Meaning(LockCause.LOCK_FROZEN, permanent=True)),
        **each("-4064 -1027", Meaning(LockCause.RECEIVER_REFUSED, permanent=True)),
        **each("-1008 -2009 -1021", Meaning(LockCause.NO_SUCH_KEY)),
        **each("-3008 -2023", Meaning(LockCause.NOT_CHANGEABLE)),
        **each("-3 80002 1", Meaning(LockCause.BAD_REQUEST)),
    },
)
"""Facts §1, and HTTP's 429. What is not listed refuses whatever was being done, and may be tried again."""


def wait_after(error: LockError, now: datetime) -> timedelta | None:
    """Return how long TTLock wants to be left alone; a spent quota is renewed with Beijing's month."""
    if error.cause.kind == LockCause.QUOTA_SPENT:
        return _next_month(now) - now
    return WAITS.get(error.cause.kind)


def _next_month(now: datetime) -> datetime:
    first = now.astimezone(_BEIJING).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first + timedelta(days=32)).replace(day=1)
