"""A round of settling a key: what was asked at each lock, what was said, and whether that was a try."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.grant_lifecycle import (
    Close,
    ConfirmRemoval,
    GiveUp,
    Intended,
    Lapse,
    Place,
    Placed,
    Removing,
    Residual,
    Rest,
)
from shared.domain.ids import UserId
from shared.domain.kinds import SAGA, Actor
from shared.domain.lock_errors import LockError
from shared.keywork.attempt import AttemptContext
from shared.keywork.desired import Act, act_for, waiting
from shared.ledger.delays import ASKED_AFTER_END, LONGEST_QUEUE, LONGEST_WAIT, MOST_TRIES
from shared.ledger.grant_record import CALLS_LAST, GONE, NEVER, RESTS, YES, GrantRecord
from shared.ledger.job_in_hand import IN_HAND, JobInHand
from shared.ledger.key_at_lock import KeyAtLockRecord
from shared.ledger.key_record import Saga
from shared.ledger.sealed_keys import SealedKeys
from shared.ledger.vendor_calls import CallMade
from shared.ports.exchanges import Exchange
from shared.ports.lock import InHand, KeyAtLock, LockVendor
from shared.ports.lock_causes import about_the_pin, deferred_by_us, never_sent, outcome_unknown

NONE: Final = timedelta(0)


@dataclass(frozen=True, slots=True)
class Errand:
    """What is owed at one lock: when its vendor was asked, if it was, and what it said.

    `logical_at` is the same instant as calls are told apart by, whatever became of the clock. `busy_before`:
    until when an earlier call may still place the key. `closed_by`: who was at the door and saw that it opens
    no more, whatever the vendor says. `in_hand`: what the vendor tells of later; with a `job`, an earlier
    call's end is what was asked for.
    """

    kept: GrantRecord
    act: Act = Act.REMOVE
    asked_at: datetime | None = None
    error: LockError | None = None
    answered_at: datetime | None = None
    logical_at: datetime | None = None
    said: tuple[Exchange, ...] = ()
    closed_by: UserId | None = None
    at_lock: KeyAtLock | None = None
    busy_before: datetime | None = None
    in_hand: InHand | None = None
    job: JobInHand | None = None

    @property
    def refused(self) -> bool:
        """Say whether the vendor did not do it; else it did, or was not even asked yet."""
        return self.error is not None and not deferred_by_us(self.error)

    def counts(self, now: datetime) -> bool:
        """Say whether this is a failed try."""
        return self.error is not None and (self.refused or waits_too_long(self.kept, now))

    def settled(self, now: datetime, *, last: bool) -> GrantRecord:
        """Return the grant as it stands now."""
        if forgotten(self.kept, now):
            return self.kept.applied(Lapse(at=now))
        if self.closed_by is not None:
            return self.kept.applied(Close(at=now, by=self.closed_by))
        if self.in_hand is not None:
            return self._waiting(self.in_hand, now)
        return _SETTLED[self.act](self, now, last)

    def _waiting(self, answer: InHand, now: datetime) -> GrantRecord:
        """Return a grant that is as it was until the vendor's job ends; the same job may go on for longer."""
        if self.job is not None:
            return self.kept.holding(answer, self.act, self.job.at)
        at = self.logical_at or self.asked_at or now
        busy = self.busy_before if self.act.opens else self.kept.busy_until
        return replace(self._heard(now), busy_until=busy).holding(answer, self.act, at)

    def closed(self, now: datetime, last: bool) -> GrantRecord:
        """Return a grant that was to go or rest; while a call may still place it, neither is believed."""
        kept = self._heard(now).capped(now)
        if self.error is None:
            agreed = ConfirmRemoval(at=now) if self.act is Act.REMOVE else Rest(at=now)
            return kept if kept.busy(self.asked_at or now) else kept.applied(agreed)
        if last or self.error.permanent:
            return given_up(kept, self.error.cause.kind, now)
        return kept

    def opened(self, now: datetime, last: bool) -> GrantRecord:  # noqa: ARG002 - whom a key is promised to, is asked for still
        """Return a grant that was to open: silence says nothing, for the call may still land."""
        if self.asked_at is None:
            return self.uncalled()
        answered_at = self.answered_at or now
        asked = replace(self.kept, in_hand=None)
        if self.at_lock is None:
            assert self.error is not None  # noqa: S101 - a lock that was asked and has no key has said why
            heard = asked.answered(self.error.cause.kind, answered_at, self.said)
            return heard if outcome_unknown(self.error) else replace(heard, busy_until=self.busy_before)
        at = self.at_lock
        heard = asked.answered(at.placement.value, answered_at, self.said)
        undone = self._undone_until()
        if undone is not None:
            return replace(heard, busy_until=undone)
        placed = Place(at=answered_at, placement=at.placement, exposure_until=at.exposure_until)
        return replace(heard, busy_until=self.busy_before, standing=KeyAtLockRecord.of(at)).applied(placed)

    def _undone_until(self) -> datetime | None:
        """Return until when an earlier call may yet undo this: it was for another time, or to rest."""
        kept, asked_at = self.kept, self.asked_at or NEVER
        resting = [call.at + CALLS_LAST for call in kept.calls if _unheard_rest(call)]
        moved = kept.wished_at is not None and any(call.at < kept.wished_at for call in kept.calls)
        ends = [*resting, *([self.busy_before] if moved and self.busy_before else [])]
        return max((end for end in ends if end > asked_at), default=None)

    def uncalled(self) -> GrantRecord:
        """Return the grant without the call that was written down and never made."""
        if not self._written or self.job is not None:
            return self.kept
        busy = self.busy_before if self.act.opens else self.kept.busy_until
        return replace(self.kept, busy_until=busy, calls=self.kept.calls[:-1])

    @property
    def _written(self) -> bool:
        """Say whether the call was written down before it was made: it may undo what others do meanwhile."""
        last = self.kept.calls[-1:]
        return self.act is not Act.REMOVE and bool(last) and last[0].answer is None

    def _heard(self, now: datetime) -> GrantRecord:
        if self.asked_at is None:
            return self.kept
        made = self.error is None or self.refused
        logical_at, answered_at = self.logical_at or self.asked_at, self.answered_at or now
        call = CallMade(logical_at, self.act, self._answer, answered_at, made, self.said)
        free = replace(self.kept, in_hand=None)
        if self._written or self.job is not None:
            return replace(free, calls=(*free.calls[:-1], call))
        return free.removing(call)

    @property
    def _answer(self) -> str:
        if self.in_hand is not None:
            return IN_HAND
        done = GONE if self.act is Act.REMOVE else RESTS
        return done if self.error is None else self.error.cause.kind


