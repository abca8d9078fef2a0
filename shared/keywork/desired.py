"""What is owed to a key at each of its locks: its wish there against how it stands, as one table.

| wish, of \\ it is | intended | placed | resting | removing | residual |
|---|---|---|---|---|---|
| open | place | place, unless it stands | wake | | place |
| rest | rest, if a call may have placed it | rest | | | rest |
| gone | | | | remove | remove |
| left | | remove, once nothing else is to open | | | |

Wishes are on the grants, so no turn of a key's work can lose one (decision 0028).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from shared.domain.grant_lifecycle import (
    GrantState,
    Intended,
    Place,
    Placed,
    Removing,
    Residual,
    Resting,
)
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.states import Active, Pending, Requested, Suspended
from shared.ledger.grant_record import PLACE, REMOVE, REST, WAKE, YES, GrantRecord, Wish
from shared.ledger.job_in_hand import JobInHand
from shared.ledger.key_record import KeyRecord, Work
from shared.ports.lock_causes import ASK_FOR_ANOTHER_PIN


class Act(StrEnum):
    """What a vendor is asked for at one lock."""

    PLACE = PLACE
    WAKE = WAKE
    REST = REST
    REMOVE = REMOVE

    @property
    def opens(self) -> bool:
        """Say whether somebody may get in by it who may not now."""
        return self in (Act.PLACE, Act.WAKE)


_ACTS: Final[Mapping[tuple[Wish, type[GrantState]], Act]] = {
    (Wish.OPEN, Intended): Act.PLACE,
    (Wish.OPEN, Placed): Act.PLACE,
    (Wish.OPEN, Resting): Act.WAKE,
    (Wish.OPEN, Residual): Act.PLACE,
    (Wish.REST, Intended): Act.REST,
    (Wish.REST, Placed): Act.REST,
    (Wish.REST, Residual): Act.REST,
    (Wish.GONE, Removing): Act.REMOVE,
    (Wish.GONE, Residual): Act.REMOVE,
}


def act_for(kept: GrantRecord) -> Act | None:
    """Return what is owed at a lock, or None where the key is as it is wished to be."""
    never_asked = isinstance(kept.grant.state, Intended) and not kept.calls
    if (kept.stands and kept.wish is Wish.OPEN) or (never_asked and kept.wish is Wish.REST):
        return None
    return _ACTS.get((kept.wish, type(kept.grant.state)))


def job_of(kept: GrantRecord) -> JobInHand | None:
    """Return the vendor's job that is to bring the lock to just what is owed there."""
    act = act_for(kept)
    return None if act is None else kept.job(act)


def waiting(kept: GrantRecord, now: datetime) -> bool:
    """Say whether nothing is to do at a lock for now, for its vendor has it in hand."""
    job = job_of(kept)
    return job is not None and job.waits(now)


def opening(grants: Iterable[GrantRecord]) -> list[GrantRecord]:
    """Return the grants that are to open and do not yet, or not at their time."""
    return [kept for kept in grants if (act := act_for(kept)) is not None and act.opens]


def whole(grants: Sequence[GrantRecord], at_once: Collection[KeyCredentialKind]) -> tuple[GrantRecord, ...]:
    """Return the grants, those of one artifact with nothing known of them where it is missing at a lock.

    Where it rests it is woken first, and then is one of those; at a lock that did not wake it, it is missing.
    """
    missing = {
        _artifact(kept)
        for kept in grants
        if kept.grant.kind in at_once and act_for(kept) is Act.PLACE and job_of(kept) is None
    }
    again = [
        kept
        for kept in grants
        if kept.wish is Wish.OPEN and _artifact(kept) in missing and (kept.stands or _would_not_wake(kept))
    ]
    return tuple(_doubted(kept) if kept in again else kept for kept in grants)


def _would_not_wake(kept: GrantRecord) -> bool:
    last = kept.calls[-1:]
    asked = bool(last) and last[0].asked == WAKE and last[0].answer is not None
    return isinstance(kept.grant.state, Resting) and asked and last[0].answer not in YES


def _doubted(kept: GrantRecord) -> GrantRecord:
    """Return a grant of which nobody knows how it stands at its lock, if it does."""
    if isinstance(kept.grant.state, Resting):
        kept = kept.applied(Place(at=kept.calls[-1].answered_at or kept.calls[-1].at))
    return replace(kept, standing=None)


def asked_now(
    grants: Sequence[GrantRecord], at_once: Collection[KeyCredentialKind]
) -> list[tuple[GrantRecord, Act]]:
    """Return what is owed and asked for now: one artifact is made for no lock while it sleeps at another."""
    owed = [(kept, act) for kept in grants if (act := act_for(kept)) is not None]
    asleep = {_artifact(kept) for kept, act in owed if act is Act.WAKE and kept.grant.kind in at_once}
    return [
        (kept, act)
        for kept, act in owed
        if act is not Act.PLACE or job_of(kept) is not None or _artifact(kept) not in asleep
    ]


def _artifact(kept: GrantRecord) -> tuple[VendorCode, KeyCredentialKind, int]:
    grant = kept.grant
    return grant.vendor, grant.kind, grant.secret_try


def left_behind(grants: Iterable[GrantRecord]) -> list[GrantRecord]:
    """Return what a change leaves behind, to go when what it gains stands."""
    return [kept for kept in grants if kept.wish is Wish.LEFT and not kept.over]


def hopeful(kept: GrantRecord) -> bool:
    """Say whether anything is owed at a lock that has not shown yet that it will not."""
    return act_for(kept) is not None and not isinstance(kept.grant.state, Residual)


def refuses_pin(kept: GrantRecord) -> bool:
    """Say whether a lock that is to open will not have this PIN: asking again cannot help."""
    act, last = act_for(kept), kept.calls[-1:]
    return bool(last) and act is not None and act.opens and last[0].answer in ASK_FOR_ANOTHER_PIN


def pin_refused(entry: KeyRecord, grants: Iterable[GrantRecord]) -> bool:
    """Say whether a key, made before, cannot follow its stay or its shift with the PIN that it has."""
    return isinstance(entry.credential.state, Active | Suspended) and any(map(refuses_pin, grants))


def next_vendor(entry: KeyRecord, grants: Iterable[GrantRecord]) -> VendorCode | None:
    """Return the vendor whose adapter is next to work on a key, or None if nothing is left to do."""
    if entry.saga.kind is Work.ISSUE:
        return _maker(entry)
    known = tuple(grants)
    owed: Sequence[GrantRecord] = [kept for kept in known if act_for(kept) is not None]
    # What shows no resistance comes first; what would not go is asked again when nothing else is left.
    waiting = [kept for kept in owed if hopeful(kept)] or left_behind(known) or owed
    vendors = sorted({kept.grant.vendor for kept in waiting})
    # One vendor that is always in trouble must not keep the others from being asked.
    turn = entry.saga.generation + entry.saga.unclaimed_starts
    return vendors[turn % len(vendors)] if vendors else None


def _maker(entry: KeyRecord) -> VendorCode | None:
    wanted = isinstance(entry.credential.state, Requested | Pending)
    return entry.credential.core.plan.current.vendor if wanted else None
