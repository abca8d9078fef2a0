"""What can go wrong at a desk's hardware, and what it is called when a key fails of it."""

from collections.abc import Mapping
from typing import ClassVar, Final

from shared.domain.ids import LockDeviceId
from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import CardEncoderOffline, KeyIssueFailed, LockError, LockErrorCause


class HardwareError(Exception):
    """The root of what encoders, cards and locks raise; it never holds a key, a PIN or a card's content."""

    kind: ClassVar[str] = "hardware"
    permanent: ClassVar[bool] = False

    def __init__(self, problem: str, code: str | None = None) -> None:
        super().__init__(problem)
        self.problem, self.code = problem, code


class LinkLost(HardwareError):
    """The device is gone: unplugged, switched off, or the connection ended."""

    kind = "link_lost"


class NoAnswer(HardwareError):
    """The device is there and says nothing, or nothing that makes sense."""

    kind = "no_answer"


class LockNotHeard(NoAnswer):
    """A lock is asleep or too far away: nothing was said to it."""

    kind = "lock_silent"


class OutcomeUnknown(NoAnswer):
    """The device was asked, and may have done it: whoever asks again looks first."""

    kind = "outcome_unknown"


class DeviceRefused(HardwareError):
    """The device answered that it cannot; `code` is its own."""

    kind = "refused"


class PinTaken(DeviceRefused):
    """A lock has this PIN already, for whatever window and whomever."""

    kind = "duplicate_pin"


class NotSupported(HardwareError):
    """This device cannot do that with this card."""

    kind = "not_supported"
    permanent = True


class CardMissing(HardwareError):
    """No card lies on the encoder, or it was taken away too early."""

    kind = "card_missing"


class CardForeign(HardwareError):
    """The card does not open with a key of this property, nor with a new card's."""

    kind = "card_foreign"


class CardFaulty(HardwareError):
    """What was written is not what was read back: throw the card away."""

    kind = "card_faulty"


class UnsafeWrite(HardwareError):
    """The write would make a part of the card unusable for ever, so it was not tried."""

    kind = "unsafe_write"
    permanent = True


_OFFLINE: Final = (LinkLost, NoAnswer)
_REMEDIES: Final[Mapping[str, str]] = {
    "link_lost": "seat the encoder's plug again",
    "no_answer": "switch the encoder off and on",
    "lock_silent": "touch the lock's keypad, and go nearer",
    "outcome_unknown": "leave the card on the encoder, and press once more",
    "card_missing": "lay the card on the encoder and leave it there",
    "card_foreign": "take a new card",
    "card_faulty": "take another card",
}


def remedy(error: HardwareError) -> str:
    """Return what a clerk can do about it."""
    return _REMEDIES.get(error.kind, "ask for support, and say what you saw")


def lock_error(error: HardwareError, vendor: VendorCode, device: LockDeviceId) -> LockError:
    """Return the error in the specification's codes: A §14 calls a silent encoder offline."""
    cause = LockErrorCause(error.kind, error.code, error.problem)
    if isinstance(error, _OFFLINE):
        return CardEncoderOffline(vendor=vendor, device_id=device, cause=cause)
    return KeyIssueFailed(vendor=vendor, device_id=device, cause=cause, permanent=error.permanent)
