"""The contract's error codes, and what each means to us; an HTTP status stands for a body without a code."""

from typing import Final

from shared.ports.lock_causes import LockCause
from shared.vendor_kit.refusals import Meaning, Refusals, each, unpaired, unreachable
from shared.vendors.salto.capabilities import VENDOR

STALE_KEY: Final = ("401", "api_key_unknown", "api_key_expired")
CONNECTOR_DOWN: Final = "connector_down"
REFUSALS: Final = Refusals(
    VENDOR,
    {
        **each("401 403 api_key_unknown api_key_expired", unreachable(LockCause.ACCOUNT_REFUSED)),
        **each("429", unreachable(LockCause.RATE_LIMITED)),
        **each("424 connector_down offline_room", unreachable(LockCause.GATEWAY_OFFLINE)),
        **each("404 room_unknown", unpaired(LockCause.NO_SUCH_LOCK)),
        **each("key_unknown", Meaning(LockCause.NO_SUCH_KEY)),
        **each("nobody_to_copy", Meaning(LockCause.NOT_CHANGEABLE)),
        **each("phone_invalid", Meaning(LockCause.RECEIVER_REFUSED, permanent=True)),
        **each("idempotency_key_reused window_invalid", Meaning(LockCause.BAD_REQUEST, permanent=True)),
        **each("400 malformed", Meaning(LockCause.BAD_REQUEST, permanent=True)),
    },
)
