"""What comes of an attempt to make a key: a pure decision, made from what the locks said, then saved once.

The first row that applies counts; README.md says what it does to the secret, and shows the picture.

| at the locks | the key | the work |
|---|---|---|
| all have it | active, or at rest while something holds it | done |
| some were not come to, or came later | | the same attempt goes on at once |
| nothing is missing but our own turn | | the same attempt goes on, after a rest |
| nothing but what the vendor has in hand | | parked until its end; the same attempt goes on |

| else a refusal | the key | the work |
|---|---|---|
| after the last attempt, or of a stay that is over | failed | ended |
| of this PIN, while there are tries left | | the next attempt, with another PIN |
| for good or for too long, of the last way | failed | ended |
| for good or for too long, or the encoder is offline and there is another | | the plan's next way, at once |
| for now | | the next attempt, after a rest that grows |

Once that has lasted more than a minute, a rest is parked.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from shared.domain.capabilities import shared_by
from shared.domain.commands import Fail, Provision, Suspend
from shared.domain.core import CredentialCore, Guest
from shared.domain.credential import KeyCredential
from shared.domain.ids import ArtifactRef, TenantId, ulid
from shared.domain.kinds import FailureReason
from shared.domain.lock_errors import (
    LOCK_ERRORS,
    CardEncoderOffline,
    CredentialExpired,
    DeviceNotPaired,
    LockError,
    failure_reason,
)
from shared.domain.replacing import replace
from shared.events.credential import Artifact, Delivery
from shared.keywork.attempt import AttemptContext
from shared.keywork.decision import Decision
from shared.keywork.desired import act_for
from shared.keywork.lock_attempt import IssueAttempt
from shared.keywork.orders import resting
from shared.keywork.verdicts import Outcome, Verdict, after_rest, again, ask, parked
from shared.ledger.delays import JITTER, LONGEST_WAIT, SOONEST, STEP_LEASE, delay_after
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import KeyRecord, Work
from shared.ledger.ledger import Change
from shared.ledger.sealed_keys import SealedKey, SecretName
from shared.ports.ambient import Entropy
from shared.ports.lock import KeyAtLock
from shared.ports.lock_causes import about_the_pin

SECRET_TRIES: Final = 3
_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
NONE: Final = timedelta(0)
ARTIFACTS: Final = {
    "pin_code": "pin",
    "mobile_app": "mobile_token",
    "qr_code": "qr",
    "nfc_tag": "nfc",
    "rfid_card": "rfid_card_ready_at",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """What went wrong first in an attempt, the key with that noted, and how long to wait before another."""

    of: IssueAttempt
    error: LockError
    noted: KeyCredential
    wait: timedelta

    @property
    def out_of_attempts(self) -> bool:
        """Say whether no attempt is left, or none can help."""
        return self.noted.core.plan.spent or isinstance(self.error, CredentialExpired)

    @property
    def of_this_secret(self) -> bool:
        """Say whether another secret may do, and there is one to try."""
        return about_the_pin(self.error) and self.of.task.entry.secret_try + 1 < SECRET_TRIES

    @property
    def of_this_way(self) -> bool:
        """Say whether this vendor will not make a key of this kind, or not soon enough."""
        return about_the_pin(self.error) or self.error.permanent or self.wait > LONGEST_WAIT

    @property
    def of_an_encoder(self) -> bool:
        """Say whether nobody is at the desk's encoder, and the plan knows another way."""
        plan = self.of.task.entry.credential.core.plan
        return isinstance(self.error, CardEncoderOffline) and plan.position + 1 < len(plan.choices)

    @property
    def of_every_way(self) -> bool:
        """Say whether this was the plan's last way."""
        plan = self.of.task.entry.credential.core.plan
        return self.of_this_way and plan.position + 1 == len(plan.choices)


def decide(attempted: IssueAttempt, asked_for: timedelta, entropy: Entropy) -> Decision:
    """Return what an attempt comes to; it asks nobody and writes nothing.

    `asked_for`: how long the vendor wants to be left alone.
    """
    if attempted.complete:
        return _issued(attempted, entropy)
    if attempted.has_locks_left:
        return _onwards(attempted)
    if attempted.waits_in_line:
        return _in_line(attempted, max(asked_for, SOONEST) * entropy.uniform(*JITTER))
    if attempted.waits_until is not None:
        return _parked(attempted, attempted.waits_until)
    assert attempted.error is not None  # noqa: S101 - a lock that was asked and has no key has said why
    noted = _noted(attempted, attempted.error)
    wait = max(delay_after(max(1, noted.core.plan.answered), entropy), asked_for)
    refusal = Refusal(attempted, attempted.error, noted, wait)
    return next(course(refusal) for applies, course in _COURSES if applies(refusal))


