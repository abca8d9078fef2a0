"""Acme's error codes, and what each means to us; an HTTP status stands for a body without a code."""

from typing import Final

from shared.ports.lock_causes import LockCause
from shared.vendor_kit.refusals import Meaning, Refusals, each, unpaired, unreachable
from shared.vendors.acme.capabilities import VENDOR

STALE_TOKEN: Final = ("401", "unauthorized")
REFUSALS: Final = Refusals(
    VENDOR,
    {
        **each("401 unauthorized", unreachable(LockCause.TOKEN_REFUSED)),
        **each("403 bad_client", unreachable(LockCause.ACCOUNT_REFUSED, permanent=True)),
        **each("429", unreachable(LockCause.RATE_LIMITED)),
        **each("lock_offline", unreachable(LockCause.GATEWAY_OFFLINE)),
        **each("no_such_lock", unpaired(LockCause.NO_SUCH_LOCK)),
        **each("no_such_key", Meaning(LockCause.NO_SUCH_KEY)),
        **each("pin_taken", Meaning(LockCause.PIN_TAKEN)),
        **each("malformed", Meaning(LockCause.BAD_REQUEST)),
    },
)
