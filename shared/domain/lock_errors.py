"""What a lock or its vendor can refuse, in the specification's codes."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar, Final, TypeVar

from shared.domain.errors import DomainError, InvalidInput
from shared.domain.ids import CredentialId, LockDeviceId, credential_id
from shared.domain.kinds import FailureReason, VendorCode
from shared.domain.scrub import scrub

_T = TypeVar("_T")
_WORD: Final = re.compile(r"[a-z][a-z0-9_]{1,39}")
_VENDOR_CODE: Final = re.compile(r"-?[0-9]{1,7}|[A-Z][A-Z_]{1,39}|[a-z][a-z_]{1,39}")


def check_cause(kind: str) -> None:
    """Refuse a kind of cause that is not one of our own plain words."""
    if not _WORD.fullmatch(kind):
        raise InvalidInput("cause", "not a kind of cause", "Give a lower-case word, such as timeout")


@dataclass(frozen=True, slots=True)
class LockErrorCause:
    """Why: a kind of ours such as `timeout` or `duplicate_pin`, the vendor's code, a scrubbed detail."""

    kind: str
    vendor_code: str | None = None
    detail: str = ""

    def __post_init__(self) -> None:
        check_cause(self.kind)
        if self.vendor_code is not None and not _VENDOR_CODE.fullmatch(self.vendor_code):
            raise InvalidInput("cause.vendorCode", "not a vendor's error code", "Give a number or one word")
        object.__setattr__(self, "detail", scrub(self.detail))


UNKNOWN_CAUSE: Final = LockErrorCause("unknown")


class LockError(DomainError):
    """The root of what LockPort raises; it holds no credential and no vendor's words unscrubbed."""

    code: ClassVar[str]
    retriable: ClassVar[bool]
    requires: ClassVar[str | None] = None

    def __init__(
        self,
        *,
        vendor: VendorCode | None = None,
        device_id: LockDeviceId | None = None,
        credential_id: CredentialId | None = None,
        cause: LockErrorCause = UNKNOWN_CAUSE,
        permanent: bool = False,
        after: timedelta | None = None,
    ) -> None:
        super().__init__(self.code)
        self.vendor = vendor
        self.device_id = device_id
        self.credential_id = credential_id
        self.cause = cause
        self.permanent = permanent or not self.retriable
        self.after = after
        """How long it is not worth asking again, where somebody knows; it does not cross the wire."""
        if self.requires is not None and self.requires not in self.subject:
            raise InvalidInput(self.requires, "missing", f"Name it when raising {type(self).__name__}")

    @property
    def subject(self) -> dict[str, str]:
        """What the error is about, by wire name."""
        named = {
            "vendor": self.vendor,
            "deviceId": self.device_id,
            "keyCredentialId": self.credential_id,
        }
        return {name: str(value) for name, value in named.items() if value is not None}

    def to_dict(self) -> dict[str, Any]:
        """Return the error as it crosses the wire."""
        return {
            "code": self.code,
            "retriable": self.retriable,
            "permanent": self.permanent,
            **self.subject,
            "cause": {
                "kind": self.cause.kind,
                "vendorCode": self.cause.vendor_code,
                "detail": self.cause.detail,
            },
        }

    def __str__(self) -> str:
        about = ", ".join(f"{name} {value}" for name, value in self.subject.items())
        return f"{self.code} ({about or 'no subject'}): {self.cause.kind}" + ("; permanent" * self.permanent)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


class VendorUnreachable(LockError):
    """The vendor did not answer, or answered that it cannot."""

    code = "MELMASTOON.LOCK.VENDOR_UNREACHABLE"
    retriable = True
    requires = "vendor"


class KeyIssueFailed(LockError):
    """The vendor refused the key, for now or, when permanent, for good."""

    code = "MELMASTOON.LOCK.KEY_ISSUE_FAILED"
    retriable = True
    requires = "vendor"


class KeyRevokeFailed(LockError):
    """The vendor did not take the key back: somebody may still get in."""

    code = "MELMASTOON.LOCK.KEY_REVOKE_FAILED"
    retriable = True
    requires = "vendor"


class DeviceNotPaired(LockError):
    """The lock is not known to the vendor or to us."""

    code = "MELMASTOON.LOCK.DEVICE_NOT_PAIRED"
    retriable = False


class CredentialExpired(LockError):
    """The key's window is over."""

    code = "MELMASTOON.LOCK.CREDENTIAL_EXPIRED"
    retriable = False
    requires = "keyCredentialId"


class CardEncoderOffline(LockError):
    """The encoder at the desk does not answer."""

    code = "MELMASTOON.LOCK.CARD_ENCODER_OFFLINE"
    retriable = True
    requires = "deviceId"


LOCK_ERRORS: Final[Mapping[str, type[LockError]]] = {
    kind.code: kind
    for kind in (
        VendorUnreachable,
        KeyIssueFailed,
        KeyRevokeFailed,
        DeviceNotPaired,
        CredentialExpired,
        CardEncoderOffline,
    )
}

_FAILURES: Final[Mapping[type[LockError], FailureReason]] = {
    VendorUnreachable: FailureReason.VENDOR_UNREACHABLE,
    DeviceNotPaired: FailureReason.DEVICE_NOT_PAIRED,
    CredentialExpired: FailureReason.CREDENTIAL_EXPIRED,
    CardEncoderOffline: FailureReason.CARD_ENCODER_OFFLINE,
}


def failure_reason(error: type[LockError]) -> FailureReason:
    """Return the reason a key fails with when an error of this type was the last word."""
    return _FAILURES.get(error, FailureReason.KEY_ISSUE_FAILED)


def lock_error_from_dict(data: Mapping[str, Any]) -> LockError:
    """Read an error that crossed the wire."""
    kind = LOCK_ERRORS.get(str(data.get("code")))
    if kind is None:
        raise InvalidInput("code", "not a lock error code", f"Give one of {', '.join(LOCK_ERRORS)}")
    return kind(
        vendor=_optional(data, "vendor", VendorCode),
        device_id=_optional(data, "deviceId", LockDeviceId),
        credential_id=_optional(data, "keyCredentialId", credential_id),
        cause=_cause(data.get("cause")),
        permanent=data.get("permanent") is True,
    )


def _optional(data: Mapping[str, Any], name: str, parse: Callable[[Any], _T]) -> _T | None:
    return None if data.get(name) is None else parse(data[name])


def _cause(data: object) -> LockErrorCause:
    if not isinstance(data, Mapping):
        return UNKNOWN_CAUSE
    code = data.get("vendorCode")
    return LockErrorCause(
        str(data.get("kind", "unknown")), None if code is None else str(code), str(data.get("detail", ""))
    )
