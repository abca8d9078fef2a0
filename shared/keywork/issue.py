"""Making a key: written down with its grants and sealed secret, then asked of the vendor, then confirmed."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from shared.domain.commands import Accept
from shared.domain.core import Guest, Holder
from shared.domain.facts import Fact
from shared.domain.ids import minted_at
from shared.domain.instants import instant
from shared.domain.lock_errors import KeyIssueFailed, LockError, LockErrorCause
from shared.domain.replacing import replace
from shared.domain.secret import Secret
from shared.domain.states import Failed, Requested, Revoked
from shared.kernel.together import gather_both
from shared.keywork.attempt import AttemptContext
from shared.keywork.decide_issue import NONE, decide
from shared.keywork.decision import carry_out
from shared.keywork.lead_time import let_wait, waits_for
from shared.keywork.lock_attempt import IssueAttempt, LockAttempt
from shared.keywork.manual_task import alarm
from shared.keywork.place_at_locks import place_at_locks
from shared.keywork.preconditions import why_hopeless
from shared.keywork.prepare import doors_for, new_grant
from shared.keywork.unique_pins import attempt_indexed, draw_unique, with_pin
from shared.keywork.vault import KEPT_AFTER_STAY
from shared.keywork.vendor_session import VendorSession
from shared.keywork.verdicts import Outcome, Verdict
from shared.ledger.delays import STEP_LEASE, TURN_AGAIN_AFTER
from shared.ledger.grant_record import GrantRecord, logical_now
from shared.ledger.key_record import KeyRecord, Target
from shared.ledger.ledger import Change
from shared.ledger.sealed_keys import SealedKey, SecretName
from shared.ports.documents import StaleVersion
from shared.ports.lock_causes import LockCause
from shared.ports.secret_sources import SecretSource

HEARD_WITHIN: Final = timedelta(seconds=30)
"""After a key was requested: by then its booking's contact was heard, or there is none."""
STILL_IN_LINE: Final = (
    "its turn at the vendor has not come yet, and its guest is here: it is waited for still"
)

STILL_TRIED: Final = "its vendor made none in four attempts, and its guest is here: it is asked still"


async def issue_at_locks(task: AttemptContext, desk: VendorSession) -> Verdict:
    """Make one attempt at the key, and say what is next."""
    known = await task.grants() if task.entry.credential.core.plan.attempts else ()
    hopeless = why_hopeless(task, desk) or await _nobody_knows(task, desk)
    if hopeless is not None:
        return await refuse_to_issue(task, hopeless)
    waits = await waits_for(task, desk)
    if waits is not None:
        return await let_wait(task, waits)
    try:
        intended = await _intended(task, desk, known)
    except StaleVersion:
        await _forget_in_vain(task, desk)
        raise
    attempted, told = await gather_both(place_at_locks(intended, desk), intended.task.publish_or_defer())
    attempted = await attempt_indexed(attempted, desk.secrets)
    return await conclude_issue(replace(attempted, task=replace(attempted.task, entry=told)), desk)


async def refuse_to_issue(task: AttemptContext, error: LockError) -> Verdict:
    """Save that no vendor could be asked, and say what is next."""
    credential = task.entry.credential
    known = await task.grants() if credential.core.plan.attempts else ()
    others = tuple(kept for kept in known if not kept.over)
    counts = not error.permanent and not credential.core.plan.spent
    if counts:
        task = replace(task, entry=replace(task.entry, credential=credential.attempting(task.now)))
    return await conclude_issue(IssueAttempt(task, others=others, counted=counts, refusal=error), None)


async def conclude_issue(attempted: IssueAttempt, desk: VendorSession | None) -> Verdict:
    """Decide what an attempt comes to, save that, and say what is next."""
    task, error = attempted.task, attempted.error
    if error is not None and attempted.refused:
        told = {"keyCredentialId": task.entry.id, "code": error.code, "cause": error.cause.kind}
        task.services.log.warning("a vendor made no key", **told, permanent=error.permanent)
    elif attempted.waits_long:
        alarm(task.entry.credential.core, STILL_IN_LINE, task.services.log)
    decision = decide(attempted, _asked_for(attempted, desk), task.services.entropy)
    if error is not None and decision.verdict.outcome is not Outcome.FAILED and attempted.keeps_somebody:
        alarm(task.entry.credential.core, STILL_TRIED, task.services.log, code=error.code)
    return replace(await carry_out(decision, task, desk.secrets if desk else None), error=error)


def _asked_for(attempted: IssueAttempt, desk: VendorSession | None) -> timedelta:
    """Return how long the vendor wants to be left alone, or until our own turn may come."""
    error = attempted.error
    if error is None or desk is None:
        return NONE
    if not attempted.waits_in_line:
        return desk.port.wait_after(error) or NONE
    known = [each.after for each in attempted.errors if each.after is not None]
    return max(known) if known else max(desk.port.wait_after(error) or NONE, TURN_AGAIN_AFTER)


