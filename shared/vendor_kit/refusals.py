"""What a vendor's refusals mean: one table a vendor, from its codes to LockErrors."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import Final

from shared.domain.ids import LockDeviceId
from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import (
    DeviceNotPaired,
    KeyIssueFailed,
    KeyRevokeFailed,
    LockError,
    LockErrorCause,
    VendorUnreachable,
)
from shared.ports.lock_causes import LockCause
from shared.vendor_kit.breaker import CircuitOpen
from shared.vendor_kit.guard import VendorDown
from shared.vendor_kit.http import ConnectionBroken, ConnectionFailed, TimedOut
from shared.vendor_kit.rate import Throttled
from shared.vendor_kit.turns import TurnNotCome


class VendorRefused(Exception):
    """The vendor answered no: its code. Its words may quote whatever it was sent, and are not repeated."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Unreadable(Exception):
    """The vendor's answer is not what it says its answers are; what was asked may have been done."""


SILENCE: Final[Mapping[type[Exception], LockCause]] = {
    TimedOut: LockCause.TIMEOUT,
    ConnectionFailed: LockCause.NO_CONNECTION,
    ConnectionBroken: LockCause.CONNECTION_BROKEN,
    VendorDown: LockCause.SERVER_ERROR,
    Unreadable: LockCause.UNREADABLE_ANSWER,
    CircuitOpen: LockCause.CIRCUIT_OPEN,
    Throttled: LockCause.THROTTLED,
    TurnNotCome: LockCause.IN_OUR_LINE,
}
"""Every way of getting no answer, and what it is called in a LockError's cause."""


class Operation(Enum):
    """What was being done; a failure that has no name of its own is called after it."""

    ISSUE = "issue"
    REVOKE = "revoke"
    LOOK = "look"


CALLED: Final[Mapping[Operation, type[LockError]]] = {
    Operation.ISSUE: KeyIssueFailed,
    Operation.REVOKE: KeyRevokeFailed,
    Operation.LOOK: VendorUnreachable,
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a refusal means. Without an error of its own, it is the failure of whatever was being done."""

    cause: LockCause
    error: type[LockError] | None = None
    permanent: bool = False


def each(codes: str, meaning: Meaning) -> dict[str, Meaning]:
    """Return a table's rows for some codes, written with spaces between them."""
    return dict.fromkeys(codes.split(), meaning)


def unreachable(cause: LockCause, *, permanent: bool = False) -> Meaning:
    """Return the meaning of a code that says that the vendor cannot be had."""
    return Meaning(cause, VendorUnreachable, permanent)


def unpaired(cause: LockCause) -> Meaning:
    """Return the meaning of a code that says that a lock is none of ours, or out of everything's reach."""
    return Meaning(cause, DeviceNotPaired)


UNEXPLAINED: Final = Meaning(LockCause.REFUSED)


@dataclass(frozen=True, slots=True)
class Refusals:
    """One vendor's table."""

    vendor: VendorCode
    table: Mapping[str, Meaning]

    @contextmanager
    def spoken(self, doing: Operation, device: LockDeviceId | None = None) -> Iterator[None]:
        """Let nothing out of here but LockErrors; the vendor's own stay behind, with all they hold."""
        try:
            yield
        except VendorRefused as refused:
            raise self.error(refused.code, doing, device) from None
        except tuple(SILENCE) as silence:
            raise self.unreachable(SILENCE[type(silence)], device, _after(silence)) from None

    def meaning(self, code: str) -> Meaning:
        """Return what a code means; one that nobody explained means a refusal."""
        return self.table.get(code, UNEXPLAINED)

    def error(self, code: str, doing: Operation, device: LockDeviceId | None = None) -> LockError:
        """Return a refusal as the LockError it means."""
        meaning = self.meaning(code)
        cause = LockErrorCause(meaning.cause.value, code)
        kind = meaning.error or CALLED[doing]
        return kind(vendor=self.vendor, device_id=device, cause=cause, permanent=meaning.permanent)

    def unreachable(
        self, cause: LockCause, device: LockDeviceId | None = None, after: timedelta | None = None
    ) -> VendorUnreachable:
        """Return the error for no answer, or none that can be read; and when there may be one, if known."""
        why = LockErrorCause(cause.value)
        return VendorUnreachable(vendor=self.vendor, device_id=device, cause=why, after=after)

    def failed(
        self,
        cause: LockCause,
        doing: Operation,
        device: LockDeviceId | None = None,
        *,
        permanent: bool = False,
    ) -> LockError:
        """Return a failure that we, not the vendor, found."""
        why = LockErrorCause(cause.value)
        return CALLED[doing](vendor=self.vendor, device_id=device, cause=why, permanent=permanent)

    def not_paired(self, device: LockDeviceId) -> DeviceNotPaired:
        """Return the error for a lock that is not one of this property's."""
        cause = LockErrorCause(LockCause.NOT_MAPPED.value)
        return DeviceNotPaired(vendor=self.vendor, device_id=device, cause=cause)


def _after(silence: Exception) -> timedelta | None:
    """Return when our own turn may come; nobody knows when a vendor will answer."""
    return timedelta(seconds=silence.after_seconds) if isinstance(silence, TurnNotCome) else None


WAITS: Final[Mapping[str, timedelta]] = {
    LockCause.GATEWAY_BUSY: timedelta(seconds=3),
    LockCause.IN_OUR_LINE: timedelta(seconds=3),
    LockCause.LOCK_BUSY: timedelta(seconds=3),
    LockCause.THROTTLED: timedelta(seconds=30),
    LockCause.CIRCUIT_OPEN: timedelta(seconds=30),
    LockCause.RATE_LIMITED: timedelta(minutes=2),
}
"""How long a vendor wants to be left alone after these, unless it says otherwise."""
