"""Taking a key back: asked of every lock, as often as it takes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from shared.domain.lock_errors import LockError
from shared.keywork.attempt import AttemptContext
from shared.keywork.decide_settle import conclude_withdrawal, secret_of
from shared.keywork.errand import Errand, SettleAttempt, lapsed
from shared.keywork.lock_key import lock_key
from shared.keywork.rounds import in_time
from shared.keywork.services import gather_both
from shared.keywork.vendor_session import VendorSession
from shared.keywork.verdicts import Verdict
from shared.ledger.delays import STEP_LEASE, round_over
from shared.ledger.grant_record import NEVER, GrantRecord, after_all_calls
from shared.ledger.ledger import Change
from shared.ledger.sealed_keys import SealedKey, SecretName
from shared.ports.exchanges import overheard
from shared.ports.trouble import ServiceTrouble
from shared.ports.vault import SealBroken


async def withdraw_at_locks(task: AttemptContext, desk: VendorSession) -> Verdict:
    """Make one attempt to take every leaving grant of this vendor back, and say what is next."""
    grants = await task.grants()
    task = await _begun(task, grants)
    began = task.entry.saga.began or task.now
    # What could not be told before is told meanwhile: others go by it too.
    leaving = _leaving(grants, task)
    missed = [kept for kept in leaving if kept.removal_since(began) is None]
    removals, told = await gather_both(_removals(missed or leaving, began, task, desk), task.announced())
    task = replace(task, entry=told)
    return await conclude_withdrawal(SettleAttempt(task, grants, removals, began, desk.port, desk.secrets))


async def _begun(task: AttemptContext, grants: Sequence[GrantRecord]) -> AttemptContext:
    """Write down that a try begins, before its locks are asked: nobody is to begin it once more meanwhile."""
    if task.entry.saga.began is not None:
        return task
    saga = replace(task.entry.saga, began=after_all_calls(grants, task.now))
    begun, _ = await task.saved(Change(replace(task.entry, saga=saga).due_in(STEP_LEASE, task.now)))
    return begun


async def refuse_to_withdraw(task: AttemptContext, error: LockError) -> Verdict:
    """Save that the vendor could not even be asked, and say what is next."""
    grants = await task.grants()
    removals = tuple(Errand(kept, error=error) for kept in _leaving(grants, task))
    return await conclude_withdrawal(SettleAttempt(task, grants, removals))


def _leaving(grants: Sequence[GrantRecord], task: AttemptContext) -> list[GrantRecord]:
    """Return what is to go, first what was asked for longest ago: one lock's trouble is not the others'.

    Each generation begins with another lock, lest one at which we crash keeps the others open.
    """
    ours = [kept for kept in grants if kept.leaving and kept.grant.vendor == task.vendor]
    turn = task.entry.saga.generation % max(1, len(ours))
    return sorted(
        ours[turn:] + ours[:turn], key=lambda kept: kept.removals[-1].at if kept.removals else NEVER
    )


async def _removals(
    leaving: Sequence[GrantRecord], began: datetime, task: AttemptContext, desk: VendorSession
) -> tuple[Errand, ...]:
    """Ask for a while; what is done is saved in time, and whoever comes next asks the others.

    While the vault is in trouble keys are removed by their names, and nothing is believed of that: somebody
    may have renamed one.
    """
    removals, round_began = list[Errand](), task.now
    vault = _Vault(desk)
    async with desk.port.visit():
        for kept in leaving:
            removal = await _asked(kept, await vault.sealed(secret_of(kept)), task, desk)
            removals.append(replace(removal, noted_at=max(began, removal.asked_at or began)))
            if round_over(round_began, task.now):
                break
    if vault.trouble is not None:
        raise vault.trouble
    return tuple(removals)


async def _asked(
    kept: GrantRecord, sealed: SealedKey | None, task: AttemptContext, desk: VendorSession
) -> Errand:
    if lapsed(kept, task.now):
        return Errand(kept)
    window, asked_at = task.entry.credential.core.window, task.now
    refusal: LockError | None = None
    with overheard() as said:
        try:
            async with in_time(task.vendor):
                await desk.port.remove(lock_key(kept, window, sealed))
        except LockError as error:
            refusal = error
    return Errand(kept, asked_at, refusal, answered_at=task.now, said=tuple(said))


class _Vault:
    """The sealed keys as one round needs them: each is opened once, and trouble is kept for its end."""

    def __init__(self, desk: VendorSession) -> None:
        self._desk, self._opened = desk, dict[SecretName, SealedKey | None]()
        self.trouble: ServiceTrouble | None = None

    async def sealed(self, name: SecretName) -> SealedKey | None:
        """Return a sealed key, if it can be opened; most locks of a key share one."""
        if name not in self._opened:
            self._opened[name] = await self._found(name)
        return self._opened[name]

    async def _found(self, name: SecretName) -> SealedKey | None:
        try:
            return await self._desk.secrets.find(name)
        except SealBroken:
            return None  # without the vendor's own reference a key is found by its name
        except ServiceTrouble as trouble:
            self.trouble = trouble
            return None
