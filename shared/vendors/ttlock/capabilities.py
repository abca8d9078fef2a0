"""What TTLock can do for us, and what one lock of theirs adds or lacks."""

from typing import Final

from shared.domain.capabilities import LockCapabilities
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.policy import KeyKindPolicy
from shared.ports.secret_sources import SecretSource

TTLOCK: Final = VendorCode("ttlock")
UNENFORCED: Final = frozenset({KeyCredentialKind.MOBILE_APP})
"""Keys whose window no lock enforces: given only on request, and never without a warning."""
SOURCES: Final = {KeyCredentialKind.RFID_CARD: SecretSource.HELD}
"""A card is known by its number, which somebody at the lock must have read."""
CAPACITY: Final = {KeyCredentialKind.PIN_CODE: 250, KeyCredentialKind.RFID_CARD: 1000}
"""What one lock keeps; eKeys are kept by phones."""
LOCKS_NAMED_WORLDWIDE, TELLS_ATTEMPTS = True, True
"""A `lockId` is one lock, whichever account sees it; its log says who opened it, so a key can end by that."""
PASSCODES, CARDS = 0, 1
"""Bits of `featureValue`."""


def of_adapter(policy: KeyKindPolicy) -> LockCapabilities:
    """Return what this adapter offers; eKeys only where the tenant accepts that no lock ends them."""
    return LockCapabilities(
        mobile_key=policy.accepts_unenforced(TTLOCK),
        card_encoding=True,
        pin=True,
        remote_revoke=True,
        remote_issue=True,
        offline_issuance=True,
    )


def of_lock(features: int | None, policy: KeyKindPolicy, *, online: bool) -> LockCapabilities:
    """Return what a lock can do now: without a gateway, nothing can be taken back from afar."""
    bits = ALL if features is None else features
    return LockCapabilities(
        mobile_key=policy.accepts_unenforced(TTLOCK),
        card_encoding=bool(bits >> CARDS & 1),
        pin=bool(bits >> PASSCODES & 1),
        remote_revoke=online,
        remote_issue=True,
        offline_issuance=True,
    )


ALL: Final = -1
"""A lock that tells nothing of its features is held to be able to do what the property mapped it for."""
DIALECTS: Final = {"Open Platform v3": of_adapter(KeyKindPolicy(accepts_unenforced_windows=(TTLOCK,)))}
