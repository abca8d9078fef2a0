"""Locks that a desk speaks to by radio, with what opens them to their admin: sealed for one desk."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from nacl.exceptions import CryptoError
from nacl.public import SealedBox
from nacl.signing import SigningKey, VerifyKey

from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.offline.signing import SignedRefused


@dataclass(frozen=True, slots=True, kw_only=True)
class RadioLock:
    """A lock in the radio's reach of a desk: at which door, whose, and what it takes to speak to it."""

    door: str
    vendor: VendorCode
    vendor_device: str
    sealed: str = field(repr=False)

    def material(self, device: SigningKey) -> Secret[bytes]:
        """Return what it takes to speak to it, as JSON; raise SignedRefused where it is another desk's."""
        return opened_by(device, self.sealed)

    def to_document(self) -> dict[str, str]:
        """Return it as the arrivals carry it."""
        return {
            "door": self.door,
            "vendor": str(self.vendor),
            "vendorDevice": self.vendor_device,
            "sealed": self.sealed,
        }

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Read it."""
        return cls(
            door=str(row["door"]),
            vendor=VendorCode(row["vendor"]),
            vendor_device=str(row["vendorDevice"]),
            sealed=str(row["sealed"]),
        )


def sealed_for(device: bytes, plain: Secret[bytes]) -> str:
    """Return what only the desk of a public key can open."""
    box = SealedBox(VerifyKey(device).to_curve25519_public_key())
    return base64.b64encode(box.encrypt(plain.reveal())).decode()


def opened_by(device: SigningKey, sealed: str) -> Secret[bytes]:
    """Return what was sealed for a desk, or raise SignedRefused."""
    box = SealedBox(device.to_curve25519_private_key())
    try:
        return Secret(box.decrypt(base64.b64decode(sealed, validate=True)))
    except (CryptoError, ValueError):
        raise SignedRefused("sealed_for_another") from None
