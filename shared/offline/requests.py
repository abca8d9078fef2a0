"""A desk's requests: each signed with the device key over all that it says, and good for two minutes.

    x-desk            <tenant>/<device>
    x-desk-time       when, by the desk's clock as the cloud last corrected it
    x-desk-nonce      drawn anew for each request
    x-desk-signature  Ed25519 over the purpose, a zero byte, and the RFC 8785 bytes of all of the above with
                      method, path and SHA-256 of the body

Who signed is known by the key on record, never by one in the request.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Self

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from shared.domain.errors import InvalidInput
from shared.domain.ids import DesktopDeviceId, TenantId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.offline.signing import SignedRefused, message

PURPOSE: Final = "keyfleet desk request"
WHO, TIME, NONCE, SIGNATURE = "x-desk", "x-desk-time", "x-desk-nonce", "x-desk-signature"
CLOUD_TIME: Final = "x-cloud-time"
"""In every answer: a desk whose clock is wrong learns by how much."""
GOOD_FOR: Final = timedelta(minutes=2)
NONCE_BYTES: Final = 16
_NONCE: Final = re.compile(r"[0-9A-Za-z_-]{22}")


@dataclass(frozen=True, slots=True)
class Asking:
    """What a request asks: where, and with which body."""

    method: str
    path: str
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class DeskSignature:
    """What a request says of who made it, and when; believed once it is proved."""

    tenant: TenantId
    device: DesktopDeviceId
    time: datetime
    nonce: str
    signature: bytes

    @classmethod
    def of(cls, headers: Mapping[str, str]) -> Self:
        """Read the headers, or raise SignedRefused."""
        try:
            tenant, _, device = headers[WHO].partition("/")
            signature = base64.b64decode(headers[SIGNATURE], validate=True)
            when = instant_from_text(headers[TIME], TIME)
            found = cls(TenantId(tenant), DesktopDeviceId(device), when, headers[NONCE], signature)
        except (KeyError, InvalidInput, binascii.Error, ValueError):
            raise SignedRefused("headers") from None
        if not _NONCE.fullmatch(found.nonce):
            raise SignedRefused("nonce")
        return found

    def prove(self, asking: Asking, key: VerifyKey, now: datetime) -> None:
        """Raise SignedRefused unless the key signed just this, of late."""
        if abs(now - self.time) > GOOD_FOR:
            raise SignedRefused("time")
        told = _told(asking, f"{self.tenant}/{self.device}", instant_to_text(self.time), self.nonce)
        try:
            key.verify(told, self.signature)
        except (BadSignatureError, ValueError):
            raise SignedRefused("signature") from None


def signed_headers(
    asking: Asking, who: tuple[str, str], key: SigningKey, at: datetime, nonce: bytes
) -> dict[str, str]:
    """Return the headers that sign a request of a tenant's device."""
    name, time = "/".join(who), instant_to_text(at)
    drawn = base64.urlsafe_b64encode(nonce).decode().rstrip("=")
    signature = key.sign(_told(asking, name, time, drawn)).signature
    return {WHO: name, TIME: time, NONCE: drawn, SIGNATURE: base64.b64encode(signature).decode()}


def _told(asking: Asking, who: str, time: str, nonce: str) -> bytes:
    told = {
        "desk": who,
        "method": asking.method,
        "path": asking.path,
        "body": hashlib.sha256(asking.body).hexdigest(),
        "time": time,
        "nonce": nonce,
    }
    return message(PURPOSE, told)
