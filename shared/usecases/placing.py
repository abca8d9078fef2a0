"""An attempt to make a key, lock by lock, and what came of it."""

from dataclasses import dataclass, replace
from datetime import datetime

from shared.domain.grant_lifecycle import ConfirmRemoval, Place, RemovalProof
from shared.domain.kinds import WINDOW_ROUNDED, KeyWarning, merge_warnings
from shared.domain.lock_errors import LockError, VendorUnreachable
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.ledger.kept_grant import KeptGrant
from shared.ledger.sealed_keys import SealedKey
from shared.ports.lock import ASK_FOR_ANOTHER_PIN, KeyAtLock, unheard
from shared.usecases.task_at_locks import Task


@dataclass(frozen=True, slots=True)
class Placing:
    """One lock's part: no outcome means that its vendor was not asked."""

    kept: KeptGrant
    fresh: bool
    busy_before: datetime | None = None
    outcome: KeyAtLock | LockError | None = None

    def settled(self, task: Task) -> KeptGrant:
        """Return the grant with what its vendor said.

        Silence says nothing: the call may still land. An answer ends this call, but not one before it that
        was never heard of again.
        """
        if self.outcome is None:
            return replace(self.kept, busy_until=self.busy_before, calls=self.kept.calls[:-1])
        if isinstance(self.outcome, LockError):
            heard = self.kept.heard(self.outcome.cause.kind)
            return heard if unheard(self.outcome) else replace(heard, busy_until=self.busy_before)
        at = self.outcome
        heard = replace(self.kept.heard(at.placement.value), busy_until=self.busy_before)
        return heard.told(Place(at=task.now, placement=at.placement, exposure_until=at.exposure_until))

    def given_up(self, task: Task) -> KeptGrant:
        """Return the grant on its way out; one that its vendor never took is gone already."""
        leaving = self.settled(task).withdrawn(task.now)
        asked_in_vain = self.outcome is None or (
            isinstance(self.outcome, LockError) and not unheard(self.outcome)
        )
        if self.fresh and asked_in_vain:
            return leaving.told(ConfirmRemoval(at=task.now, proof=RemovalProof.NEVER_PLACED))
        return leaving


def _rank(error: LockError) -> tuple[bool, bool]:
    return error.cause.kind not in ASK_FOR_ANOTHER_PIN, isinstance(error, VendorUnreachable)


@dataclass(frozen=True, slots=True)
class Attempted:
    """An attempt: `others` are earlier tries' grants that are not over; one not `counted` was never made."""

    task: Task
    placings: tuple[Placing, ...] = ()
    others: tuple[KeptGrant, ...] = ()
    key: SealedKey | None = None
    counted: bool = True

    @property
    def error(self) -> LockError | None:
        """What went wrong first; a word about the PIN counts before all others."""
        errors = [each.outcome for each in self.placings if isinstance(each.outcome, LockError)]
        return min(errors, key=_rank, default=None)

    @property
    def placed(self) -> tuple[KeyAtLock, ...]:
        """The key as it stands, at the locks that took it."""
        return tuple(each.outcome for each in self.placings if isinstance(each.outcome, KeyAtLock))

    @property
    def warnings(self) -> tuple[KeyWarning, ...]:
        """What the vendor wants to have said."""
        apart = (
            ()
            if self.effective
            else (KeyWarning(WINDOW_ROUNDED, "there is no time at which all locks open"),)
        )
        return merge_warnings(*(each.warnings for each in self.placed), apart)

    @property
    def effective(self) -> StayWindow | None:
        """When all the locks open; None if they never all do."""
        window = self.task.entry.credential.core.window
        start = max(each.valid_from for each in self.placed)
        end = min(each.valid_until for each in self.placed)
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

    def given_up(self) -> tuple[KeptGrant, ...]:
        """Return all grants on their way out."""
        at = self.task.now
        leaving = (placing.given_up(self.task) for placing in self.placings)
        return (*leaving, *(kept.withdrawn(at) for kept in self.others))
