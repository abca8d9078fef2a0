"""What Salto can do for us, and what none of its locks enforces."""

from dataclasses import replace
from typing import Final

from shared.domain.capabilities import LockCapabilities
from shared.domain.kinds import KeyCredentialKind, VendorCode

VENDOR: Final = VendorCode("salto")
UNENFORCED: Final[frozenset[KeyCredentialKind]] = frozenset()
"""Kinds whose window no lock enforces: guests get one only where the tenant accepts that."""
RECEIVER: Final = "phone"
"""What it sends keys on phones to."""
PHONES: Final = LockCapabilities(
    mobile_key=True, remote_issue=True, remote_revoke=True, offline_issuance=True
)
"""Keys on phones. A door without a line is a device without `remote_revoke`: it hears of nothing."""
CARDS: Final = LockCapabilities(card_encoding=True, offline_issuance=True)
"""What the desk has written by Space, in its PMS language."""
OFFERED: Final = replace(PHONES, card_encoding=True)
DIALECTS: Final = {"cloud and connector": PHONES, "Space at the desk": CARDS}
"""What the adapter can do at most, by dialect."""