_SETTLED: Final[Mapping[Act, Callable[[Errand, datetime, bool], GrantRecord]]] = {
    Act.REMOVE: Errand.closed,
    Act.REST: Errand.closed,
    Act.PLACE: Errand.opened,
    Act.WAKE: Errand.opened,
}


@dataclass(frozen=True, slots=True)
class SettleAttempt:
    """A round of a try to settle a key, which `began` some time ago, or has no rounds.

    Without a port the vendor was not asked, without secrets they stay. `unasked`: the locks that this round
    meant to ask, and had no time for.
    """

    task: AttemptContext
    grants: tuple[GrantRecord, ...]
    errands: tuple[Errand, ...]
    began: datetime | None = None
    port: LockVendor | None = None
    secrets: SealedKeys | None = None
    unasked: tuple[Errand, ...] = ()

    @property
    def errors(self) -> tuple[LockError, ...]:
        """What went wrong in this round."""
        return tuple(each.error for each in self.errands if each.error is not None)

    @property
    def failed_before(self) -> tuple[GrantRecord, ...]:
        """The locks that earlier rounds of this try asked in vain."""
        earlier = self._others() if self.began is not None else {}
        return tuple(kept for kept, call in earlier.items() if call is not None and call.answer not in YES)

    @property
    def missed(self) -> bool:
        """Say whether there are locks that nobody came to in this try: whoever goes on asks one at least."""
        return self.began is not None and None in self._others().values()

    @property
    def failed(self) -> bool:
        """Say whether any lock was asked in vain in this try."""
        return bool(self.errors or self.failed_before)

    @property
    def failed_in_earnest(self) -> bool:
        """Say whether more is missing than our own turn: the vendor is in trouble, or a lock is."""
        return bool(self.failed_before) or not all(map(never_sent, self.errors))

    @property
    def tries(self) -> int:
        """How many tries failed, this one included: one is over when all locks were asked."""
        now = self.task.now
        counts = any(each.counts(now) for each in self.errands) or any(
            kept.calls[-1].made or waits_too_long(kept, now) for kept in self.failed_before
        )
        return self.task.entry.saga.tries + (counts and not self.missed)

    @property
    def last(self) -> bool:
        """Say whether to stop asking for now: often enough, or the vendor wants to be left alone too long."""
        return self.tries >= MOST_TRIES or self.asked_for > LONGEST_WAIT

    @property
    def asked_for(self) -> timedelta:
        """How long the vendor wants to be left alone."""
        waits = [self.port.wait_after(error) for error in self.errors] if self.port else []
        return max((wait for wait in waits if wait is not None), default=NONE)

    @property
    def saga(self) -> Saga:
        """The work as it stands now; to close what somebody saw at a door is no part of any try."""
        saga = replace(self.task.entry.saga, tries=self.tries)
        if any(each.closed_by for each in self.errands):
            return saga
        return replace(saga, aborted_runs=0, began=self.began if self.missed else None)

    @property
    def by(self) -> Actor:
        """Who says how it stands."""
        return next((each.closed_by for each in self.errands if each.closed_by), SAGA)

    def settled(self) -> list[tuple[GrantRecord, GrantRecord]]:
        """Return each grant that was asked for in this try, and as it stands now."""
        now, last = self.task.now, self.last
        settled = [(each.kept, each.settled(now, last=last)) for each in self.errands]
        settled += [(each.kept, each.uncalled()) for each in self.unasked]
        if last and not self.missed:
            closing = [kept for kept in self.failed_before if not _opens(kept)]
            settled += [(kept, given_up(kept, kept.calls[-1].answer, now)) for kept in closing]
        return settled

    def in_vain(self) -> frozenset[str]:
        """Return the locks that will not open as they are to, so far: they are asked hourly."""
        refused = {each.kept.grant.id for each in self.errands if each.act.opens and _for_good(self, each)}
        before = {kept.grant.id for kept in self.failed_before if _opens(kept)} if self.last else set()
        return frozenset(refused | before)

    def _others(self) -> dict[GrantRecord, CallMade | None]:
        """Return the vendor's locks that this round did not come to, each with its call in this try."""
        came_to, began = {each.kept.grant.id for each in self.errands}, self.began or self.task.now
        as_before = {each.kept.grant.id: each.uncalled() for each in self.unasked}
        known = [as_before.get(kept.grant.id, kept) for kept in self.grants]
        owed = [kept for kept in known if act_for(kept) and not waiting(kept, self.task.now)]
        ours = [kept for kept in owed if kept.grant.vendor == self.task.vendor]
        return {kept: kept.call_since(began) for kept in ours if kept.grant.id not in came_to}


