"""What a LockError's cause says of the call: made or not, heard or not, about the PIN or not."""

from typing import Final

from shared.domain.lock_errors import LockError, VendorUnreachable

PIN_TAKEN: Final = "pin_taken"
PIN_REFUSED: Final = "pin_refused"
WINDOW_SPENT: Final = "window_spent"
OUT_OF_REACH: Final = "gateway_offline"
"""Nobody can tell the lock anything now: only a secret that it knows without being told can open it."""
NEVER_ASKED: Final = frozenset(
    {"account_missing", "circuit_open", "gateway_busy", "no_connection", "throttled"}
)
"""Causes of a VendorUnreachable that say that the vendor was not even asked."""
IN_LINE: Final = frozenset({"circuit_open", "gateway_busy", "throttled"})
"""Those of them that let a call wait: others of us come first, or the vendor is left alone for a moment."""
ASK_FOR_ANOTHER_PIN: Final = frozenset({PIN_TAKEN, PIN_REFUSED})
"""Causes of a KeyIssueFailed that are about the PIN alone: draw another, under another name."""


def about_the_pin(error: LockError | None) -> bool:
    """Say whether the vendor will not have this PIN, and another it may."""
    return error is not None and error.cause.kind in ASK_FOR_ANOTHER_PIN


def unheard(error: LockError) -> bool:
    """Say whether what was asked may have been done, or may still be: nobody answered."""
    if not isinstance(error, VendorUnreachable):
        return False
    return error.cause.vendor_code is None and error.cause.kind not in NEVER_ASKED


def in_line(error: LockError) -> bool:
    """Say whether a call was not made, and only for now; a vendor that says the same has been asked."""
    return error.cause.vendor_code is None and error.cause.kind in IN_LINE


def of_our_own(error: LockError) -> bool:
    """Say whether our own turn did not come: others of us were before us, and the vendor knows nothing."""
    return in_line(error) and error.cause.kind != "circuit_open"
