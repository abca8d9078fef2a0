"""What each command changes, and the fact it leaves; whether it may is decided in `lifecycle`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from shared.domain.commands import (
    Accept,
    Amend,
    Command,
    Fail,
    HandOver,
    Provision,
    Revoke,
    Suspend,
    Unsuspend,
)
from shared.domain.core import CredentialCore, Guest
from shared.domain.facts import (
    Changed,
    CredentialFailed,
    CredentialIssued,
    CredentialPending,
    CredentialRevoked,
    CredentialSuspended,
    CredentialUnsuspended,
    CredentialUpdated,
    Fact,
    FactHeader,
)
from shared.domain.kinds import OPENS_BEYOND_STAY, WINDOW_ROUNDED, KeyWarning, merge_warnings
from shared.domain.replacing import replace
from shared.domain.states import Active, Failed, IssuedKey, Pending, Requested, Revoked, State, Suspended
from shared.domain.window import StayWindow

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Change:
    """What a key becomes, and what is to be told."""

    core: CredentialCore
    state: State
    fact: Fact


def _accept(core: CredentialCore, _: Requested, __: Accept, header: FactHeader) -> Change:
    fact = CredentialPending(header=header, kind=core.plan.current.kind)
    return Change(core, Pending(header.at), fact)


def _provision(core: CredentialCore, _: Pending, command: Provision, header: FactHeader) -> Change:
    effective = command.effective or core.window
    warned = _warned(core, command.warnings, effective)
    key = IssuedKey(core.plan.current.vendor, core.plan.current.kind, effective, header.at)
    return Change(warned, Active(key), _issued(warned, key, header))


def _issued(core: CredentialCore, key: IssuedKey, header: FactHeader) -> CredentialIssued:
    return CredentialIssued(
        header=header,
        kind=key.kind,
        rooms=core.rooms,
        scope=core.scope,
        window=core.window,
        effective=key.effective,
        role=core.role,
        replaces=core.replaces,
        local_id=core.local_id,
        warnings=core.warnings,
    )


def _fail(core: CredentialCore, _: Requested | Pending, command: Fail, header: FactHeader) -> Change:
    fact = CredentialFailed(
        header=header,
        reason=command.reason,
        vendor_message=command.vendor_message,
        attempts=core.plan.attempts,
        last_attempt_at=core.plan.last_attempt_at,
    )
    return Change(core, Failed(command.reason, header.at, command.vendor_message), fact)


def _amend(core: CredentialCore, state: Active, command: Amend, header: FactHeader) -> Change | None:
    amended = replace(
        core,
        rooms=core.rooms if command.rooms is None else command.rooms,
        window=command.window or core.window,
        scope=core.scope if command.scope is None else command.scope,
    )
    effective = command.effective or command.window or state.key.effective
    warned = _warned(amended, command.warnings, effective, moved=effective != state.key.effective)
    if warned == core and effective == state.key.effective:
        return None
    key = replace(state.key, effective=effective)
    return Change(warned, Active(key), _updated(core, warned, effective, header))


def _updated(
    core: CredentialCore, amended: CredentialCore, effective: StayWindow, header: FactHeader
) -> CredentialUpdated:
    return CredentialUpdated(
        header=header,
        rooms=_changed(core.rooms, amended.rooms),
        window=_changed(core.window, amended.window),
        scope=_changed(core.scope, amended.scope),
        effective=effective,
        warnings=amended.warnings,
    )


def _hand_over(core: CredentialCore, state: Active, command: HandOver, header: FactHeader) -> Change | None:
    if not isinstance(core.holder, Guest) or core.holder == command.holder:
        return None
    stay = Changed(core.holder.reservation_id, command.holder.reservation_id)
    handed = replace(core, holder=command.holder, claim=command.claim)
    told = _updated(core, handed, state.key.effective, replace(header, holder=command.holder))
    return Change(handed, state, replace(told, stay=stay))


def _changed(before: _T, after: _T) -> Changed[_T] | None:
    return None if before == after else Changed(before, after)


def _suspend(core: CredentialCore, state: Active, command: Suspend, header: FactHeader) -> Change:
    fact = CredentialSuspended(header=header, reason=command.reason)
    return Change(core, Suspended(state.key, command.reason, header.at, header.by), fact)


def _unsuspend(core: CredentialCore, state: Suspended, _: Unsuspend, header: FactHeader) -> Change:
    return Change(core, Active(state.key), CredentialUnsuspended(header=header, reason=state.reason))


def _revoke(
    core: CredentialCore, state: Active | Suspended | Revoked, command: Revoke, header: FactHeader
) -> Change | None:
    if isinstance(state, Revoked):
        return None
    fact = CredentialRevoked(
        header=header,
        reason=command.reason,
        was_provisional=core.was_provisional,
        replaced_by=command.replaced_by,
        warnings=command.warnings,
    )
    revoked = Revoked(state.key, command.reason, header.at, command.replaced_by)
    return Change(replace(core, warnings=merge_warnings(core.warnings, command.warnings)), revoked, fact)


def _warned(
    core: CredentialCore, news: tuple[KeyWarning, ...], effective: StayWindow, *, moved: bool = False
) -> CredentialCore:
    """Add warnings; one nobody may forget: the lock enforces another window than was asked for."""
    rounding = _rounding(core, news, effective, moved)
    known = merge_warnings(core.warnings, news, rounding)
    kept = tuple(warning for warning in known if warning.code not in _OF_WINDOWS or warning in rounding)
    return replace(core, warnings=kept)


def _rounding(
    core: CredentialCore, news: tuple[KeyWarning, ...], effective: StayWindow, moved: bool
) -> tuple[KeyWarning, ...]:
    """Return what is to be said of a rounded window; words about an earlier one mislead, so they go."""
    if (core.window.start, core.window.end) == (effective.start, effective.end):
        return ()
    known = () if moved else _about_rounding(core.warnings)
    return _about_rounding(news) or known or (KeyWarning(WINDOW_ROUNDED),)


def _about_rounding(warnings: tuple[KeyWarning, ...]) -> tuple[KeyWarning, ...]:
    return tuple(warning for warning in warnings if warning.code in _OF_WINDOWS)


_OF_WINDOWS: Final = frozenset({WINDOW_ROUNDED, OPENS_BEYOND_STAY})


CHANGES: Final[Mapping[type[Command], Callable[[CredentialCore, Any, Any, FactHeader], Change | None]]] = {
    Accept: _accept,
    Provision: _provision,
    Fail: _fail,
    Amend: _amend,
    HandOver: _hand_over,
    Suspend: _suspend,
    Unsuspend: _unsuspend,
    Revoke: _revoke,
}
"""One entry per command; None means that nothing changes and nothing is told."""
