"""What dormakaba's lock systems can do for us by what is public of them, and what no lock enforces."""

from typing import Final

from shared.domain.capabilities import LockCapabilities
from shared.domain.kinds import KeyCredentialKind, VendorCode

VENDOR: Final = VendorCode("dormakaba")
ACCOUNT_DAYS: Final = None
"""Its account holds no secret: there is nothing to rotate."""
UNENFORCED: Final[frozenset[KeyCredentialKind]] = frozenset()
"""Kinds whose window no lock enforces: guests get one only where the tenant accepts that."""
OFFERED: Final = LockCapabilities(card_encoding=True, offline_issuance=True)
"""Cards. Ambiance's phones and its REST interface are public nowhere."""
DIALECTS: Final = {"saflok": OFFERED, "kaba": OFFERED}
"""What the adapter can do at most: Saflok over a network, Kaba's older systems over a serial line."""
