"""What came of taking a key back: gone, to be asked for again, or a risk that somebody must know of."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.credential import KeyCredential
from shared.domain.facts import Fact
from shared.domain.grant_lifecycle import Close, ConfirmRemoval, GiveUp, Lapse, Removing, Residual
from shared.domain.ids import UserId
from shared.domain.kinds import SAGA, Actor
from shared.domain.lock_errors import KeyRevokeFailed, LockError
from shared.domain.states import LockSettlement, Revoked
from shared.ledger.delays import (
    LONGEST_QUEUE,
    LONGEST_WAIT,
    LOOKED_AFTER,
    MOST_TRIES,
    RESIDUE_EVERY,
    delay_after,
)
from shared.ledger.kept_grant import KeptGrant
from shared.ledger.ledger import Change
from shared.ledger.sealed_keys import SealedKeys, SecretName
from shared.ports.lock import NEVER_ASKED, LockVendor
from shared.usecases.saga_step import DONE, Outcome, Verdict, again, ask
from shared.usecases.task_at_locks import Task

NONE: Final = timedelta(0)
IN_LINE: Final = NEVER_ASKED - {"account_missing", "no_connection"}
"""Causes that let a removal wait: others of us come first, or the vendor is left alone for a moment."""
GONE: Final = "gone"


@dataclass(frozen=True, slots=True)
class Removal:
    """One grant that is to go: when its vendor was asked, if it was, and what went wrong, if anything.

    `closed_by`: who was at the door and saw that it opens no more, whatever the vendor says.
    """

    kept: KeptGrant
    asked_at: datetime | None = None
    error: LockError | None = None
    answered_at: datetime | None = None
    closed_by: UserId | None = None

    @property
    def made(self) -> bool:
        """Say whether the vendor was asked."""
        return self.error is None or self.error.cause.kind not in NEVER_ASKED

    @property
    def unheeded(self) -> bool:
        """Say whether the vendor was asked and did not do it; else it was our own turn that did not come."""
        return self.error is not None and self.error.cause.kind not in IN_LINE

    def counts(self, now: datetime) -> bool:
        """Say whether this is a failed try: waiting in line is none, unless it goes on for too long."""
        state = self.kept.grant.state
        waits = isinstance(state, Removing) and now - state.since < LONGEST_QUEUE
        return self.unheeded or (self.error is not None and not waits)

    def settled(self, now: datetime, *, last: bool) -> KeptGrant:
        """Return the grant as it stands now; while a call may still place it, no removal is believed."""
        if lapsed(self.kept, now):
            return self.kept.told(Lapse(at=now))
        if self.closed_by is not None:
            return self.kept.told(Close(at=now, by=self.closed_by))
        kept = self._heard(now)
        if self.error is None:
            return kept if kept.busy(self.asked_at or now) else kept.told(ConfirmRemoval(at=now))
        if isinstance(kept.grant.state, Removing) and (last or self.error.permanent):
            return kept.told(GiveUp(at=now, cause=self.error.cause.kind))
        return kept

    def _heard(self, now: datetime) -> KeptGrant:
        if self.asked_at is None:
            return self.kept
        answer = GONE if self.error is None else self.error.cause.kind
        return self.kept.removing(self.asked_at, answer, self.answered_at or now)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """An attempt to take a key back: without a port the vendor was not asked, without secrets they stay."""

    task: Task
    grants: tuple[KeptGrant, ...]
    removals: tuple[Removal, ...]
    port: LockVendor | None = None
    secrets: SealedKeys | None = None

    @property
    def errors(self) -> tuple[LockError, ...]:
        """What the vendor refused."""
        return tuple(each.error for each in self.removals if each.error is not None)

    @property
    def tries(self) -> int:
        """How many tries failed, this one included: one is over when all locks were asked."""
        failed = not self.missed and any(each.counts(self.task.now) for each in self.removals)
        return self.task.entry.saga.tries + failed

    @property
    def last(self) -> bool:
        """Say whether to stop asking for now: often enough, or the vendor wants to be left alone too long."""
        return self.tries >= MOST_TRIES or self.asked_for > LONGEST_WAIT

    @property
    def missed(self) -> bool:
        """Say whether there are locks that nobody came to now, and that others of the key were before."""
        came_to = {each.kept.grant.id: len(each.kept.removals) + each.made for each in self.removals}
        most = max(came_to.values(), default=0)
        ours = (kept for kept in self.grants if kept.leaving and kept.grant.vendor == self.task.vendor)
        return any(len(kept.removals) < most for kept in ours if kept.grant.id not in came_to)

    @property
    def asked_for(self) -> timedelta:
        """How long the vendor wants to be left alone."""
        waits = [self.port.wait_after(error) for error in self.errors] if self.port else []
        return max((wait for wait in waits if wait is not None), default=NONE)

    @property
    def by(self) -> Actor:
        """Who says how it stands."""
        return next((each.closed_by for each in self.removals if each.closed_by), SAGA)


async def conclude_withdrawal(it: Withdrawal) -> Verdict:
    """Save what came of an attempt, and say what is next."""
    task, now = it.task, it.task.now
    settled = tuple(each.settled(now, last=it.last) for each in it.removals)
    changed = tuple(new for each, new in zip(it.removals, settled, strict=True) if new is not each.kept)
    standing = {kept.grant.id: kept for kept in (*it.grants, *settled)}
    entry = replace(task.entry, saga=replace(task.entry.saga, tries=it.tries))
    _alarm(it, settled)
    removing = [kept for kept in standing.values() if isinstance(kept.grant.state, Removing)]
    if removing:
        return await _later(it, Change(entry, grants=changed), removing)
    return await _over(it, Change(entry, grants=changed), tuple(standing.values()))


async def _later(it: Withdrawal, change: Change, removing: list[KeptGrant]) -> Verdict:
    task, ours = it.task, [kept for kept in removing if kept.grant.vendor == it.task.vendor]
    wait = _wait(it, ours)
    await task.ledger.save(replace(change, entry=change.entry.due_in(wait + LOOKED_AFTER, task.now)))
    return again(task.vendor, wait) if ours else ask(removing[0].grant.vendor)


def _wait(it: Withdrawal, ours: list[KeptGrant]) -> timedelta:
    """Return how long until it is worth asking again: after an error longer each time."""
    if it.missed:
        return NONE
    if it.errors:
        delay = delay_after(max(1, it.tries), it.task.office.entropy)
        return max(delay, min(it.asked_for, LONGEST_WAIT))
    now = it.task.now
    return max([NONE, *(kept.busy_until - now for kept in ours if kept.busy_until is not None)])


async def _over(it: Withdrawal, change: Change, standing: tuple[KeptGrant, ...]) -> Verdict:
    """End the work: with what still opens, if anything does, and a day on which to ask again."""
    task = it.task
    residual = [kept for kept in standing if isinstance(kept.grant.state, Residual)]
    if it.secrets is not None and all(kept.over for kept in standing):
        # Before the last word, so that a crash leaves the word to be said again and not the secret.
        for name in {secret_of(kept) for kept in standing}:
            await it.secrets.destroy(name)
    credential, facts = _settlement(change.entry.credential, standing, it)
    entry = replace(change.entry, credential=credential, due=_due(residual, task))
    await task.ended(Change(entry, facts, change.grants))
    return Verdict(Outcome.FAILED) if residual else DONE


def _settlement(
    credential: KeyCredential, standing: tuple[KeptGrant, ...], it: Withdrawal
) -> tuple[KeyCredential, tuple[Fact, ...]]:
    if not isinstance(credential.state, Revoked) or not standing:
        return credential, ()
    opens = {kept.grant.device_id: kept.grant for kept in standing if not kept.over}
    devices = dict.fromkeys(kept.grant.device_id for kept in standing)
    locks = tuple(
        LockSettlement(device, device not in opens, opens[device].exposure_until if device in opens else None)
        for device in devices
    )
    return credential.settle_revoke(locks, at=it.task.now, by=it.by)


def _due(residual: list[KeptGrant], task: Task) -> datetime | None:
    ends = [kept.grant.exposure_until for kept in residual if kept.grant.exposure_until is not None]
    return min([task.now + RESIDUE_EVERY, *ends]) if residual else None


def _alarm(it: Withdrawal, settled: tuple[KeptGrant, ...]) -> None:
    """Say it at once, and once more when we stop asking: somebody may still get in."""
    for removal, kept in zip(it.removals, settled, strict=True):
        given_up = kept.grant is not removal.kept.grant and isinstance(kept.grant.state, Residual)
        if removal.error is not None and (_first(removal, it) or given_up):
            it.task.office.log.alert(
                KeyRevokeFailed.code,
                runbook="lock/key-revoke",
                keyCredentialId=it.task.entry.id,
                deviceId=removal.kept.grant.device_id,
                cause=removal.error.cause.kind,
                tries=it.tries,
            )


def _first(removal: Removal, it: Withdrawal) -> bool:
    """Say whether nobody was told yet that the lock keeps the key: it is refused, or we wait too long."""
    refused_before = any(call.answer != GONE for call in removal.kept.removals)
    return not refused_before and (removal.unheeded or (removal.counts(it.task.now) and it.tries == 1))


def lapsed(kept: KeptGrant, now: datetime) -> bool:
    """Say whether a key that would not go opens no more, its time being over."""
    end = kept.grant.exposure_until
    return isinstance(kept.grant.state, Residual) and end is not None and end <= now


def secret_of(kept: KeptGrant) -> SecretName:
    """Return the name of the secret that opens here."""
    grant = kept.grant
    return SecretName(grant.credential_id, grant.kind, grant.secret_try)
