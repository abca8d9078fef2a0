"""What an encoder at a front desk can do for us, and what no lock enforces."""

from typing import Final

from shared.domain.capabilities import LockCapabilities
from shared.domain.kinds import KeyCredentialKind, VendorCode

VENDOR: Final = VendorCode("generic-wiegand")
ACCOUNT_DAYS: Final = None
"""Its account holds no secret: there is nothing to rotate."""
UNENFORCED: Final[frozenset[KeyCredentialKind]] = frozenset()
"""Kinds whose window no lock enforces: guests get one only where the tenant accepts that."""
OFFERED: Final = LockCapabilities(card_encoding=True, nfc=True, offline_issuance=True)
"""Cards, and tags where the encoder writes them: nothing from afar."""
DIALECTS: Final = {"encoder": OFFERED, "fias": OFFERED}
"""What the adapter can do at most: with an encoder of the desk's own, or by way of a lock system."""
