"""What a LockError's cause says of the call: made or not, heard or not, about the PIN or not."""

from collections.abc import Collection
from enum import StrEnum
from typing import Final

from shared.domain.lock_errors import LockError, VendorUnreachable


class LockCause(StrEnum):
    """Every cause we give, in one vocabulary for all vendors; the vendor's own code stands beside it.

    Stored causes are text: one that an older or newer version gave is still read.
    """

    # Nothing was heard of the vendor, or nothing that could be read.
    TIMEOUT = "timeout"
    NO_CONNECTION = "no_connection"
    CONNECTION_BROKEN = "connection_broken"
    SERVER_ERROR = "server_error"
    UNREADABLE_ANSWER = "unreadable_answer"
    # It was not asked: others of us come first, or it is left alone for a moment.
    CIRCUIT_OPEN = "circuit_open"
    THROTTLED = "throttled"
    IN_OUR_LINE = "in_our_line"
    GATEWAY_BUSY = "gateway_busy"
    MAINTENANCE = "maintenance"
    TOO_EARLY = "too_early"
    # It does not let us in, or not now.
    ACCOUNT_MISSING = "account_missing"
    ACCOUNT_SHARED = "account_shared"
    ACCOUNT_REFUSED = "account_refused"
    TOKEN_REFUSED = "token_refused"  # noqa: S105 - a cause
    WRONG_REGION = "wrong_region"
    CLOCK_OFF = "clock_off"
    RATE_LIMITED = "rate_limited"
    QUOTA_SPENT = "quota_spent"
    NO_PERMISSION = "no_permission"
    # It has it in hand, and never said what came of it.
    JOB_UNANSWERED = "job_unanswered"
    NO_SUCH_JOB = "no_such_job"
    # The lock cannot be told, or is none of ours.
    GATEWAY_OFFLINE = "gateway_offline"
    NO_GATEWAY = "no_gateway"
    ENCODER_OFFLINE = "encoder_offline"
    LOCK_BUSY = "lock_busy"
    LOCK_FULL = "lock_full"
    LOCK_FROZEN = "lock_frozen"
    NO_SUCH_LOCK = "no_such_lock"
    NOT_PROVISIONED = "not_provisioned"
    NOT_MAPPED = "not_mapped"
    LOCK_SWAPPED = "lock_swapped"
    ROOM_WITHOUT_LOCK = "room_without_lock"
    SCOPE_WITHOUT_LOCK = "scope_without_lock"
    # Nobody is left to ask, or no attempt.
    ADAPTER_LOST = "adapter_lost"
    ATTEMPTS_SPENT = "attempts_spent"
    # The key cannot be as it is asked for.
    PIN_TAKEN = "pin_taken"
    PIN_REFUSED = "pin_refused"
    RECEIVER_REFUSED = "receiver_refused"
    CARD_MISSING = "card_missing"
    CARD_FAULTY = "card_faulty"
    WINDOW_SPENT = "window_spent"
    WINDOW_OVER = "window_over"
    SECRET_MISSING = "secret_missing"  # noqa: S105 - a cause
    KIND_NOT_OFFERED = "kind_not_offered"
    NOT_SUPPORTED = "not_supported"
    NOT_CHANGEABLE = "not_changeable"
    NO_SUCH_KEY = "no_such_key"
    ENDS_BY_TIME = "ends_by_time"
    BAD_REQUEST = "bad_request"
    REFUSED = "refused"


PIN_TAKEN: Final = LockCause.PIN_TAKEN
PIN_REFUSED: Final = LockCause.PIN_REFUSED
WINDOW_SPENT: Final = LockCause.WINDOW_SPENT
OUT_OF_REACH: Final = LockCause.GATEWAY_OFFLINE
"""Nobody can tell the lock anything now: only a secret that it knows without being told can open it."""
IN_LINE: Final = frozenset(
    {
        LockCause.CIRCUIT_OPEN,
        LockCause.GATEWAY_BUSY,
        LockCause.IN_OUR_LINE,
        LockCause.MAINTENANCE,
        LockCause.THROTTLED,
        LockCause.TOO_EARLY,
    }
)
"""Those that let a call wait: others of us come first, or the vendor is left alone for a moment."""
NEVER_ASKED: Final = IN_LINE | {LockCause.ACCOUNT_MISSING, LockCause.NO_CONNECTION}
"""Causes of a VendorUnreachable that say that the vendor was not even asked."""
ASK_FOR_ANOTHER_PIN: Final = frozenset({PIN_TAKEN, PIN_REFUSED})
"""Causes of a KeyIssueFailed that are about the PIN alone: draw another, under another name."""


def about_the_pin(error: LockError | None) -> bool:
    """Say whether the vendor will not have this PIN, and another it may."""
    return error is not None and error.cause.kind in ASK_FOR_ANOTHER_PIN


def outcome_unknown(error: LockError) -> bool:
    """Say whether what was asked may have been done, or may still be: nobody answered."""
    if not isinstance(error, VendorUnreachable):
        return False
    return error.cause.vendor_code is None and error.cause.kind not in NEVER_ASKED


def deferred_by_us(error: LockError) -> bool:
    """Say whether a call was not made, and only for now; a vendor that says the same has been asked."""
    return error.cause.vendor_code is None and error.cause.kind in IN_LINE


def never_sent(error: LockError) -> bool:
    """Say whether our own turn did not come: others of us were before us, and the vendor knows nothing."""
    return deferred_by_us(error) and error.cause.kind != LockCause.CIRCUIT_OPEN


def left_alone(errors: Collection[LockError]) -> bool:
    """Say whether a vendor was not asked, for its circuit is open."""
    return bool(errors) and all(each.cause.kind == LockCause.CIRCUIT_OPEN for each in errors)
