"""The mock's platform, if it has one: told of every key over HTTP, as real vendors are."""

from typing import Final

import orjson

from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.ports.ambient import Clock
from shared.ports.lock import LockKey
from shared.vendor_kit.guard import VendorDown
from shared.vendor_kit.http import Call, Http
from shared.vendor_kit.recording import record_exchange
from shared.vendor_kit.refusals import Operation, Refusals, Unreadable

JSON: Final = {"content-type": "application/json"}


class Post:
    """Tells an address of keys, and has their references from there."""

    def __init__(self, http: Http, url: str, vendor: VendorCode, clock: Clock) -> None:
        self._http, self._url, self._refusals, self._clock = http, url, Refusals(vendor, {}), clock

    async def ref_of(self, key: LockKey) -> Secret[str]:
        """Return the reference that the address gives a key; what it is not told, it cannot lose."""
        body = orjson.dumps({"clientNonce": key.idempotency_key})
        with self._refusals.spoken(Operation.ISSUE, key.device_id), record_exchange("key", self._clock):
            answer = await self._http.send(Call("POST", self._url, JSON, body))
            if not 200 <= answer.status < 300:
                raise VendorDown(f"answered {answer.status}")
            return _ref(answer.body)


def _ref(body: bytes) -> Secret[str]:
    try:
        ref = orjson.loads(body)["vendorRef"]
    except (ValueError, KeyError, TypeError):
        ref = None
    if not isinstance(ref, str) or not ref:
        raise Unreadable("the answer has no vendorRef")
    return Secret(ref)
