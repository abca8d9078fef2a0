"""Taking a key back, lock by lock: what was asked for, what was said, and whether that was a try."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.grant_lifecycle import Close, ConfirmRemoval, GiveUp, Lapse, Removing, Residual
from shared.domain.ids import UserId
from shared.domain.kinds import SAGA, Actor
from shared.domain.lock_errors import LockError
from shared.keywork.attempt import AttemptContext
from shared.ledger.delays import LONGEST_QUEUE, LONGEST_WAIT, MOST_TRIES
from shared.ledger.grant_record import REMOVE, GrantRecord
from shared.ledger.key_record import Saga
from shared.ledger.sealed_keys import SealedKeys
from shared.ledger.vendor_calls import CallMade
from shared.ports.exchanges import Exchange
from shared.ports.lock import LockVendor
from shared.ports.lock_causes import in_line

NONE: Final = timedelta(0)
GONE: Final = "gone"


@dataclass(frozen=True, slots=True)
class Errand:
    """One grant that is to go: when its vendor was asked, if it was, and what went wrong, if anything.

    `noted_at` is the same instant as calls are told apart by, whatever became of the clock. `closed_by`: who
    was at the door and saw that it opens no more, whatever the vendor says.
    """

    kept: GrantRecord
    asked_at: datetime | None = None
    error: LockError | None = None
    answered_at: datetime | None = None
    noted_at: datetime | None = None
    said: tuple[Exchange, ...] = ()
    closed_by: UserId | None = None

    @property
    def refused(self) -> bool:
        """Say whether the vendor did not do it; else it did, or was not even asked yet."""
        return self.error is not None and not in_line(self.error)

    def counts(self, now: datetime) -> bool:
        """Say whether this is a failed try."""
        return self.error is not None and (self.refused or waits_too_long(self.kept, now))

    def settled(self, now: datetime, *, last: bool) -> GrantRecord:
        """Return the grant as it stands now; while a call may still place it, no removal is believed."""
        if lapsed(self.kept, now):
            return self.kept.told(Lapse(at=now))
        if self.closed_by is not None:
            return self.kept.told(Close(at=now, by=self.closed_by))
        kept = self._heard(now).capped(now)
        if self.error is None:
            return kept if kept.busy(self.asked_at or now) else kept.told(ConfirmRemoval(at=now))
        if last or self.error.permanent:
            return given_up(kept, self.error.cause.kind, now)
        return kept

    def _heard(self, now: datetime) -> GrantRecord:
        if self.asked_at is None:
            return self.kept
        answer = GONE if self.error is None else self.error.cause.kind
        made = self.error is None or self.refused
        noted_at, answered_at = self.noted_at or self.asked_at, self.answered_at or now
        return self.kept.removing(CallMade(noted_at, REMOVE, answer, answered_at, made, self.said))


@dataclass(frozen=True, slots=True)
class SettleAttempt:
    """A round of a try to take a key back, which `began` some time ago, or has no rounds.

    Without a port the vendor was not asked, without secrets they stay.
    """

    task: AttemptContext
    grants: tuple[GrantRecord, ...]
    removals: tuple[Errand, ...]
    began: datetime | None = None
    port: LockVendor | None = None
    secrets: SealedKeys | None = None

    @property
    def errors(self) -> tuple[LockError, ...]:
        """What went wrong in this round."""
        return tuple(each.error for each in self.removals if each.error is not None)

    @property
    def failed_before(self) -> tuple[GrantRecord, ...]:
        """The locks that earlier rounds of this try asked in vain."""
        earlier = self._others() if self.began is not None else {}
        return tuple(kept for kept, call in earlier.items() if call is not None and call.answer != GONE)

    @property
    def missed(self) -> bool:
        """Say whether there are locks that nobody came to in this try: whoever goes on asks one at least."""
        return self.began is not None and None in self._others().values()

    @property
    def failed(self) -> bool:
        """Say whether any lock was asked in vain in this try."""
        return bool(self.errors or self.failed_before)

    @property
    def tries(self) -> int:
        """How many tries failed, this one included: one is over when all locks were asked."""
        now = self.task.now
        counts = any(each.counts(now) for each in self.removals) or any(
            kept.removals[-1].made or waits_too_long(kept, now) for kept in self.failed_before
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
        if any(each.closed_by for each in self.removals):
            return saga
        return replace(saga, broken=0, began=self.began if self.missed else None)

    @property
    def by(self) -> Actor:
        """Who says how it stands."""
        return next((each.closed_by for each in self.removals if each.closed_by), SAGA)

    def settled(self) -> list[tuple[GrantRecord, GrantRecord]]:
        """Return each grant that was asked for in this try, and as it stands now."""
        now, last = self.task.now, self.last
        settled = [(each.kept, each.settled(now, last=last)) for each in self.removals]
        if last and not self.missed:
            settled += [(kept, given_up(kept, kept.removals[-1].answer, now)) for kept in self.failed_before]
        return settled

    def _others(self) -> dict[GrantRecord, CallMade | None]:
        """Return the vendor's locks that this round did not come to, each with its call in this try."""
        came_to, began = {each.kept.grant.id for each in self.removals}, self.began or self.task.now
        ours = [kept for kept in self.grants if kept.leaving and kept.grant.vendor == self.task.vendor]
        return {kept: kept.removal_since(began) for kept in ours if kept.grant.id not in came_to}


def waits_too_long(kept: GrantRecord, now: datetime) -> bool:
    """Say whether a key was to go so long ago that waiting in line is no excuse any more."""
    state = kept.grant.state
    return not isinstance(state, Removing) or now - state.since >= LONGEST_QUEUE


def given_up(kept: GrantRecord, cause: str | None, now: datetime) -> GrantRecord:
    """Return a grant that its lock will not let go of; one that was given up before stays as it is."""
    leaving = isinstance(kept.grant.state, Removing)
    return kept.told(GiveUp(at=now, cause=cause or "unknown")) if leaving else kept


def lapsed(kept: GrantRecord, now: datetime) -> bool:
    """Say whether a key that would not go opens no more, its time being over."""
    end = kept.grant.exposure_until
    return isinstance(kept.grant.state, Residual) and end is not None and end <= now
