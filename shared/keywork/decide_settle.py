"""What came of taking a key back: gone, to be asked for again, or a risk that somebody must know of."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from shared.domain.credential import KeyCredential
from shared.domain.facts import Fact
from shared.domain.grant_lifecycle import Removing, Residual
from shared.domain.ids import LockDeviceId
from shared.domain.lock_errors import KeyRevokeFailed
from shared.domain.states import LockSettlement, Revoked
from shared.keywork.attempt import AttemptContext
from shared.keywork.errand import GONE, NONE, SettleAttempt, waits_too_long
from shared.keywork.manual_task import reservation_of
from shared.keywork.verdicts import DONE, Outcome, Verdict, again, ask
from shared.ledger.delays import LONGEST_WAIT, RESIDUE_EVERY, STEP_LEASE, delay_after
from shared.ledger.grant_record import GrantRecord
from shared.ledger.ledger import Change
from shared.ledger.sealed_keys import SecretName


async def conclude_withdrawal(it: SettleAttempt) -> Verdict:
    """Save what came of an attempt, and say what is next."""
    settled = it.settled()
    changed = tuple(new for old, new in settled if new is not old)
    standing = {kept.grant.id: kept for kept in (*it.grants, *(new for _, new in settled))}
    entry = replace(it.task.entry, saga=it.saga)
    _alarm(it, settled)
    removing = [kept for kept in standing.values() if isinstance(kept.grant.state, Removing)]
    if removing or it.missed:
        return await _later(it, Change(entry, grants=changed), removing)
    return await _over(it, Change(entry, grants=changed), tuple(standing.values()))


async def _later(it: SettleAttempt, change: Change, removing: list[GrantRecord]) -> Verdict:
    task, ours = it.task, [kept for kept in removing if kept.grant.vendor == it.task.vendor]
    wait = _wait(it, ours)
    await task.ledger.save(replace(change, entry=change.entry.due_in(wait + STEP_LEASE, task.now)))
    return again(task.vendor, wait) if ours or it.missed else ask(removing[0].grant.vendor)


def _wait(it: SettleAttempt, ours: list[GrantRecord]) -> timedelta:
    """Return how long until it is worth asking again: after an error longer each time."""
    if it.missed:
        return NONE
    if it.failed:
        delay = delay_after(max(1, it.tries), it.task.services.entropy)
        return max(delay, min(it.asked_for, LONGEST_WAIT))
    now = it.task.now
    return max([NONE, *(kept.busy_until - now for kept in ours if kept.busy_until is not None)])


async def _over(it: SettleAttempt, change: Change, standing: tuple[GrantRecord, ...]) -> Verdict:
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
    credential: KeyCredential, standing: tuple[GrantRecord, ...], it: SettleAttempt
) -> tuple[KeyCredential, tuple[Fact, ...]]:
    if not isinstance(credential.state, Revoked) or not standing:
        return credential, ()
    devices = dict.fromkeys(kept.grant.device_id for kept in standing)
    locks = tuple(_at_lock(device, [kept for kept in standing if not kept.over]) for device in devices)
    return credential.settle_revoke(locks, at=it.task.now, by=it.by)


def _at_lock(device: LockDeviceId, opens: Sequence[GrantRecord]) -> LockSettlement:
    """Say until when the last of what is left at a lock opens it; of some, nobody knows an end."""
    ends = [kept.grant.exposure_until for kept in opens if kept.grant.device_id == device]
    known = [end for end in ends if end is not None]
    return LockSettlement(device, not ends, max(known, default=None) if len(known) == len(ends) else None)


def _due(residual: list[GrantRecord], task: AttemptContext) -> datetime | None:
    ends = [kept.grant.exposure_until for kept in residual if kept.grant.exposure_until is not None]
    return min([task.now + RESIDUE_EVERY, *ends]) if residual else None


def _alarm(it: SettleAttempt, settled: list[tuple[GrantRecord, GrantRecord]]) -> None:
    """Say it at once, and once more when we stop asking: somebody may still get in."""
    core = it.task.entry.credential.core
    for old, new in settled:
        given_up = new.grant is not old.grant and isinstance(new.grant.state, Residual)
        if given_up or _first(it, old):
            it.task.services.log.alert(
                KeyRevokeFailed.code,
                runbook="lock/key-revoke",
                keyCredentialId=it.task.entry.id,
                tenantId=core.tenant,
                reservationId=reservation_of(core),
                deviceId=new.grant.device_id,
                cause=_cause(it, new),
                tries=it.tries,
            )


def _first(it: SettleAttempt, old: GrantRecord) -> bool:
    """Say whether nobody was told yet that a lock keeps the key: it is refused, or waits for too long."""
    removal = next((each for each in it.removals if each.kept is old), None)
    if removal is None or removal.error is None or any(_refusals(old)):
        return False
    if removal.asked_at is None:
        return it.tries == 1
    waited_before = any(waits_too_long(old, call.at) for call in old.removals)
    return removal.refused or (waits_too_long(old, removal.asked_at) and not waited_before)


def _refusals(kept: GrantRecord) -> list[bool]:
    return [call.made and call.answer != GONE for call in kept.removals]


def _cause(it: SettleAttempt, kept: GrantRecord) -> str | None:
    error = next((each.error for each in it.removals if each.kept.grant.id == kept.grant.id), None)
    return error.cause.kind if error else kept.removals[-1].answer


def secret_of(kept: GrantRecord) -> SecretName:
    """Return the name of the secret that opens here."""
    grant = kept.grant
    return SecretName(grant.credential_id, grant.kind, grant.secret_try)
