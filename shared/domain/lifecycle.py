"""The life of a key credential: one table, state by command to next state.

Everything that decides where a key may go lives in this file. The table is keyed by types, so a state or a
command that is missing here cannot be reached or obeyed at all; what is absent is refused, and the refusal
says what would have been taken. Read it as the specification's rules:

- No skipping forward: the only way to `Active` from the start leads through `Pending`.
- A key that was never active cannot be revoked, only failed; a cancelled booking fails it.
- Suspending is reversible, and `Unsuspend` is the only way back.
- `Revoked` and `Failed` are final. Revoking once more succeeds and changes nothing, because the order to
  revoke arrives at least once, and often twice.

The diagram in README.md is generated from the table; the tests hold their own copy of what it should say.
"""

import re
from collections.abc import Mapping
from typing import Final

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
from shared.domain.errors import IllegalTransition
from shared.domain.states import Active, Failed, Pending, Requested, Revoked, State, Suspended

TABLE: Final[Mapping[type[State], Mapping[type[Command], type[State]]]] = {
    Requested: {Accept: Pending, Fail: Failed},
    Pending: {Provision: Active, Fail: Failed},
    Active: {Amend: Active, HandOver: Active, Suspend: Suspended, Revoke: Revoked},
    Suspended: {Unsuspend: Active, Revoke: Revoked},
    Revoked: {Revoke: Revoked},
    Failed: {},
}


def next_state(state: type[State], command: type[Command]) -> type[State]:
    """Return where a command leads from a state, or refuse."""
    allowed = TABLE[state]
    if command not in allowed:
        raise IllegalTransition(name_of(state), command.__name__, taken_by(state))
    return allowed[command]


def taken_by(state: type[State]) -> tuple[str, ...]:
    """Name the commands that a state takes."""
    return tuple(command.__name__ for command in TABLE[state])


def is_final(state: type[State]) -> bool:
    """Say whether no command leads out of a state."""
    return all(target is state for target in TABLE[state].values())


def name_of(kind: type) -> str:
    """Return the wire name of a state's class."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
