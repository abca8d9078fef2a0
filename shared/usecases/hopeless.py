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
from shared.usecases.lock_desk import LockDesk
from shared.usecases.task_at_locks import Task

DRAWN: Final = frozenset({KeyCredentialKind.PIN_CODE})
"""Kinds whose secret we can make ourselves; a card needs an encoder, an app's key the guest's account."""


def why_hopeless(task: Task, desk: LockDesk) -> LockError | None:
    """Return why the attempt need not be made, or None; the vendor is not asked."""
    return next((error for check in _CHECKS if (error := check(task, desk)) is not None), None)


def _attempts(task: Task, desk: LockDesk) -> LockError | None:
    spent = task.entry.credential.core.plan.attempts >= MAX_ATTEMPTS and not task.entry.going_on
    return _impossible("attempts_spent", desk) if spent else None


def _window(task: Task, desk: LockDesk) -> LockError | None:
    core = task.entry.credential.core
    if core.window.end > task.now:
        return None
    return CredentialExpired(
        vendor=desk.vendor, credential_id=core.id, cause=LockErrorCause("window_over"), permanent=True
    )


def _doors(task: Task, desk: LockDesk) -> LockError | None:
    if all(desk.binding.doors((room,)) for room in task.entry.credential.core.rooms):
        return None
    return DeviceNotPaired(vendor=desk.vendor, cause=LockErrorCause("room_without_lock"))


def _kind(task: Task, desk: LockDesk) -> LockError | None:
    kind = task.entry.credential.core.plan.current.kind
    able = desk.port.describe_adapter().capabilities.supports(kind)
    return None if able else _impossible("kind_not_offered", desk)


def _secret(task: Task, desk: LockDesk) -> LockError | None:
    kind = task.entry.credential.core.plan.current.kind
    return None if kind in DRAWN else _impossible("secret_missing", desk)


def _impossible(cause: str, desk: LockDesk) -> LockError:
    return KeyIssueFailed(vendor=desk.vendor, cause=LockErrorCause(cause), permanent=True)


_CHECKS: Final[tuple[Callable[[Task, LockDesk], LockError | None], ...]] = (
    _attempts,
    _window,
    _doors,
    _kind,
    _secret,
)
