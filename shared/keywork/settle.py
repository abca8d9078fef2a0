"""Settling a key: every grant is brought to its wish, as often as it takes.

1. The try, and what is about to open or rest, are written down before any lock is asked.
2. What an order closes is asked for first: keys that are to go or rest, or to open no longer than before.
3. Then what a change gains, and only when that stands, what the change leaves behind. One artifact for all
   its locks, such as a card, that is to open another lock is asked for at all of them once more, awake.
4. What was to open until an end that is past by now goes: its lock may still open it until an older end.
5. Each generation begins with another lock, lest one at which we crash keeps the others waiting.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from shared.domain.kinds import KeyCredentialKind
from shared.domain.lock_errors import LockError
from shared.kernel.together import gather_both
from shared.keywork.attempt import AttemptContext
from shared.keywork.calls_told import tell_of_call
from shared.keywork.decide_settle import conclude_settling
from shared.keywork.desired import Act, asked_now, job_of, left_behind, opening, waiting, whole
from shared.keywork.errand import Errand, SettleAttempt, forgotten
from shared.keywork.jobs import AtJob, answers_of
from shared.keywork.leeway import told, with_leeway
from shared.keywork.lock_key import lock_key
from shared.keywork.neighbours import kept_apart
from shared.keywork.preconditions import quarantined
from shared.keywork.rounds import Answer, Outcome, Round
from shared.keywork.unique_pins import errands_indexed
from shared.keywork.vault import RoundVault, secret_of
from shared.keywork.vendor_session import VendorSession
from shared.keywork.verdicts import Verdict
from shared.ledger.delays import STEP_LEASE
from shared.ledger.grant_record import NEVER, NO_INSTANT, GrantRecord, logical_now
from shared.ledger.ledger import Change
from shared.ledger.sealed_keys import SealedKey
from shared.ledger.vendor_calls import CallMade
from shared.ports.lock import InHand, KeyAtLock, LockKey, LockVendor
from shared.vendor_kit.calm.urgency import Hurry, Urgency, hurrying


async def settle_at_locks(task: AttemptContext, desk: VendorSession) -> Verdict:
    """Make one attempt to bring every grant of this vendor to its wish, and say what is next."""
    at_once = desk.port.describe_adapter().at_once
    begun, grants, errands = await _begun(task, whole(await task.grants(), at_once), at_once)
    began = begun.entry.saga.began or begun.now
    vault = RoundVault(desk.secrets)
    ask = _Asking(begun, desk, vault, began)
    # What could not be told before is told meanwhile: others go by it too.
    answered, told = await gather_both(ask.all(errands), begun.publish_or_defer())
    if vault.trouble is not None:
        raise vault.trouble
    await vault.keep_refs(answered)
    answered = await errands_indexed(answered, desk.secrets)
    it = SettleAttempt(
        replace(begun, entry=told),
        grants,
        tuple(answered),
        began,
        desk.port,
        desk.secrets,
        unasked=_unasked(errands, answered),
    )
    return await conclude_settling(it)


def _unasked(errands: Sequence[Errand], answered: Sequence[Errand]) -> tuple[Errand, ...]:
    asked = {each.kept.grant.id for each in answered}
    return tuple(each for each in errands if each.kept.grant.id not in asked)


async def refuse_to_settle(task: AttemptContext, error: LockError) -> Verdict:
    """Save that the vendor could not even be asked, and say what is next."""
    grants = await task.grants()
    errands = tuple(replace(each, error=error) for each in _owed(grants, task, ()))
    return await conclude_settling(SettleAttempt(task, grants, errands))


async def _begun(
    task: AttemptContext, grants: Sequence[GrantRecord], at_once: Collection[KeyCredentialKind]
) -> tuple[AttemptContext, tuple[GrantRecord, ...], list[Errand]]:
    """Write down that a try begins, and what it will place: nobody is to begin it once more meanwhile."""
    now, logical_at = task.now, logical_now(grants, task.now)
    began = task.entry.saga.began or logical_at
    past = [kept.withdrawn(now) for kept in opening(grants) if kept.until <= now]
    known = _replaced(grants, past)
    left = past + ([] if opening(known) else [kept.withdrawn(now) for kept in left_behind(known)])
    known = _replaced(known, left)
    owed = _owed(known, task, at_once)
    missed = [each for each in owed if each.kept.call_since(began) is None]
    errands = [_called(each, now, logical_at) for each in missed or owed]
    written = [*left, *(each.kept for each in errands if each.act is not Act.REMOVE and each.job is None)]
    if task.entry.saga.began is None or written:
        saga = replace(task.entry.saga, began=began)
        entry = replace(task.entry, saga=saga).due_in(STEP_LEASE, now)
        fresh = {kept.grant.id: kept for kept in written}
        task, saved = await task.saved(Change(entry, grants=tuple(fresh.values())))
        known = _replaced(known, saved)
        errands = [replace(each, kept=_as_saved(each.kept, saved)) for each in errands]
    return task, known, errands


def _replaced(grants: Sequence[GrantRecord], others: Sequence[GrantRecord]) -> tuple[GrantRecord, ...]:
    return tuple(_as_saved(kept, others) for kept in grants)


def _as_saved(kept: GrantRecord, saved: Sequence[GrantRecord]) -> GrantRecord:
    return next((each for each in saved if each.grant.id == kept.grant.id), kept)


def _called(errand: Errand, now: datetime, logical_at: datetime) -> Errand:
    kept = errand.kept
    if errand.job is not None:
        return errand
    if errand.act is Act.REST:
        return replace(errand, kept=kept.removing(CallMade(logical_at, Act.REST)))
    if errand.act is Act.REMOVE:
        return errand
    return replace(errand, kept=kept.calling(now, logical_at, errand.act), busy_before=kept.busy_until)


def _owed(
    grants: Sequence[GrantRecord], task: AttemptContext, at_once: Collection[KeyCredentialKind]
) -> list[Errand]:
    """Return what is owed at this vendor's locks, in the order in which it is asked for."""
    ours = [kept for kept in grants if kept.grant.vendor == task.vendor and not waiting(kept, task.now)]
    owed = asked_now(ours, at_once)
    turn = task.entry.saga.generation % max(1, len(owed))
    errands = [Errand(kept, act, job=job_of(kept)) for kept, act in owed[turn:] + owed[:turn]]
    return sorted(errands, key=lambda each: (_gains(each, task), _asked_last(each)))