async def _intended(task: AttemptContext, desk: VendorSession, known: Sequence[GrantRecord]) -> IssueAttempt:
    """Write down what is about to be asked of the vendor, and the secret that it will be told."""
    now = task.now
    logical_at = logical_now(known, now)
    placings = _placings(task, desk, known, now, logical_at)
    mine = {placing.kept.grant.id for placing in placings}
    others = [kept.withdrawn(now) for kept in known if not kept.over and kept.grant.id not in mine]
    ended = [kept for kept in others if kept not in known]
    called = [placing for placing in placings if placing.called]
    key, alone = await _secret(task, desk, known), all(placing.fresh for placing in placings)
    if not alone:
        key = await _kept(key, desk)
    grants = await with_pin([placing.kept for placing in called], key.artifact, desk.secrets)
    counted = _counted(task, (*grants, *ended), now, logical_at)
    if alone:
        # Neither means anything without the other, and the vendor is told of neither before both are kept.
        key, (begun, saved) = await gather_both(_kept(key, desk), task.saved(counted))
    else:
        begun, saved = await task.saved(counted)
    kept = [replace(placing, kept=each) for placing, each in zip(called, saved, strict=False)]
    standing = [placing for placing in placings if not placing.called]
    leaving = (*(each for each in others if each not in ended), *saved[len(kept) :])
    return IssueAttempt(begun, (*standing, *kept), leaving, key, at_once=_at_once(task, desk))


async def _forget_in_vain(task: AttemptContext, desk: VendorSession) -> None:
    """Destroy the secret of a key that came to its end while we wrote it down: nobody else ever will."""
    entry = await task.ledger.entry(task.entry.id)
    if entry is None or not isinstance(entry.credential.state, Revoked | Failed):
        return
    if all(kept.over for kept in await task.ledger.grants(entry)):  # else whoever takes them back does it
        await desk.secrets.destroy(_secret_name(task.entry))


def _counted(
    task: AttemptContext, grants: tuple[GrantRecord, ...], now: datetime, logical_at: datetime
) -> Change:
    """Count the attempt, unless the last goes on; should this call be lost, the next counts."""
    credential = task.entry.credential
    facts: tuple[Fact, ...] = ()
    if not task.entry.round_open:
        credential = credential.attempting(logical_at)
    if isinstance(credential.state, Requested):
        credential, facts = credential.apply(Accept(at=now))
    entry = replace(task.entry, credential=credential, round_open=False, waits=None)
    return Change(entry.due_in(STEP_LEASE, now), facts, grants)


def _placings(
    task: AttemptContext,
    desk: VendorSession,
    known: Sequence[GrantRecord],
    now: datetime,
    logical_at: datetime,
) -> list[LockAttempt]:
    core, secret_try = task.entry.credential.core, task.entry.secret_try
    tried = (core.plan.current.vendor, core.plan.current.kind, secret_try)
    mine = {
        (kept.grant.device_id, kept.vendor_device): kept
        for kept in known
        if kept.wanted and (kept.grant.vendor, kept.grant.kind, kept.grant.secret_try) == tried
    }
    target = Target(core.rooms, core.window)
    grants = []
    for door in doors_for(core, core.rooms, desk.binding.devices):
        kept = mine.get((door.id, door.vendor_device))
        if kept is None:
            kept = new_grant(task.entry, door, target, known, now, task.services.ids)
        grants.append(kept)
    if _at_once(task, desk) and not all(kept.stands for kept in grants):
        # One artifact opens all or none: where a lock is missing, it is asked for once more at every lock.
        grants = [replace(kept, standing=None) for kept in grants]
    return [LockAttempt.at(kept, now, logical_at) for kept in grants]


def _at_once(task: AttemptContext, desk: VendorSession) -> bool:
    return task.entry.credential.core.plan.current.kind in desk.port.describe_adapter().at_once


async def _secret(task: AttemptContext, desk: VendorSession, known: Sequence[GrantRecord]) -> SealedKey:
    """Return the secret of this try: the one that is kept, or one drawn now, or none yet."""
    core, name = task.entry.credential.core, _secret_name(task.entry)
    source = desk.source(core.plan.current.kind)
    kept = await desk.secrets.find(name) if known or source.known_before else None
    if kept is not None:
        return kept
    pin = await draw_unique(task, desk) if source is SecretSource.DRAWN else None
    return SealedKey(name, pin, core.window.end + KEPT_AFTER_STAY)


async def _kept(key: SealedKey, desk: VendorSession) -> SealedKey:
    """Keep a secret that was drawn now; where one stands already, that is the one."""
    return key if key.version is not None else await desk.secrets.keep(key)


async def _nobody_knows(task: AttemptContext, desk: VendorSession) -> LockError | None:
    """Return why there is no such key where its secret is somebody's to seal, and nobody has.

    A booking says where its guest's phone is reached, and is heard of that beside the key: for a while it may
    come yet.
    """
    core, name = task.entry.credential.core, _secret_name(task.entry)
    source = desk.source(core.plan.current.kind)
    if not source.known_before or await desk.secrets.find(name) is not None:
        return None
    account = await _account_of_guest(core.holder, desk) if source is SecretSource.ACCOUNT else None
    if account is not None:
        await desk.secrets.keep(SealedKey(name, account, core.window.end + KEPT_AFTER_STAY))
        return None
    late = task.now - instant(minted_at(core.id)) >= HEARD_WITHIN
    cause = LockErrorCause(LockCause.SECRET_MISSING)
    return KeyIssueFailed(
        vendor=desk.vendor, cause=cause, permanent=late or source is not SecretSource.ACCOUNT
    )


async def _account_of_guest(holder: Holder, desk: VendorSession) -> Secret[str] | None:
    """Return where a guest's key on a phone is sent, if their booking said so."""
    kept = await desk.accounts.find(holder.reservation_id) if isinstance(holder, Guest) else None
    return None if kept is None else kept.email or kept.phone


def _secret_name(entry: KeyRecord) -> SecretName:
    core = entry.credential.core
    return SecretName(core.id, core.plan.current.kind, entry.secret_try)
