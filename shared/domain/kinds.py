"""The vocabulary of keys: kinds, vendors, reasons, roles and warnings."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import UserId
from shared.domain.scrub import scrub_our_own

_VENDOR: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_WARNING: Final = re.compile(r"[A-Z][A-Z0-9_]{2,63}")
_CLAIM: Final = re.compile(r"sha256:[0-9a-f]{64}")


class KeyCredentialKind(StrEnum):
    """What the guest holds."""

    MOBILE_APP = "mobile_app"
    PIN_CODE = "pin_code"
    RFID_CARD = "rfid_card"
    QR_CODE = "qr_code"
    NFC_TAG = "nfc_tag"


class WalletName(StrEnum):
    """Which wallet of a guest's phone."""

    APPLE = "apple"
    GOOGLE = "google"


class SuspendReason(StrEnum):
    """Why a key rests."""

    NO_SHOW = "no_show"
    FRAUD_REVIEW = "fraud_review"
    OVERDUE_PAYMENT = "overdue_payment"
    MANUAL = "manual"


class RevokeReason(StrEnum):
    """Why a key ended."""

    CHECKOUT = "checkout"
    CANCELLATION = "cancellation"
    SECURITY = "security"
    LOST = "lost"
    REPLACED = "replaced"


class FailureReason(StrEnum):
    """Why a key never came to be: what the lock side said, or that nobody wants it any more."""

    VENDOR_UNREACHABLE = "vendor_unreachable"
    KEY_ISSUE_FAILED = "key_issue_failed"
    DEVICE_NOT_PAIRED = "device_not_paired"
    CREDENTIAL_EXPIRED = "credential_expired"
    CARD_ENCODER_OFFLINE = "card_encoder_offline"
    NO_SUPPORTED_KIND = "no_supported_kind"
    CHECKOUT = "checkout"
    CANCELLATION = "cancellation"
    SECURITY = "security"
    LOST = "lost"
    REPLACED = "replaced"


class SetRole(StrEnum):
    """What a key is among the keys of its room."""

    FIRST = "first"
    JOINER = "joiner"
    COPY = "copy"
    REPLACEMENT = "replacement"
    ONE_SHOT = "one_shot"


class Origin(StrEnum):
    """Where a key was made."""

    CLOUD = "cloud"
    DESK = "desk"


class Area(StrEnum):
    """A common area."""

    LOBBY = "lobby"
    GYM = "gym"
    POOL = "pool"
    SPA = "spa"
    PARKING = "parking"


class Automation(StrEnum):
    """Who acts when no person does."""

    SAGA = "saga"


SAGA: Final = Automation.SAGA
Actor = UserId | Automation
"""A member of staff, or the saga."""


class VendorCode(str):
    """A vendor's name in adapters, secrets and events; which ones exist is the registry's business."""

    __slots__ = ()

    def __new__(cls, value: object) -> Self:
        """Check that the code fits a function name of at most 28 characters after `adapter-`."""
        if not isinstance(value, str) or not 2 <= len(value) <= 20 or not _VENDOR.fullmatch(value):
            remedy = "Give 2 to 20 lower-case letters, digits and single hyphens, such as acme-locks"
            raise InvalidInput("vendor", "not a vendor code", remedy)
        return str.__new__(cls, value)


class ClaimKey(str):
    """What makes a second delivery of the same wish the same wish."""

    __slots__ = ()

    def __new__(cls, value: object) -> Self:
        """Check the form of a claim."""
        if not isinstance(value, str) or not _CLAIM.fullmatch(value):
            raise InvalidInput("claim", "not a claim key", "Give 'sha256:' and 64 lower-case hex digits")
        return str.__new__(cls, value)


@dataclass(frozen=True, slots=True)
class KeyWarning:
    """Something true of a key that the people who need it must be told, in our words and never a vendor's."""

    code: str
    detail: str = ""

    def __post_init__(self) -> None:
        if not _WARNING.fullmatch(self.code):
            raise InvalidInput(
                "code", "not a warning code", "Give capitals and underscores, such as CLOCK_SKEW"
            )
        object.__setattr__(self, "detail", scrub_our_own(self.detail))


REVOKE_PENDING_AT_LOCK: Final = "REVOKE_PENDING_AT_LOCK"
WINDOW_ROUNDED: Final = "WINDOW_ROUNDED"
OPENS_BEYOND_STAY: Final = "OPENS_BEYOND_STAY"
"""The policy has keys open before and after their stays, while nobody else has the rooms."""
WINDOW_NOT_ENFORCED: Final = "WINDOW_NOT_ENFORCED_BY_LOCK"
CLOCK_SKEW: Final = "CLOCK_SKEW"
SECOND_CODE: Final = KeyWarning(
    REVOKE_PENDING_AT_LOCK,
    "a call nobody heard of made another code: nobody was told it, it opens, and it goes with the key",
)
"""A lock has a code beside a guest's own that nobody could take back yet: it is a residue, as others are."""


def merge_warnings(*groups: Iterable[KeyWarning]) -> tuple[KeyWarning, ...]:
    """Join warnings in order, each once."""
    return tuple(dict.fromkeys(warning for group in groups for warning in group))