def _unheard_rest(call: CallMade) -> bool:
    return call.asked == Act.REST and call.made and call.answer not in YES


def _opens(kept: GrantRecord) -> bool:
    act = act_for(kept)
    return act is not None and act.opens


def _for_good(it: SettleAttempt, errand: Errand) -> bool:
    error = errand.error
    return error is not None and (it.last or error.permanent or about_the_pin(error))


def waits_too_long(kept: GrantRecord, now: datetime) -> bool:
    """Say whether what is owed was to be so long ago that waiting in line is no excuse any more."""
    state = kept.grant.state
    if isinstance(state, Residual):
        return True
    since = state.since if isinstance(state, Removing) else kept.wished_at
    return since is None or now - since >= LONGEST_QUEUE


def given_up(kept: GrantRecord, cause: str | None, now: datetime) -> GrantRecord:
    """Return a grant that its lock will not let go of; one that was given up before stays as it is."""
    leaving = isinstance(kept.grant.state, Intended | Placed | Removing)
    return kept.applied(GiveUp(at=now, cause=cause or "unknown")) if leaving else kept


def forgotten(kept: GrantRecord, now: datetime) -> bool:
    """Say whether a key that opens no more is asked for no longer: its lock is not coming back."""
    end = kept.grant.exposure_until
    return kept.lapsed(now) and end is not None and end + ASKED_AFTER_END <= now