def _issued(attempted: IssueAttempt, entropy: Entropy) -> Decision:
    task, key = attempted.task, attempted.sealed()
    change = _activation(attempted, entropy)
    warnings = change.entry.credential.core.warnings
    verdict = again(task.vendor, NONE) if task.entry.holds else Verdict(Outcome.DONE, warnings=warnings)
    # Where the vendor chose another secret, who hears of the key must find that one.
    return Decision(change, verdict, ends=True, sealed=key, beside=key.artifact == attempted.secret)


def _activation(attempted: IssueAttempt, entropy: Entropy) -> Change:
    task = attempted.task
    confirmed = Provision(at=task.now, effective=attempted.effective, warnings=attempted.warnings)
    credential, facts = task.entry.credential.apply(confirmed)
    grants = attempted.settled()
    if task.entry.holds:
        # It comes to life at rest: whoever hears of the one hears of the other.
        rest = Suspend(at=task.now, by=task.entry.ordered_by, reason=min(task.entry.holds))
        credential, rests = credential.apply(rest)
        everywhere = {kept.grant.id: kept for kept in (*(each.kept for each in attempted.placings), *grants)}
        facts, grants = (*facts, *rests), resting(tuple(everywhere.values()), task.now)
    ref = _handle(entropy)
    entry = replace(task.entry, credential=credential, artifact=hashlib.sha256(ref.encode()).hexdigest())
    kind = credential.core.plan.current.kind
    artifact = Artifact.model_validate({"type": ARTIFACTS[kind], "opaqueRef": ref})
    return Change(
        entry=_resting(entry, task) if task.entry.holds else _freed(entry, attempted.others, task),
        facts=facts,
        grants=grants,
        delivery=Delivery(artifact=artifact, deep_link=_deep_link(credential.core)),
        capabilities=shared_by(each.kept.grant.capabilities for each in attempted.placings).names,
    )


def _onwards(attempted: IssueAttempt) -> Decision:
    """Save what came of some locks, and let the same attempt go on at the others."""
    return _waited(attempted, attempted.task.entry, NONE, round_open=True, sealed=_named(attempted))


def _in_line(attempted: IssueAttempt, wait: timedelta) -> Decision:
    """Let the attempt go on when others of us have had their turn: no vendor refused anything."""
    entry = attempted.task.entry
    deferred = replace(entry, saga=entry.saga.in_our_line())
    return _waited(attempted, deferred, wait, round_open=True, sealed=_named(attempted))


def _parked(attempted: IssueAttempt, until: datetime) -> Decision:
    """Let nobody wait for what the vendor has in hand: whoever hears of its end begins again."""
    task = attempted.task
    first = min(until, task.entry.credential.core.window.end)
    later, verdict = parked(replace(task.entry, round_open=True), first, task.now)
    return Decision(Change(later, grants=attempted.settled()), verdict, sealed=_named(attempted))


def _again(it: Refusal) -> Decision:
    task = it.of.task
    entry = replace(task.entry, credential=it.noted, saga=task.entry.saga.asked_in_vain(task.now))
    return _waited(it.of, entry, it.wait, round_open=False, sealed=_named(it.of))


def _waited(
    attempted: IssueAttempt,
    entry: KeyRecord,
    wait: timedelta,
    *,
    round_open: bool,
    sealed: SealedKey | None = None,
) -> Decision:
    task = attempted.task
    later, verdict = after_rest(replace(entry, round_open=round_open), task.vendor, wait, task.now)
    return Decision(Change(later, grants=attempted.settled()), verdict, sealed=sealed)


def _named(attempted: IssueAttempt) -> SealedKey | None:
    """Return what the vendor named, to be kept before it is saved that it need not be asked again."""
    answered = any(isinstance(each.outcome, KeyAtLock) for each in attempted.placings)
    return attempted.sealed() if answered else None


