"""What is to be thought of an attempt: a judgement over the record and the ledger, which asks nobody.

| by the ledger, at that instant | it opened: alarm | it did not: reason |
|---|---|---|
| the key is good | | what the vendor says, or `refused_by_lock` |
| nobody knows such a key | `unknown_key_opened` | `unknown_credential` |
| it has no right at this door | `key_opened_another_door` | `other_door` |
| it was ended, or never came to be | `revoked_key_opened` | `revoked` |
| it rests | `resting_key_opened` | `suspended` |
| its time is yet to come | `opened_before_its_time` | `not_yet_valid` |
| its time is over | `opened_after_its_time` | `expired` |

Locks' clocks differ from ours: within ten minutes of a turning point, a key has the benefit of the doubt.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from shared.domain.core import Staff
from shared.domain.grant_lifecycle import Removed
from shared.domain.ids import LockDeviceId
from shared.domain.states import Failed, Revoked, Suspended
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import KeyRecord
from shared.ports.door_records import DoorRecord

DOUBT: Final = timedelta(minutes=10)
REFUSED: Final = "refused_by_lock"


class Right(StrEnum):
    """How a key stood at a door at an instant."""

    GOOD = "good"
    UNKNOWN = "unknown"
    ELSEWHERE = "elsewhere"
    ENDED = "ended"
    RESTING = "resting"
    EARLY = "early"
    LATE = "late"


ALARMS: Final[Mapping[Right, str]] = {
    Right.UNKNOWN: "unknown_key_opened",
    Right.ELSEWHERE: "key_opened_another_door",
    Right.ENDED: "revoked_key_opened",
    Right.RESTING: "resting_key_opened",
    Right.EARLY: "opened_before_its_time",
    Right.LATE: "opened_after_its_time",
}
REASONS: Final[Mapping[Right, str]] = {
    Right.UNKNOWN: "unknown_credential",
    Right.ELSEWHERE: "other_door",
    Right.ENDED: "revoked",
    Right.RESTING: "suspended",
    Right.EARLY: "not_yet_valid",
    Right.LATE: "expired",
}


@dataclass(frozen=True, slots=True)
class Traced:
    """Whose attempt it was: the key's entry and its grant, here or elsewhere; neither if nobody knows."""

    kept: GrantRecord | None = None
    entry: KeyRecord | None = None
    here: bool = True
    challenge: LockDeviceId | None = None
    """The lock to be proven by what was typed: no key at all."""

    @property
    def staff(self) -> bool:
        """Say whether a member of staff holds the key."""
        return self.entry is not None and isinstance(self.entry.credential.core.holder, Staff)


@dataclass(frozen=True, slots=True)
class AttemptJudged:
    """How the key stood, why it was refused, and what is wrong where it was not."""

    right: Right
    refused: str | None = None
    alarm: str | None = None


def judged(record: DoorRecord, traced: Traced) -> AttemptJudged:
    """Return what is to be thought of an attempt."""
    right = right_of(traced, record.at)
    if not record.opened:
        return AttemptJudged(right, refused=REASONS.get(right) or record.refused or REFUSED)
    # A mechanical key, a button and the owner's app open as nobody's key, and are none that we made.
    nobodys = right is Right.UNKNOWN and not record.means.of_a_key
    return AttemptJudged(right, alarm=None if nobodys else ALARMS.get(right))


def right_of(traced: Traced, at: datetime) -> Right:
    """Return how a key stood at a door at an instant."""
    kept, entry = traced.kept, traced.entry
    if traced.challenge is not None:
        return Right.GOOD
    if kept is None or entry is None:
        return Right.UNKNOWN
    ended = _ended_at(entry, kept)
    if ended is not None and at >= ended + DOUBT:
        return Right.ENDED
    state = entry.credential.state
    if isinstance(state, Suspended) and at >= state.suspended_at + DOUBT:
        return Right.RESTING
    return _in_time(kept, at) if traced.here else Right.ELSEWHERE


def _ended_at(entry: KeyRecord, kept: GrantRecord) -> datetime | None:
    """Return since when the key has no right: it was ended, failed, or its lock agreed that it is gone."""
    state, at_lock = entry.credential.state, kept.grant.state
    if isinstance(state, Revoked):
        return state.revoked_at
    if isinstance(state, Failed):
        return state.failed_at
    return at_lock.removed_at if isinstance(at_lock, Removed) else None


def _in_time(kept: GrantRecord, at: datetime) -> Right:
    begins, ends = kept.opens
    if at < begins - DOUBT:
        return Right.EARLY
    return Right.LATE if at >= ends + DOUBT else Right.GOOD
