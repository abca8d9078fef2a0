"""The events a stay has heard of, and their order: the same, in whichever order they came.

| of two events | the newer is |
|---|---|
| with versions that differ | that of the higher version |
| else | that of the later date; a date too far ahead counts as the time at which the event was heard |
| of one date | an ending; else that whose id sorts later, for ids of one producer grow |

Versions and dates may contradict each other, which is why the order is made of all events at once, and not
of pairs: an event with a version counts as no later than any of a higher version (decision 0071).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from heapq import merge
from itertools import pairwise
from typing import Annotated, Final

from shared.domain.kinds import RevokeReason, SuspendReason
from shared.domain.reactions import Action, reaction_to
from shared.domain.replacing import born_open
from shared.domain.stored import Stored
from shared.ledger.stay import Amendment, Recency, Stay

AHEAD: Final = timedelta(minutes=5)
"""Clocks differ by so much: an event that is dated later has no date that can be believed."""
_Key = tuple[datetime, datetime, bool, str]


class BookingOutcome(StrEnum):
    """What we made of an event."""

    APPLIED = "applied"
    IGNORED = "ignored"
    REFUSED = "refused"
    """It was heard and set aside: the stay as it says can have no key, until somebody sees to that."""


@born_open
@dataclass(frozen=True, slots=True)
class BookingEventNote:
    """An event about the stay: what it said, what we made of it, when we heard it, and why.

    `differs` is when the same id came again with other content. `past` is an event that counts only in the
    one that stands for many, and `begun` such a one that the stay was confirmed before.
    """

    event_id: str
    subject: str
    standing: Annotated[Recency, Stored(flat=True)]
    outcome: BookingOutcome
    at: datetime | None = None
    because: str | None = None
    booked: Annotated[Stay | None, Stored(omitted=True)] = None
    changed: Annotated[Amendment | None, Stored(omitted=True)] = None
    differs: Annotated[datetime | None, Stored(omitted=True)] = None
    past: Annotated[bool, Stored(omitted=True)] = False
    begun: Annotated[bool, Stored(omitted=True)] = False

    @property
    def action(self) -> Action:
        """What the event asked of us."""
        return reaction_to(self.subject).action

    @property
    def reason(self) -> SuspendReason | RevokeReason | None:
        """Why it asked that."""
        return reaction_to(self.subject).reason

    @property
    def ahead(self) -> timedelta | None:
        """How far its date is ahead of when it was heard, if that is more than clocks differ."""
        before = None if self.at is None else self.standing.time - self.at
        return before if before is not None and before > AHEAD else None

    def says_as(self, other: "BookingEventNote") -> bool:
        """Say whether two notes of one id are of one event, as far as what was kept of them tells."""
        told = [(each.booked, each.changed) for each in (self, other)]
        unknown = self.action is not Action.REVOKE and (None, None) in told
        return (self.subject, self.standing) == (other.subject, other.standing) and (
            unknown or told[0] == told[1]
        )

    @property
    def rank(self) -> tuple[bool, str]:
        """What decides between events of one date."""
        return self.action is Action.REVOKE, self.event_id


def in_order(notes: Iterable[BookingEventNote]) -> list[BookingEventNote]:
    """Return events from the oldest to the newest."""
    found = list(notes)
    keys = _keys(found)
    numbered = sorted(
        (each for each in found if each.standing.version is not None),
        key=lambda each: (each.standing.version, keys[each.event_id]),
    )
    for newer, older in pairwise(reversed(numbered)):
        soonest = keys[newer.event_id][0]
        keys[older.event_id] = min((soonest, *keys[older.event_id][1:]), keys[older.event_id])
    others = [each for each in found if each.standing.version is None]
    others.sort(key=lambda each: keys[each.event_id])
    return list(merge(numbered, others, key=lambda each: keys[each.event_id]))


def _keys(notes: Sequence[BookingEventNote]) -> dict[str, _Key]:
    """Return what each event goes by on its own; among dates that cannot be believed, their order is kept."""
    heard = [(each.standing.time, each.at) for each in notes if each.at is not None and each.ahead]
    return {each.event_id: (_counts_as_of(each, heard), each.standing.time, *each.rank) for each in notes}


def _counts_as_of(note: BookingEventNote, heard: Sequence[tuple[datetime, datetime]]) -> datetime:
    if not note.ahead:
        return note.standing.time
    return min(at for date, at in heard if date >= note.standing.time)
