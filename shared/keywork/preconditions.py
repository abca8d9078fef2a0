"""What cannot become a key, however often a vendor is asked."""

from collections.abc import Callable
from typing import Final

from shared.domain.kinds import KeyCredentialKind
from shared.domain.lock_errors import (
    CredentialExpired,
    DeviceNotPaired,
    KeyIssueFailed,
    LockError,
    LockErrorCause,
)
from shared.domain.plan import MAX_ATTEMPTS
from shared.keywork.attempt import AttemptContext
from shared.keywork.vendor_session import VendorSession

DRAWN: Final = frozenset({KeyCredentialKind.PIN_CODE})
"""Kinds whose secret we can make ourselves; a card needs an encoder, an app's key the guest's account."""


def why_hopeless(task: AttemptContext, desk: VendorSession) -> LockError | None:
    """Return why the attempt need not be made, or None; the vendor is not asked."""
    return next((error for check in _CHECKS if (error := check(task, desk)) is not None), None)


def _attempts(task: AttemptContext, desk: VendorSession) -> LockError | None:
    spent = task.entry.credential.core.plan.attempts >= MAX_ATTEMPTS and not task.entry.going_on
    return _impossible("attempts_spent", desk) if spent else None


def _window(task: AttemptContext, desk: VendorSession) -> LockError | None:
    core = task.entry.credential.core
    if core.window.end > task.now:
        return None
    return CredentialExpired(
        vendor=desk.vendor, credential_id=core.id, cause=LockErrorCause("window_over"), permanent=True
    )


def _doors(task: AttemptContext, desk: VendorSession) -> LockError | None:
    if all(desk.binding.doors((room,)) for room in task.entry.credential.core.rooms):
        return None
    return DeviceNotPaired(vendor=desk.vendor, cause=LockErrorCause("room_without_lock"))


def _kind(task: AttemptContext, desk: VendorSession) -> LockError | None:
    kind = task.entry.credential.core.plan.current.kind
    able = desk.port.describe_adapter().capabilities.supports(kind)
    return None if able else _impossible("kind_not_offered", desk)


def _secret(task: AttemptContext, desk: VendorSession) -> LockError | None:
    kind = task.entry.credential.core.plan.current.kind
    return None if kind in DRAWN else _impossible("secret_missing", desk)


def _impossible(cause: str, desk: VendorSession) -> LockError:
    return KeyIssueFailed(vendor=desk.vendor, cause=LockErrorCause(cause), permanent=True)


_CHECKS: Final[tuple[Callable[[AttemptContext, VendorSession], LockError | None], ...]] = (
    _attempts,
    _window,
    _doors,
    _kind,
    _secret,
)