def _another_secret(it: Refusal) -> Decision:
    entry = replace(it.of.task.entry, credential=it.noted, secret_try=it.of.task.entry.secret_try + 1)
    return _dropped(it, entry, again(it.of.task.vendor, NONE))


def _another_way(it: Refusal) -> Decision:
    credential = it.noted.falling_back(it.of.task.now)
    entry = replace(it.of.task.entry, credential=credential, secret_try=0)
    return _dropped(it, entry, ask(credential.core.plan.current.vendor))


def _dropped(it: Refusal, entry: KeyRecord, verdict: Verdict) -> Decision:
    later = replace(entry, round_open=False).due_in(STEP_LEASE, it.of.task.now)
    return Decision(Change(later, grants=it.of.given_up()), verdict, unused=_unused(it.of))


def _give_up(it: Refusal) -> Decision:
    task = it.of.task
    failing = Fail(at=task.now, reason=_reason(it), vendor_message=_words(it.error))
    credential, facts = it.noted.apply(failing)
    grants = it.of.given_up()
    entry = _freed(replace(task.entry, credential=credential), grants, task)
    change = Change(entry, facts, grants)
    return Decision(change, Verdict(Outcome.FAILED), ends=True, unused=_unused(it.of))


_COURSES: Final[tuple[tuple[Callable[[Refusal], bool], Callable[[Refusal], Decision]], ...]] = (
    (lambda it: it.out_of_attempts, _give_up),
    (lambda it: it.of_this_secret, _another_secret),
    (lambda it: it.of_every_way, _give_up),
    (lambda it: it.of_this_way or it.of_an_encoder, _another_way),
    (lambda _: True, _again),
)
"""What a refusal leads to: the first that applies."""


def _unused(attempted: IssueAttempt) -> tuple[SecretName, ...]:
    """Return the secret of an attempt that is given up, if no lock has it or may yet have it."""
    return (attempted.key.name,) if attempted.key is not None and attempted.in_vain else ()


def _words(error: LockError) -> str | None:
    """Return what the vendor's last refusal means; in its own words it may say too much."""
    return None if error.cause.vendor_code is None else error.cause.kind.replace("_", " ")


def _reason(it: Refusal) -> FailureReason:
    """Return why there is no key: what a vendor said last, rather than that there is nothing left to try."""
    made = it.of.task.entry.credential.core.plan.made
    if it.of.counted or not made or isinstance(it.error, CredentialExpired | DeviceNotPaired):
        return failure_reason(type(it.error))
    said = LOCK_ERRORS.get(made[-1].problem or "")
    return failure_reason(said or type(it.error))


def _noted(of: IssueAttempt, error: LockError) -> KeyCredential:
    credential = of.task.entry.credential
    return credential.refused(error.code, of.task.now) if of.counted else credential


def _handle(entropy: Entropy) -> ArtifactRef:
    """Draw what a key's secret is asked for by: from chance alone, for ids of a moment follow each other."""
    drawn = entropy.token(16)
    return ArtifactRef.mint(ulid(int.from_bytes(drawn[:6]), int.from_bytes(drawn[6:])))


def _deep_link(core: CredentialCore) -> str | None:
    """Return where the tenant's own app shows a guest's key (A §10.1): it opens nothing by itself."""
    slug = core.tenant.removeprefix(TenantId.prefix).lower().replace("_", "-")
    if not isinstance(core.holder, Guest) or core.provisional or not _SLUG.fullmatch(slug):
        return None
    return f"melmastoon://tenant/{slug}/keys/{core.id}"


def _resting(entry: KeyRecord, task: AttemptContext) -> KeyRecord:
    """Return a key that this very execution goes on with: it is to rest at once, not when somebody looks."""
    saga = replace(entry.saga.switched_to(Work.SETTLE), generation=entry.saga.generation)
    ours = replace(saga, execution=entry.saga.execution)
    return replace(entry, saga=ours).due_in(STEP_LEASE, task.now)


def _freed(entry: KeyRecord, grants: tuple[GrantRecord, ...], task: AttemptContext) -> KeyRecord:
    """Return the entry with nothing owed to it, or with grants to take back that nobody wants any more."""
    if any(act_for(kept) for kept in grants):
        return replace(entry, saga=entry.saga.switched_to(Work.SETTLE), due=task.now)
    return replace(entry, due=None)
