"""What cannot become a key, however often a vendor is asked."""

from collections.abc import Callable, Iterable
from typing import Final

from shared.domain.ids import LockDeviceId
from shared.domain.lock_errors import (
    CredentialExpired,
    DeviceNotPaired,
    KeyIssueFailed,
    LockError,
    LockErrorCause,
)
from shared.keywork.attempt import AttemptContext
from shared.keywork.prepare import doors_for
from shared.keywork.vendor_session import VendorSession
from shared.ports.lock_causes import LockCause

_LOCKLESS: Final = {True: LockCause.ROOM_WITHOUT_LOCK, False: LockCause.SCOPE_WITHOUT_LOCK}
"""Why a key has no lock: one with rooms, or one with a scope alone."""


def why_hopeless(task: AttemptContext, desk: VendorSession) -> LockError | None:
    """Return why the attempt need not be made, or None; the vendor is not asked."""
    return next((error for check in _CHECKS if (error := check(task, desk)) is not None), None)


def _attempts(task: AttemptContext, desk: VendorSession) -> LockError | None:
    spent = task.entry.credential.core.plan.spent and not task.entry.round_open
    return _impossible(LockCause.ATTEMPTS_SPENT, desk) if spent else None


def _window(task: AttemptContext, desk: VendorSession) -> LockError | None:
    core = task.entry.credential.core
    if core.window.end > task.now:
        return None
    return CredentialExpired(
        vendor=desk.vendor, credential_id=core.id, cause=LockErrorCause(LockCause.WINDOW_OVER), permanent=True
    )


def _doors(task: AttemptContext, desk: VendorSession) -> LockError | None:
    core = task.entry.credential.core
    if all(desk.binding.doors((room,)) for room in core.rooms) and doors_for(
        core, core.rooms, desk.binding.devices
    ):
        return None
    return DeviceNotPaired(vendor=desk.vendor, cause=LockErrorCause(_LOCKLESS[bool(core.rooms)]))


def _kind(task: AttemptContext, desk: VendorSession) -> LockError | None:
    kind = task.entry.credential.core.plan.current.kind
    able = desk.port.describe_adapter().capabilities.supports(kind)
    return None if able else _impossible(LockCause.KIND_NOT_OFFERED, desk)


def _quarantine(task: AttemptContext, desk: VendorSession) -> LockError | None:
    core = task.entry.credential.core
    return quarantined((door.id for door in doors_for(core, core.rooms, desk.binding.devices)), desk)


def quarantined(locks: Iterable[LockDeviceId], desk: VendorSession) -> LockError | None:
    """Return why no key goes to these locks: one may hang at another door than the ledger says."""
    swapped = next((each for each in locks if each in desk.premises.quarantined), None)
    if swapped is None:
        return None
    cause = LockErrorCause(LockCause.LOCK_SWAPPED)
    return KeyIssueFailed(vendor=desk.vendor, device_id=swapped, cause=cause, permanent=True)


def _impossible(cause: LockCause, desk: VendorSession) -> LockError:
    return KeyIssueFailed(vendor=desk.vendor, cause=LockErrorCause(cause), permanent=True)


_CHECKS: Final[tuple[Callable[[AttemptContext, VendorSession], LockError | None], ...]] = (
    _attempts,
    _window,
    _doors,
    _quarantine,
    _kind,
)