def _gains(errand: Errand, task: AttemptContext) -> bool:
    """Say whether somebody may get in by it who may not now, or longer; else it closes something."""
    return errand.act.opens and errand.kept.until >= task.entry.credential.core.window.end


def _asked_last(errand: Errand) -> datetime:
    calls = [call.at for call in errand.kept.calls if call.asked == errand.act]
    return calls[-1] if calls else NEVER


def _hurry(errand: Errand, task: AttemptContext) -> Hurry:
    """Say how urgent an errand is: what closes a door goes before all, a shorter window among it."""
    since = errand.kept.wished_at or errand.kept.grant.changed_at
    return Hurry(None if _gains(errand, task) else Urgency.REVOKE, errand.kept.since, since)


def _key(errand: Errand, sealed: SealedKey | None, task: AttemptContext) -> LockKey:
    """Return what a vendor is told; the secret only where the key is to open."""
    stay, kept = task.entry.credential.core.window, errand.kept
    # Of grants that an early release wrote nobody knows when they begin: as their key does.
    window = kept.window(stay.zone) if kept.since > NO_INSTANT else stay
    key = lock_key(kept, window, sealed, task.entry.credential.core)
    if sealed is None or not errand.act.opens:
        return key
    return replace(key, secret=sealed.artifact, intent_predates=len(kept.calls) > 1)


_ACTIONS: Final[Mapping[Act, Callable[[LockVendor, LockKey], Awaitable[Outcome]]]] = {
    Act.REMOVE: lambda port, key: port.remove(key),
    Act.REST: lambda port, key: port.suspend(key),
    Act.PLACE: lambda port, key: port.place(key),
    Act.WAKE: lambda port, key: port.unsuspend(key),
}
_TOGETHER: Final[Mapping[Act, Callable[[LockVendor, Sequence[LockKey]], Awaitable[Sequence[Outcome]]]]] = {
    Act.REMOVE: lambda port, keys: port.remove_all(keys),
    Act.PLACE: lambda port, keys: port.place_all(keys),
}
"""What one call does at all locks of a key, where the vendor makes one artifact for them."""


