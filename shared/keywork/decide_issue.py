"""What came of an attempt: the key is active, or there is another try, another kind, or an end."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from shared.domain.capabilities import shared_by
from shared.domain.commands import Fail, Provision, Suspend
from shared.domain.credential import KeyCredential
from shared.domain.errors import PlanExhausted
from shared.domain.ids import ArtifactRef, ulid
from shared.domain.kinds import FailureReason
from shared.domain.lock_errors import (
    LOCK_ERRORS,
    CredentialExpired,
    DeviceNotPaired,
    LockError,
    failure_reason,
)
from shared.domain.plan import MAX_ATTEMPTS
from shared.events.credential import Artifact, Delivery
from shared.keywork.attempt import AttemptContext
from shared.keywork.desired import act_for
from shared.keywork.lock_attempt import IssueAttempt
from shared.keywork.manual_task import manual_tasks
from shared.keywork.orders import resting
from shared.keywork.services import gather_both
from shared.keywork.vendor_session import VendorSession
from shared.keywork.verdicts import Outcome, Verdict, again, ask
from shared.ledger.delays import JITTER, LONGEST_WAIT, STEP_LEASE, TURN_AGAIN_AFTER, delay_after
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import KeyRecord, Work
from shared.ledger.ledger import Change
from shared.ports.lock import KeyAtLock
from shared.ports.lock_causes import about_the_pin

SECRET_TRIES: Final = 3
ARTIFACTS: Final = {
    "pin_code": "pin",
    "mobile_app": "mobile_token",
    "qr_code": "qr",
    "nfc_tag": "nfc",
    "rfid_card": "rfid_card_ready_at",
}
Course = Callable[[IssueAttempt, LockError, timedelta], Awaitable[Verdict]]


async def conclude_issue(attempted: IssueAttempt, desk: VendorSession) -> Verdict:
    """Save what came of an attempt, and say what is next."""
    error = attempted.error
    if attempted.complete:
        return await _issued(attempted, desk)
    if attempted.goes_on:
        return await _onwards(attempted, desk)
    assert error is not None  # noqa: S101 - a lock that was asked and has no key has said why
    return await (_in_line if _early(attempted) else _refused)(attempted, error, desk)


async def refuse_to_issue(task: AttemptContext, error: LockError) -> Verdict:
    """Save that no vendor could be asked, and say what is next."""
    credential = task.entry.credential
    known = await task.grants() if credential.core.plan.attempts else ()
    others = tuple(kept for kept in known if not kept.over)
    if error.permanent or credential.core.plan.attempts >= MAX_ATTEMPTS:
        return await _refused(IssueAttempt(task, others=others, counted=False), error, None)
    counted = replace(task.entry, credential=credential.attempting(task.now))
    return await _refused(IssueAttempt(replace(task, entry=counted), others=others), error, None)


async def _refused(attempted: IssueAttempt, error: LockError, desk: VendorSession | None) -> Verdict:
    task, asked_for = attempted.task, desk.port.wait_after(error) if desk else None
    told = {"keyCredentialId": task.entry.id, "code": error.code, "cause": error.cause.kind}
    task.services.log.warning("a vendor made no key", **told, permanent=error.permanent)
    plan = task.entry.credential.core.plan
    wait = max(delay_after(max(1, plan.attempts), task.services.entropy), asked_for or timedelta(0))
    course = _course(task.entry, error, wait)
    if desk and attempted.key and course is _again:
        await _keep_refs(attempted, desk)
    verdict = await course(attempted, error, wait)
    if desk and attempted.key and course is not _again and attempted.in_vain:
        # Not before it is saved that no lock will have it: another call may have placed it meanwhile.
        await desk.secrets.destroy(attempted.key.name)
    return verdict


def _course(entry: KeyRecord, error: LockError, wait: timedelta) -> Course:
    plan, pin = entry.credential.core.plan, about_the_pin(error)
    if plan.attempts >= MAX_ATTEMPTS or isinstance(error, CredentialExpired):
        return _give_up
    if pin and entry.secret_try + 1 < SECRET_TRIES:
        return _another_secret
    if pin or error.permanent or wait > LONGEST_WAIT:
        return _another_kind
    return _again


async def _issued(attempted: IssueAttempt, desk: VendorSession) -> Verdict:
    task, key = attempted.task, attempted.sealed()
    change = _activation(attempted)
    if key.artifact == attempted.secret:
        await gather_both(desk.secrets.update(key), task.ended(change))
    else:
        # The vendor chose another secret: who hears of the key must find that one.
        await desk.secrets.update(key)
        await task.ended(change)
    if task.entry.holds:
        return again(task.vendor, timedelta(0))
    return Verdict(Outcome.DONE, warnings=change.entry.credential.core.warnings)


def _activation(attempted: IssueAttempt) -> Change:
    task = attempted.task
    confirmed = Provision(at=task.now, effective=attempted.effective, warnings=attempted.warnings)
    credential, facts = task.entry.credential.apply(confirmed)
    grants = attempted.settled()
    if task.entry.holds:
        # It comes to life at rest: whoever hears of the one hears of the other.
        credential, rests = credential.apply(Suspend(at=task.now, reason=min(task.entry.holds)))
        everywhere = {kept.grant.id: kept for kept in (*(each.kept for each in attempted.placings), *grants)}
        facts, grants = (*facts, *rests), resting(tuple(everywhere.values()), task.now)
    ref = _handle(task)
    entry = replace(task.entry, credential=credential, artifact=hashlib.sha256(ref.encode()).hexdigest())
    kind = credential.core.plan.current.kind
    artifact = Artifact.model_validate({"type": ARTIFACTS[kind], "opaqueRef": ref})
    return Change(
        entry=_resting(entry, task) if task.entry.holds else _freed(entry, attempted.others, task),
        facts=facts,
        grants=grants,
        delivery=Delivery(artifact=artifact),
        capabilities=shared_by(each.kept.grant.capabilities for each in attempted.placings).names,
    )


async def _onwards(attempted: IssueAttempt, desk: VendorSession) -> Verdict:
    """Save what came of some locks, and let the same attempt go on at the others."""
    await _keep_refs(attempted, desk)
    return await _waited(attempted, attempted.task.entry, timedelta(0), goes_on=True)


async def _in_line(attempted: IssueAttempt, error: LockError, desk: VendorSession) -> Verdict:
    """Let the attempt go on when others of us have had their turn: no vendor refused anything."""
    wait = max(desk.port.wait_after(error) or timedelta(0), TURN_AGAIN_AFTER)
    jittered = wait * attempted.task.services.entropy.uniform(*JITTER)
    return await _waited(attempted, attempted.task.entry, jittered, goes_on=True)


def _early(attempted: IssueAttempt) -> bool:
    """Say whether there is time to wait in line; who stands at the door needs a person instead."""
    task = attempted.task
    return attempted.turn_not_come and task.now < task.entry.credential.core.window.start


async def _again(attempted: IssueAttempt, error: LockError, wait: timedelta) -> Verdict:
    entry = replace(attempted.task.entry, credential=_noted(attempted, error))
    return await _waited(attempted, entry, wait, goes_on=False)


async def _waited(attempted: IssueAttempt, entry: KeyRecord, wait: timedelta, *, goes_on: bool) -> Verdict:
    task = attempted.task
    later = replace(entry, going_on=goes_on).due_in(wait + STEP_LEASE, task.now)
    await task.ledger.save(Change(later, grants=attempted.settled()))
    return again(task.vendor, wait)


async def _keep_refs(attempted: IssueAttempt, desk: VendorSession) -> None:
    """Keep what the vendor named, before it is saved that it need not be asked again."""
    if any(isinstance(each.outcome, KeyAtLock) for each in attempted.placings):
        await desk.secrets.update(attempted.sealed())


async def _another_secret(attempted: IssueAttempt, error: LockError, _: timedelta) -> Verdict:
    task = attempted.task
    entry = replace(
        task.entry,
        credential=_noted(attempted, error),
        secret_try=task.entry.secret_try + 1,
        going_on=False,
    ).due_in(STEP_LEASE, task.now)
    await task.ledger.save(Change(entry, grants=attempted.given_up()))
    return again(task.vendor, timedelta(0))


async def _another_kind(attempted: IssueAttempt, error: LockError, wait: timedelta) -> Verdict:
    task = attempted.task
    try:
        credential = _noted(attempted, error).falling_back(task.now)
    except PlanExhausted:
        return await _give_up(attempted, error, wait)
    begun = replace(task.entry, credential=credential, secret_try=0, going_on=False)
    entry = begun.due_in(STEP_LEASE, task.now)
    await task.ledger.save(Change(entry, grants=attempted.given_up()))
    return ask(credential.core.plan.current.vendor)


async def _give_up(attempted: IssueAttempt, error: LockError, _: timedelta) -> Verdict:
    task = attempted.task
    reason, words = _reason(attempted, error), _words(error)
    credential, facts = _noted(attempted, error).apply(Fail(at=task.now, reason=reason, vendor_message=words))
    grants = attempted.given_up()
    entry = _freed(replace(task.entry, credential=credential), grants, task)
    change = Change(entry, facts, grants)
    await task.ended(change, *manual_tasks([change], task.services.log))
    return Verdict(Outcome.FAILED)


def _words(error: LockError) -> str | None:
    """Return what the vendor's last refusal means; in its own words it may say too much."""
    return None if error.cause.vendor_code is None else error.cause.kind.replace("_", " ")


