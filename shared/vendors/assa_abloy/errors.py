"""Assa Abloy's error codes, and what each means to us; an HTTP status stands for a body without a code."""

from typing import Final

from shared.ports.lock_causes import LockCause
from shared.vendor_kit.refusals import Meaning, Refusals, each, unpaired, unreachable
from shared.vendors.assa_abloy.capabilities import VENDOR

STALE_TOKEN: Final = ("401", "unauthorized")
IN_MAINTENANCE: Final = "maintenance"
REFUSALS: Final = Refusals(
    VENDOR,
    {
        **each("401 unauthorized", unreachable(LockCause.TOKEN_REFUSED)),
        **each("403 invalid_client", unreachable(LockCause.ACCOUNT_REFUSED, permanent=True)),
        **each("429 rate_limited", unreachable(LockCause.RATE_LIMITED)),
        **each(IN_MAINTENANCE, unreachable(LockCause.MAINTENANCE)),
        **each("door_offline", unreachable(LockCause.GATEWAY_OFFLINE)),
        **each("404 door_not_found", unpaired(LockCause.NO_SUCH_LOCK)),
        **each("door_full", Meaning(LockCause.LOCK_FULL, permanent=True)),
        **each("grant_not_found", Meaning(LockCause.NO_SUCH_KEY)),
        **each("422 endpoint_not_registered", Meaning(LockCause.RECEIVER_REFUSED, permanent=True)),
        **each("idempotency_key_reused validity_invalid", Meaning(LockCause.BAD_REQUEST, permanent=True)),
        **each("400 malformed", Meaning(LockCause.BAD_REQUEST, permanent=True)),
    },
)
