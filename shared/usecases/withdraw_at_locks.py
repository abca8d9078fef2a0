"""Taking a key back: asked of every lock, as often as it takes."""

import contextlib
from collections.abc import Sequence

from shared.domain.lock_errors import LockError
from shared.ledger.kept_grant import KeptGrant
from shared.ledger.sealed_keys import SealedKey, SecretName
from shared.ports.vault import SealBroken
from shared.usecases.conclude_withdrawal import Removal, Withdrawal, conclude_withdrawal, lapsed, secret_of
from shared.usecases.lock_desk import LockDesk
from shared.usecases.lock_key import lock_key
from shared.usecases.saga_step import Verdict
from shared.usecases.task_at_locks import Task


async def withdraw_at_locks(task: Task, desk: LockDesk) -> Verdict:
    """Make one attempt to take every leaving grant of this vendor back, and say what is next."""
    grants = await task.grants()
    removals = await _removals(_leaving(grants, task), task, desk)
    return await conclude_withdrawal(Withdrawal(task, grants, removals, desk.port, desk.secrets))


async def refuse_to_withdraw(task: Task, error: LockError) -> Verdict:
    """Save that the vendor could not even be asked, and say what is next."""
    grants = await task.grants()
    removals = tuple(Removal(kept, error=error) for kept in _leaving(grants, task))
    return await conclude_withdrawal(Withdrawal(task, grants, removals))


def _leaving(grants: Sequence[KeptGrant], task: Task) -> list[KeptGrant]:
    return [kept for kept in grants if kept.leaving and kept.grant.vendor == task.vendor]


async def _removals(leaving: Sequence[KeptGrant], task: Task, desk: LockDesk) -> tuple[Removal, ...]:
    async with desk.port.visit():
        return tuple([await _asked(kept, task, desk) for kept in leaving])


async def _asked(kept: KeptGrant, task: Task, desk: LockDesk) -> Removal:
    if lapsed(kept, task.now):
        return Removal(kept)
    sealed, window = await _sealed(secret_of(kept), desk), task.entry.credential.core.window
    asked_at = task.now
    try:
        await desk.port.remove(lock_key(kept, window, sealed))
    except LockError as error:
        return Removal(kept, asked_at, error)
    return Removal(kept, asked_at)


async def _sealed(name: SecretName, desk: LockDesk) -> SealedKey | None:
    # Without the vendor's own reference a key is found by its name.
    with contextlib.suppress(SealBroken):
        return await desk.secrets.find(name)
    return None
