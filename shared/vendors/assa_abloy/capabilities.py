"""What Assa Abloy can do for us, by dialect, and what none of its locks enforces."""

from typing import Final

from shared.domain.capabilities import LockCapabilities
from shared.domain.kinds import KeyCredentialKind, VendorCode

VENDOR: Final = VendorCode("assa-abloy")
UNENFORCED: Final[frozenset[KeyCredentialKind]] = frozenset()
"""Kinds whose window no lock enforces: guests get one only where the tenant accepts that."""
VOSTIO: Final = LockCapabilities(
    mobile_key=True, card_encoding=True, nfc=True, remote_issue=True, remote_revoke=True
)
"""Online locks, told by the vendor's cloud: no PINs, nothing offline, and no scopes anybody documents."""
VISIONLINE: Final = LockCapabilities(mobile_key=True, remote_issue=True, offline_issuance=True)
"""Offline locks: what a phone carries is ended by time, and how cards are written is public nowhere."""
DIALECTS: Final = {"Vostio": VOSTIO, "Visionline": VISIONLINE}
"""What the adapter can do at most, by dialect."""
