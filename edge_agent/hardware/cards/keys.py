"""The keys of a card's sectors, drawn from a property's key material: no two cards share one.

A key is the first six bytes of HMAC-SHA-256(material, "keyfleet sector key v1" | 0 | type | sector | UID).
A lock that has the material derives it from the UID it sees; a reader stolen from one card's content
learns nothing of another's.
"""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from edge_agent.hardware.cards.reader import KeyType, SectorKey
from shared.domain.secret import Secret

PURPOSE: Final = b"keyfleet sector key v1\x00"
SHORTEST_MATERIAL: Final = 16
FACTORY_KEY: Final = SectorKey(KeyType.A, Secret(b"\xff" * 6))
"""What a new card opens with; anybody knows it."""


@dataclass(frozen=True, slots=True)
class KeyMaterial:
    """A property's own secret; `version` says which, when it was rotated."""

    version: int
    secret: Secret[bytes]

    def __post_init__(self) -> None:
        if len(self.secret.reveal()) < SHORTEST_MATERIAL:
            raise ValueError(f"key material: under {SHORTEST_MATERIAL} bytes: draw it from a generator")

    def sector_key(self, uid: bytes, sector: int, key_type: KeyType) -> SectorKey:
        """Return the key of one sector of one card."""
        message = PURPOSE + bytes([key_type.value, sector]) + uid
        digest = hmac.new(self.secret.reveal(), message, hashlib.sha256).digest()
        return SectorKey(key_type, Secret(digest[:6]))