def _reason(attempted: IssueAttempt, error: LockError) -> FailureReason:
    """Return why there is no key: what a vendor said last, rather than that there is nothing left to try."""
    made = attempted.task.entry.credential.core.plan.made
    if attempted.counted or not made or isinstance(error, CredentialExpired | DeviceNotPaired):
        return failure_reason(type(error))
    said = LOCK_ERRORS.get(made[-1].problem or "")
    return failure_reason(said or type(error))


def _noted(attempted: IssueAttempt, error: LockError) -> KeyCredential:
    credential = attempted.task.entry.credential
    return credential.refused(error.code, attempted.task.now) if attempted.counted else credential


def _handle(task: AttemptContext) -> ArtifactRef:
    """Draw what a key's secret is asked for by: from chance alone, for ids of a moment follow each other."""
    drawn = task.services.entropy.token(16)
    return ArtifactRef.mint(ulid(int.from_bytes(drawn[:6]), int.from_bytes(drawn[6:])))


def _resting(entry: KeyRecord, task: AttemptContext) -> KeyRecord:
    """Return a key that this very execution goes on with: it is to rest at once, not when somebody looks."""
    saga = replace(entry.saga.turned(Work.SETTLE), generation=entry.saga.generation)
    ours = replace(saga, execution=entry.saga.execution)
    return replace(entry, saga=ours).due_in(STEP_LEASE, task.now)


def _freed(entry: KeyRecord, grants: tuple[GrantRecord, ...], task: AttemptContext) -> KeyRecord:
    """Return the entry with nothing owed to it, or with grants to take back that nobody wants any more."""
    if any(act_for(kept) for kept in grants):
        return replace(entry, saga=entry.saga.turned(Work.SETTLE), due=task.now)
    return replace(entry, due=None)
