"""An attempt to make a key, lock by lock, and what came of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from shared.domain.core import Guest
from shared.domain.grant_lifecycle import ConfirmRemoval, Place, RemovalProof
from shared.domain.instants import milliseconds
from shared.domain.kinds import WINDOW_ROUNDED, KeyWarning, merge_warnings
from shared.domain.lock_errors import LockError, VendorUnreachable
from shared.domain.replacing import born_open, replace
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.keywork.attempt import AttemptContext
from shared.keywork.rounds import Outcome
from shared.ledger.delays import LONGEST_QUEUE, TOLD_AT
from shared.ledger.grant_record import PLACE, GrantRecord
from shared.ledger.job_in_hand import IN_HAND, JobInHand
from shared.ledger.key_at_lock import KeyAtLockRecord
from shared.ledger.sealed_keys import SealedKey
from shared.ports.exchanges import Exchange
from shared.ports.lock import InHand, KeyAtLock
from shared.ports.lock_causes import about_the_pin, never_sent, outcome_unknown


@born_open
@dataclass(frozen=True, slots=True)
class LockAttempt:
    """One lock's part: without an outcome, its vendor was not asked now; `asked_last`, when it was before.

    One with a `job` asks for nothing anew: an earlier call's end is waited for, or known by now.
    """

    kept: GrantRecord
    fresh: bool
    busy_before: datetime | None = None
    outcome: Outcome = None
    asked_last: datetime | None = None
    answered_at: datetime | None = None
    said: tuple[Exchange, ...] = ()
    job: JobInHand | None = None

    @classmethod
    def at(cls, kept: GrantRecord, now: datetime, logical_at: datetime | None = None) -> Self:
        """Return the part of a lock whose vendor is about to be asked, unless the key stands there."""
        if kept.stands:
            return cls(kept, fresh=False)
        job = kept.job(PLACE)
        if job is not None:
            return cls(kept, fresh=False, busy_before=kept.busy_until, asked_last=kept.asked_last, job=job)
        fresh = kept.busy_until is None and not kept.calls
        return cls(kept.calling(now, logical_at), fresh, kept.busy_until, asked_last=kept.asked_last)

    @property
    def standing(self) -> KeyAtLockRecord | None:
        """How the key stands at the lock, if it does."""
        if isinstance(self.outcome, KeyAtLock):
            return KeyAtLockRecord.of(self.outcome)
        return self.kept.standing if self.kept.stands else None

    @property
    def stands(self) -> bool:
        """Say whether the key stands at the lock, for all that is known."""
        return isinstance(self.outcome, KeyAtLock) or self.kept.stands

    @property
    def error(self) -> LockError | None:
        """What went wrong, if anything."""
        return self.outcome if isinstance(self.outcome, LockError) else None

    @property
    def called(self) -> bool:
        """Say whether a call was written down that is about to be made."""
        return not self.kept.stands and self.job is None

    @property
    def in_hand(self) -> InHand | None:
        """What the vendor is still about."""
        return self.outcome if isinstance(self.outcome, InHand) else None

    def missed_since(self, began: datetime) -> bool:
        """Say whether nobody has asked the lock since an attempt began, though it has no key."""
        before = self.asked_last is None or milliseconds(self.asked_last) < milliseconds(began)
        return not self.stands and self.outcome is None and before

    def settled(self, task: AttemptContext) -> GrantRecord:
        """Return the grant with what its vendor said.

        Silence says nothing: the call may still land. An answer ends this call, but not one before it that
        was never heard of again.
        """
        if self.kept.stands:
            return self.kept
        answered_at = self.answered_at or task.now
        if self.outcome is None:
            return self._uncalled()
        if isinstance(self.outcome, LockError):
            heard = self._heard(self.outcome.cause.kind, answered_at)
            return heard if outcome_unknown(self.outcome) else replace(heard, busy_until=self.busy_before)
        if isinstance(self.outcome, InHand):
            return self._waiting(self.outcome, answered_at)
        at = self.outcome
        heard = self._heard(at.placement.value, answered_at)
        placed = Place(at=answered_at, placement=at.placement, exposure_until=at.exposure_until)
        return replace(heard, busy_until=self.busy_before, standing=KeyAtLockRecord.of(at)).applied(placed)

    def _uncalled(self) -> GrantRecord:
        if self.job is not None:
            return self.kept
        return replace(self.kept, busy_until=self.busy_before, calls=self.kept.calls[:-1])

    def _heard(self, answer: str, at: datetime) -> GrantRecord:
        return replace(self.kept.answered(answer, at, self.said), in_hand=None)

    def _waiting(self, answer: InHand, at: datetime) -> GrantRecord:
        """Return the grant with what is in hand: the same job goes on, perhaps for longer."""
        began = at if self.job is None else self.job.at
        heard = self.kept if self.job else replace(self._heard(IN_HAND, at), busy_until=self.busy_before)
        return heard.holding(answer, PLACE, began)

    def given_up(self, task: AttemptContext) -> GrantRecord:
        """Return the grant on its way out; one that its vendor never took is gone already."""
        leaving = self.settled(task).withdrawn(task.now)
        if self.fresh and (
            self.outcome is None or (self.error is not None and not outcome_unknown(self.error))
        ):
            return leaving.applied(ConfirmRemoval(at=task.now, proof=RemovalProof.NEVER_PLACED))
        return leaving


def _hopeless(error: LockError) -> bool:
    """Say whether no further lock need be asked, for the key will not be made this way."""
    return error.permanent or about_the_pin(error)


def _rank(error: LockError) -> tuple[bool, bool]:
    return not about_the_pin(error), isinstance(error, VendorUnreachable)


@born_open
@dataclass(frozen=True, slots=True)
class IssueAttempt:
    """An attempt: `others` are earlier tries' grants that are not over; one not `counted` was never made.

    With a `refusal` no lock was asked. `at_once`: the key is one artifact for all its locks.
    """

    task: AttemptContext
    placings: tuple[LockAttempt, ...] = ()
    others: tuple[GrantRecord, ...] = ()
    key: SealedKey | None = None
    counted: bool = True
    refusal: LockError | None = None
    at_once: bool = False

    @property
    def errors(self) -> list[LockError]:
        """What went wrong, lock by lock."""
        return [each.error for each in self.placings if each.error is not None]

    @property
    def error(self) -> LockError | None:
        """What went wrong first; a word about the PIN counts before all others."""
        return self.refusal or min(self.errors, key=_rank, default=None)

    @property
    def standings(self) -> tuple[KeyAtLockRecord, ...]:
        """How the key stands, at the locks that have it."""
        known = [each.standing for each in self.placings]
        return tuple(at for at in known if at is not None)

    @property
    def complete(self) -> bool:
        """Say whether every lock has the key."""
        return bool(self.placings) and all(each.stands for each in self.placings)

    @property
    def has_locks_left(self) -> bool:
        """Say whether there is more to ask in this very attempt: of locks nobody came to, or that came later.

        Whoever comes again asks at least one such lock, or has just placed the key at one: it has an end.
        """
        if self.complete or not self.placings or any(map(_hopeless, self.errors)):
            return False
        open_ = [each for each in self.placings if not each.stands and each.in_hand is None]
        missed = any(each.missed_since(self.began) for each in open_)
        return missed or (bool(open_) and not self.errors)

    @property
    def waits_until(self) -> datetime | None:
        """Until when nothing is to do but to wait for what the vendor has in hand; None if there is more."""
        ends = [each.in_hand.until for each in self.placings if each.in_hand is not None]
        return None if self.errors or self.has_locks_left else min(ends, default=None)

    @property
    def began(self) -> datetime:
        """When the attempt began, perhaps some rounds ago."""
        return self.task.entry.credential.core.plan.last_attempt_at or self.task.now

    @property
    def waits_in_line(self) -> bool:
        """Say whether nothing is missing but our own turn somewhere: that is no vendor's failure."""
        return bool(self.errors) and all(map(never_sent, self.errors))

    @property
    def waits_long(self) -> bool:
        """Say whether, just now, our own turn has not come for so long that somebody must be told."""
        long = max(self.began, self.task.entry.credential.core.window.start) + LONGEST_QUEUE
        asked = [each for each in self.placings if each.outcome is not None]
        before = max((each.asked_last for each in asked if each.asked_last), default=self.began)
        now = max((each.kept.asked_last for each in asked if each.kept.asked_last), default=self.began)
        return self.waits_in_line and before < long <= now

    @property
    def keeps_somebody(self) -> bool:
        """Say whether, from this attempt on, a guest who is here waits longer than over a hiccup.

        That is so at the fourth that is refused, a minute after the first; of later ones, at the first after
        the guest came. One that goes on, or is made for nothing, was counted before.
        """
        core = self.task.entry.credential.core
        made = core.plan.made
        if not (self.refused and made) or made[-1].problem is not None:
            return False
        here = isinstance(core.holder, Guest) and core.window.covers(self.task.now)
        many = core.plan.answered + 1
        return here and (many == TOLD_AT or (many > TOLD_AT and made[-2].at < core.window.start))

    @property
    def refused(self) -> bool:
        """Say whether what went wrong is to be judged by the plan."""
        return self.error is not None and not (self.complete or self.has_locks_left or self.waits_in_line)

    @property
    def warnings(self) -> tuple[KeyWarning, ...]:
        """What the vendor wants to have said."""
        apart = (
            ()
            if self.effective
            else (KeyWarning(WINDOW_ROUNDED, "there is no time at which all locks open"),)
        )
        return merge_warnings(*(each.warnings for each in self.standings), apart)

    @property
    def effective(self) -> StayWindow | None:
        """When all the locks open; None if they never all do."""
        window = self.task.entry.credential.core.window
        standings = self.standings
        start = max(each.valid_from for each in standings)
        end = min(each.valid_until for each in standings)
        return StayWindow(start, end, window.zone) if start < end else None

    @property
    def secret(self) -> Secret[str] | None:
        """What the locks were told."""
        return None if self.key is None else self.key.artifact

    @property
    def in_vain(self) -> bool:
        """Say whether no lock took the secret, or may yet take it."""
        return all(placing.given_up(self.task).over for placing in self.placings)

    def sealed(self) -> SealedKey:
        """Return the secret with what the vendor chose and named."""
        assert self.key is not None  # noqa: S101 - whatever was placed had a secret
        at_locks = [
            (placing.kept.grant.vendor_name, placing.outcome)
            for placing in self.placings
            if isinstance(placing.outcome, KeyAtLock)
        ]
        chosen = next((at.secret for _, at in at_locks if at.secret is not None), self.key.artifact)
        return replace(
            self.key,
            artifact=chosen,
            refs={**self.key.refs, **{name: at.vendor_ref for name, at in at_locks}},
        )

    def settled(self) -> tuple[GrantRecord, ...]:
        """Return the grants of the locks that were asked, or were to be, with what their vendor said."""
        return tuple(each.settled(self.task) for each in self.placings if not each.kept.stands)

    def given_up(self) -> tuple[GrantRecord, ...]:
        """Return all grants on their way out."""
        at = self.task.now
        leaving = (placing.given_up(self.task) for placing in self.placings)
        return (*leaving, *(kept.withdrawn(at) for kept in self.others))
