"""What a desk tells of a key that it made or withdrew alone, checked against all that we know of the desk.

A fact is signed by the desk over all that it says, the vendor's reference included. What the desk itself was
bound by is judged here once more, by our clock and our records: a desk that lies is one that was broken into.
A desk whose clock is ahead does not lie: its card is there, and its fact is dated no later than now.
"""

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, Self

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from shared.domain.core import PROVISIONAL_CAP
from shared.domain.errors import DomainError, InvalidInput
from shared.domain.ids import ProvisionalKeyId, ReservationId, RoomId
from shared.domain.instants import instant, instant_from_text, milliseconds
from shared.domain.kinds import KeyCredentialKind, RevokeReason, VendorCode
from shared.domain.secret import Secret
from shared.offline.arrivals import HORIZON
from shared.offline.certificate import LEEWAY, LIFETIME
from shared.offline.rows import PURPOSE, SIGNATURE
from shared.offline.signing import SignedRefused, message
from shared.usecases.desk.desks import DeskRecord
from shared.vendor_kit.written_cards import NUMBERS

MINUTE: Final = timedelta(minutes=1)
CARDS: Final = frozenset({KeyCredentialKind.RFID_CARD, KeyCredentialKind.NFC_TAG})
MOST_AHEAD: Final = 2 * HORIZON
"""By so much a card's number may be ahead of now: further, and the desk would have found its arrivals old."""
MOST_SKEW_MS: Final = 100 * 366 * 24 * 3600 * 1000
"""A lock that lost its clock shows a day of the year 2000."""
_NUMBER: Final = re.compile(r"[0-9]{1,15}")


class FactRefused(Exception):
    """A fact that is not the desk's own; `reason` says in a word why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class MadeAlone:
    """A key that a desk made without us."""

    local: ProvisionalKeyId
    reservation: ReservationId
    kind: KeyCredentialKind
    vendor: str
    rooms: tuple[RoomId, ...]
    start: datetime
    end: datetime
    issued_at: datetime
    serial: str
    reference: Secret[str] = field(repr=False)
    replaces: str | None = None

    @classmethod
    def of(cls, told: Mapping[str, Any], reference: Secret[str]) -> Self:
        """Read it, or raise FactRefused."""
        try:
            return cls(
                ProvisionalKeyId(told["localId"]),
                ReservationId(told["reservationId"]),
                KeyCredentialKind(told["kind"]),
                str(told["vendor"]),
                tuple(map(RoomId, told["rooms"])),
                instant_from_text(told["validFrom"], "validFrom"),
                instant_from_text(told["validUntil"], "validUntil"),
                instant_from_text(told["issuedAt"], "issuedAt"),
                str(told["certSerial"]),
                reference,
                told.get("replaces"),
            )
        except (KeyError, TypeError, ValueError, DomainError):
            raise FactRefused("malformed") from None

    @property
    def number(self) -> int:
        """The number on its card, in milliseconds; 0 where it is no card."""
        return _number(self.reference) if self.kind in CARDS else 0

    def __post_init__(self) -> None:
        if self.number >= NUMBERS:
            raise FactRefused("malformed")

    def by(self, now: datetime) -> Self:
        """Return it by our clock: what is told of cannot have been later."""
        return replace(self, issued_at=min(self.issued_at, now))

    def ahead(self, now: datetime) -> bool:
        """Say whether the desk's clock was further ahead than clocks are."""
        return self.issued_at > now + LEEWAY

    def why_not(self, desk: DeskRecord, now: datetime) -> str | None:
        """Return which bound of its certificate the desk broke, in a word; None says that it broke none."""
        checks: tuple[tuple[str, Callable[[], bool]], ...] = (
            ("serial", lambda: self.serial in desk.serials),
            ("kind", lambda: self.kind in desk.kinds),
            ("window", lambda: timedelta(0) < self.end - self.start <= PROVISIONAL_CAP + MINUTE),
            ("number", lambda: self.number <= milliseconds(now + MOST_AHEAD)),
            ("expired", lambda: self.by(now).issued_at < desk.certified_at + LIFETIME),
        )
        return next((reason for reason, holds in checks if not holds()), None)


@dataclass(frozen=True, slots=True)
class WithdrawnAlone:
    """A key that a desk withdrew without us: one of its own, or one of the ledger's."""

    key: str
    reason: RevokeReason
    removed: bool

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Read it, or raise FactRefused."""
        try:
            key = told.get("localId") or told["keyCredentialId"]
            return cls(str(key), RevokeReason(told["reason"]), told["removedAtLock"] is True)
        except (KeyError, TypeError, ValueError):
            raise FactRefused("malformed") from None


@dataclass(frozen=True, slots=True)
class ReadAtLock:
    """What a desk read of a lock by radio; its clock was measured by the desk's own."""

    vendor: VendorCode
    vendor_device: str
    at: datetime
    battery: int | None
    skew_ms: int | None
    clock_set: bool

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Read it, or raise FactRefused."""
        try:
            return cls(
                VendorCode(told["vendor"]),
                str(told["vendorDevice"]),
                instant_from_text(told["at"], "at"),
                _within(told.get("batteryPct"), range(101)),
                _within(told.get("clockSkewMs"), range(-MOST_SKEW_MS, MOST_SKEW_MS)),
                told.get("clockSet") is True,
            )
        except (KeyError, TypeError, ValueError, DomainError):
            raise FactRefused("malformed") from None

    def by(self, now: datetime) -> Self:
        """Return it by our clock; what a desk that is ahead of us says of a clock is worth nothing."""
        if self.at <= now + LEEWAY:
            return replace(self, at=_as_kept(min(self.at, now)))
        return replace(self, at=_as_kept(now), skew_ms=None)


def _as_kept(at: datetime) -> datetime:
    """Return an instant as it is kept, so that the same one told again is no later."""
    return instant(milliseconds(at))


def _within(told: object, bounds: range) -> int | None:
    """Return a number that a fact may leave out, or refuse it."""
    if told is None:
        return None
    if type(told) is not int or told not in bounds:
        raise ValueError("not such a number")
    return told


def _number(reference: Secret[str]) -> int:
    _, _, told = reference.reveal().partition(".")
    return int(told) if _NUMBER.fullmatch(told) else NUMBERS


def prove(told: Mapping[str, Any], reference: Secret[str] | None, key: VerifyKey) -> None:
    """Raise FactRefused unless the desk's own key signed this, with this reference."""
    whole = {name: value for name, value in told.items() if name != SIGNATURE}
    whole |= {} if reference is None else {"vendorRef": reference.reveal()}
    try:
        signature = base64.b64decode(str(told.get(SIGNATURE)), validate=True)
        key.verify(message(PURPOSE, whole), signature)
    except (BadSignatureError, SignedRefused, InvalidInput, ValueError, binascii.Error):
        raise FactRefused("signature") from None
