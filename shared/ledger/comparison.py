"""A comparison of one property's locks of one vendor with the ledger: how far it came, and what it came to.

It walks from lock to lock, each saved with what was found there, and so goes on where a crash left it. Who
saves a lock has read this document first: of two who walk, one goes on.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar, Final, Self

from shared.domain.ids import LockDeviceId, PropertyId
from shared.domain.instants import Moment
from shared.domain.kinds import VendorCode
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref
from shared.streams.record import Record

COMPARISONS: Final = "comparisons"
MOST_GONE: Final = 0.2
FEW: Final = 3
"""So many keys may be gone from a hotel without anybody's word, whatever share of all they are."""
STALLED_AFTER: Final = timedelta(minutes=10)
MOST_TRIES: Final = 6


class Occasion(StrEnum):
    """Why locks are compared."""

    NIGHTLY = "nightly"
    ASKED = "asked"
    RESTORED = "restored"
    """The ledger is older than the locks: a backup was put back, or a loss was accepted."""
    EMPTIED = "emptied"
    """The locks are younger than the ledger: simulated doors were started anew."""


class Progress(StrEnum):
    """How a comparison stands."""

    UNDER_WAY = "under_way"
    DONE = "done"
    BRAKED = "braked"
    """So many keys were gone that nobody believes it without a person's word."""
    BROKEN_OFF = "broken_off"
    """Its vendor could not be asked; the next night does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Record):
    """`held`: the ledger is not to be trusted with what is gone, for it may have been taken away since.

    `only` is the one lock that is asked for, `after` the last that was compared. `expected` and `gone` count
    the keys that the ledger has at the locks compared so far, `unread` the locks whose list was none.
    """

    schema_version: ClassVar[int] = 1

    property_id: PropertyId
    vendor: VendorCode
    run: str
    occasion: Occasion
    began_at: Moment
    moved_at: Moment
    progress: Progress = Progress.UNDER_WAY
    held: bool = False
    only: LockDeviceId | None = None
    after: LockDeviceId | None = None
    compared: int = 0
    expected: int = 0
    gone: int = 0
    unread: tuple[LockDeviceId, ...] = ()
    tries: int = 0
    cause: str | None = None
    whole_at: Moment | None = None
    """When all locks were compared last."""

    @property
    def ref(self) -> Ref:
        """Where it is kept: the last one of each property and vendor is."""
        return ref_of(self.property_id, self.vendor)

    @property
    def under_way(self) -> bool:
        """Say whether it is not over."""
        return self.progress is Progress.UNDER_WAY

    def stalled(self, now: datetime) -> bool:
        """Say whether nobody walks any more, though it is not over."""
        return self.under_way and not self.moved_at <= now < self.moved_at + STALLED_AFTER

    def of_lock_at(self, lock: LockDeviceId) -> datetime | None:
        """Return when a lock was compared last; whoever is under way or broke off may not have come to it."""
        if lock in self.unread:
            return None
        over = self.progress in (Progress.DONE, Progress.BRAKED)
        return self.moved_at if over and self.only in (None, lock) else self.whole_at

    @property
    def braked(self) -> bool:
        """Say whether too much is gone to be believed: a list that was cut or emptied says the same."""
        doubted = self.occasion is not Occasion.EMPTIED
        return doubted and self.gone > FEW and self.gone > MOST_GONE * self.expected

    def moved(self, now: datetime, **news: object) -> Self:
        """Return it, come further."""
        return replace(self, moved_at=now, **news)  # type: ignore[arg-type]  # fields of ours, by name

    def ended(self, progress: Progress, now: datetime) -> Self:
        """Return it, over."""
        whole = progress is not Progress.BROKEN_OFF and self.only is None
        return replace(self, progress=progress, moved_at=now, whole_at=now if whole else self.whole_at)


def ref_of(property_id: str, vendor: str) -> Ref:
    """Return where the last comparison of a property's locks of one vendor is kept."""
    return Ref(COMPARISONS, f"{property_id}.{vendor}")


def comparison_from(found: Document) -> Comparison:
    """Read a comparison."""
    return read_record(Comparison, found)