@dataclass(frozen=True, slots=True)
class _Asking:
    """A round of a try at one vendor."""

    task: AttemptContext
    desk: VendorSession
    vault: RoundVault
    began: datetime

    async def all(self, errands: Sequence[Errand]) -> list[Errand]:
        """Ask for a while; what is done is saved in time, and whoever comes next asks the others.

        First comes what was in hand: its end may be known by now. While the vault is in trouble keys are
        removed by their names, and nothing is believed of that: somebody may have renamed one.
        """
        round_ = Round(self.desk.port, self.task.vendor, lambda: self.task.now, self._act)
        ended = [AtJob(each, each.kept, each.job, await self._key(each)) for each in errands if each.job]
        known = [
            self._noted(errand, answer) for errand, answer in await answers_of(ended, round_, self.task.now)
        ]
        return [*known, *await self._asked([each for each in errands if each.job is None], round_)]

    async def _asked(self, errands: Sequence[Errand], round_: Round[Errand]) -> list[Errand]:
        """Ask at each lock in turn; what is one artifact at all its locks, once for all of them."""
        at_once = self.desk.port.describe_adapter().at_once
        alone = [each for each in errands if each.kept.grant.kind not in at_once or each.act not in _TOGETHER]
        asked = await round_.ask(alone, self._noted) if alone else []
        for act, kind in dict.fromkeys((each.act, each.kept.grant.kind) for each in errands):
            together = [each for each in errands if (each.act, each.kept.grant.kind) == (act, kind)]
            if len(asked) == len(alone) and together[0] not in alone:
                asked += await round_.ask_as_one(together, self._all_acted, self._noted)
                alone = [*alone, *together]
        return asked

    async def _all_acted(self, errands: Sequence[Errand]) -> Sequence[Outcome]:
        self._check_doors(errands)
        keys = [await self._key(each) for each in errands]
        with hurrying(_hurry(errands[0], self.task)):
            return await _TOGETHER[errands[0].act](self.desk.port, keys)

    async def _act(self, errand: Errand) -> Outcome:
        if forgotten(errand.kept, self.task.now):
            return None
        self._check_doors([errand])
        key = await self._key(errand)
        if errand.act.opens:
            key = await kept_apart(key, errand.kept, self.task)
        with hurrying(_hurry(errand, self.task)):
            outcome = await _ACTIONS[errand.act](self.desk.port, key)
        zone = self.task.entry.credential.core.window.zone
        return told(outcome, key, errand.kept.window(zone)) if errand.act.opens else outcome

    def _check_doors(self, errands: Sequence[Errand]) -> None:
        """Let nobody in by a lock that may hang elsewhere; what closes is asked of it all the same."""
        gaining = [each.kept.grant.device_id for each in errands if _gains(each, self.task)]
        if (error := quarantined(gaining, self.desk)) is not None:
            raise error

    async def _key(self, errand: Errand) -> LockKey:
        name = secret_of(errand.kept)
        sealed = await self.vault.sealed(name, needed=errand.act.opens)
        if sealed is not None and errand.act.opens:
            sealed = await self.vault.lasting(name, errand.kept.until)
        key = _key(errand, sealed, self.task)
        if not errand.act.opens:
            return key
        return await with_leeway(key, errand.kept, self.task, self.desk.premises.policy)

    def _noted(self, errand: Errand, answer: Answer) -> Errand:
        if forgotten(errand.kept, self.task.now):
            return errand
        if errand.job is None:
            tell_of_call(self.task, errand.act.value, answer)
        return replace(
            errand,
            asked_at=answer.asked_at,
            error=answer.error,
            at_lock=answer.outcome if isinstance(answer.outcome, KeyAtLock) else None,
            in_hand=answer.outcome if isinstance(answer.outcome, InHand) else None,
            answered_at=answer.answered_at,
            logical_at=max(self.began, answer.asked_at),
            said=answer.said,
        )
