"""A grant as the ledger keeps it: with what says when a call to its vendor may still have an effect."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

from shared.domain.grant import Grant
from shared.domain.grant_lifecycle import (
    Extend,
    GrantCommand,
    Intended,
    Placed,
    Placement,
    Removed,
    Removing,
    Residual,
    Resting,
    Withdraw,
)
from shared.domain.ids import GuestId
from shared.domain.instants import Moment, instant, milliseconds
from shared.domain.kinds import SECOND_CODE
from shared.domain.replacing import born_open, replace
from shared.domain.stored import Json, Stored
from shared.domain.window import StayWindow
from shared.ledger.job_in_hand import JobInHand
from shared.ledger.key_at_lock import KeyAtLockRecord
from shared.ledger.reading import read_record
from shared.ledger.vendor_calls import CallMade, Calls, with_answer, with_call
from shared.ports.documents import Document, Ref
from shared.ports.exchanges import Exchange
from shared.ports.lock import InHand
from shared.streams.record import Record

GRANTS: Final = "grants"
PLACE, REMOVE, REST, WAKE = "place", "remove", "rest", "wake"
GONE, RESTS = "gone", "rests"
YES: Final = frozenset({GONE, RESTS, *Placement})
"""What a vendor says that did what it was asked."""
MOST_GRANTS: Final = 1000
"""As many as one question brings back."""
GUEST: Final = "guest_id"
NO_INSTANT: Final = instant(0)
"""What grants say of their beginning that were kept before they had one."""
NEVER: Final = datetime.min.replace(tzinfo=UTC)
"""When that was which nobody was asked yet: before everything else."""
LONGEST_EXTENSION: Final = timedelta(hours=4)
"""By so much a vendor may round the end, or we may shift it: the truth comes with its answer."""
CLOCK_MARGIN: Final = timedelta(hours=1)
"""So much slower than when it was last heard a lock's clock may be, whatever was done to it since."""
CALLS_LAST: Final = timedelta(seconds=150)
"""Longer than an adapter may run: what was asked of a vendor has had its effect by then, or never will."""


class Wish(StrEnum):
    """What is to become of a key at a lock; it stays with the grant, whatever work comes between."""

    OPEN = "open"
    """It is to open within its window, which is that of `since` and `until`."""
    REST = "rest"
    GONE = "gone"
    LEFT = "left"
    """It is to go once what is gained by the same change stands: a guest never stands between two keys."""


@born_open
@dataclass(frozen=True, slots=True)
class GrantRecord(Record):
    """A grant; until `busy_until`, a call that places it may still be under way somewhere.

    `since` and `until` are those of its stay. `vendor_device` is the lock that it is for, whichever hangs at
    the door by the time it is to go; `standing`, how the key stands there, once its vendor said so;
    `in_hand`, the job that its vendor has not ended yet; `guest`, whose key it is, which no change of it
    changes: grants that were kept before they said so, and those of staff, say None.
    """

    schema_version: ClassVar[int] = 2
    INDEXED: ClassVar[tuple[str, ...]] = (
        "credential_id",
        "device_id",
        "until",
        "leaving",
        "pin",
        "gone_as",
        "gone_at",
        "answered",
        "job",
    )

    grant: Grant
    since: Annotated[Moment, Stored("starts", missing=NO_INSTANT)]
    until: Annotated[Moment, Stored("ends")]
    busy_until: Moment | None = None
    calls: Calls = ()
    vendor_device: str | None = None
    standing: KeyAtLockRecord | None = None
    wish: Wish = Wish.OPEN
    wished_at: Moment | None = None
    in_hand: Annotated[JobInHand | None, Stored(omitted=True)] = None
    guest: Annotated[GuestId | None, Stored(GUEST, omitted=True)] = None

    def indexed(self) -> dict[str, Json]:
        """Return what its key's and its lock's indexes read; one that is over is found by its name there."""
        found: dict[str, Json] = {
            "credential_id": str(self.grant.credential_id),
            "device_id": str(self.grant.device_id),
        }
        if (done := self.done_last) is not None:
            # Indexes go upwards: what was done last comes first by its age below zero.
            found["answered"] = -milliseconds(done.answered_at or done.at)
        if self.over:
            gone_at = milliseconds(self.grant.changed_at)
            return {**found, "gone_as": self.grant.vendor_name, "gone_at": gone_at}
        job = {} if self.in_hand is None else {"job": self.in_hand.named(self.grant.vendor)}
        since = self.wished_at or self.grant.changed_at
        listed = self.leaving or self.unmet or self.has_second_code
        leaving = {"leaving": milliseconds(since)} if listed else {}
        pin = {} if self.grant.pin_index is None else {"pin": pin_key(self.grant.pin_index)}
        return {**found, "until": milliseconds(self.until), **leaving, **pin, **job}

    @property
    def wanted(self) -> bool:
        """Say whether the key is to be at the lock, be it at rest."""
        return isinstance(self.grant.state, Intended | Placed | Resting)

    @property
    def leaving(self) -> bool:
        """Say whether the key is to go, or would not."""
        return isinstance(self.grant.state, Removing | Residual)

    @property
    def unmet(self) -> bool:
        """Say whether the key stands at the lock, and not as it is wished to be: other times, or at rest."""
        state = self.grant.state
        if isinstance(state, Resting):
            return self.wish is Wish.OPEN
        return isinstance(state, Placed) and (self.wish is not Wish.OPEN or self.standing is None)

    @property
    def has_second_code(self) -> bool:
        """Say whether the lock has a code beside the key's own that nobody was told or could delete."""
        return self.standing is not None and SECOND_CODE in self.standing.warnings

    @property
    def over(self) -> bool:
        """Say whether nothing is left to do."""
        return isinstance(self.grant.state, Removed)

    def lapsed(self, now: datetime) -> bool:
        """Say whether a key that would not go opens no more, its time being over by the lock's own clock."""
        end = self.grant.exposure_until
        return isinstance(self.grant.state, Residual) and end is not None and end + CLOCK_MARGIN <= now

    def busy(self, now: datetime) -> bool:
        """Say whether a call that places it may still be under way."""
        return self.busy_until is not None and now < self.busy_until

    def capped(self, now: datetime) -> Self:
        """Return the grant with no call under way for longer than calls last: the clock may be set back."""
        busy = None if self.busy_until is None else min(self.busy_until, now + CALLS_LAST)
        return self if busy == self.busy_until else replace(self, busy_until=busy)

    def calling(self, now: datetime, logical_at: datetime | None = None, asked: str = PLACE) -> Self:
        """Return the grant with a call about to be made, which is to place the key, or to wake it."""
        call = CallMade(logical_at or now, asked)
        return replace(self, busy_until=now + CALLS_LAST, calls=with_call(self.calls, call))

    def answered(self, answer: str, at: datetime, said: Sequence[Exchange] = ()) -> Self:
        """Return the grant with what its vendor said to the last call."""
        return replace(self, calls=with_answer(self.calls, answer, at, said))

    def removing(self, call: CallMade) -> Self:
        """Return the grant with a call that was to remove the key."""
        return replace(self, calls=with_call(self.calls, call))

    def job(self, asked: str) -> JobInHand | None:
        """Return the job that is to do just this, as it is wished now, if the vendor has one in hand."""
        it = self.in_hand
        current = it is not None and it.asked == asked and (self.wished_at is None or it.at >= self.wished_at)
        return it if current else None

    def holding(self, answer: InHand, asked: str, at: datetime) -> Self:
        """Return it with a job in hand: whoever asked for it knew what is wished, whatever clocks say."""
        return replace(self, in_hand=JobInHand.of(answer, asked, max(at, self.wished_at or at)))

    @property
    def stands(self) -> bool:
        """Say whether the key is at the lock, for all that is known, and how is known too."""
        return self.standing is not None and isinstance(self.grant.state, Placed)

    @property
    def opens(self) -> tuple[datetime, datetime]:
        """From when until when it opens, as far as is known: its stay's time, or what its lock gave."""
        at = self.standing
        if at is None:
            return self.since, self.until
        return min(self.since, at.valid_from), max(self.until, at.valid_until)

    @property
    def opens_beyond_stay(self) -> bool:
        """Say whether it opens before or after its stay, as far as is known."""
        return self.opens != (self.since, self.until)

    def window(self, zone: str) -> StayWindow:
        """Return when the key is to open the lock."""
        return StayWindow(self.since, self.until, zone)

    def unanswered(self, now: datetime) -> bool:
        """Say whether a call may be under way whose answer nobody has heard yet."""
        return self.busy(now) and bool(self.calls) and self.calls[-1].answer is None

    @property
    def asked_last(self) -> datetime | None:
        """When its vendor was asked for anything, or was to be, the last time."""
        return max((call.at for call in self.calls), default=None)

    @property
    def done_last(self) -> CallMade | None:
        """The last call that its vendor said yes to."""
        return next((call for call in reversed(self.calls) if call.answer in YES), None)

    @property
    def removals(self) -> tuple[CallMade, ...]:
        """The calls that asked its vendor to remove it or let it rest, or were to."""
        return tuple(call for call in self.calls if call.asked in (REMOVE, REST))

    def call_since(self, began: datetime) -> CallMade | None:
        """Return the last call of any kind, if it was made since then."""
        last = self.calls[-1:]
        return next((call for call in last if milliseconds(call.at) >= milliseconds(began)), None)

    def applied(self, command: GrantCommand) -> Self:
        """Return the grant after a command."""
        return replace(self, grant=self.grant.apply(command))

    def withdrawn(self, at: datetime) -> Self:
        """Return the grant on its way out; one that is leaving already stays as it is, now for good."""
        gone = self if self.wish is Wish.GONE else replace(self, wish=Wish.GONE, wished_at=at)
        return gone.applied(Withdraw(at=at)) if self.wanted else gone

    def wished(self, wish: Wish, at: datetime) -> Self:
        """Return the grant with another wish; how it stands, the lock has yet to say."""
        if wish is self.wish or self.over:
            return self
        return replace(self, wish=wish, wished_at=at, standing=None if wish is Wish.OPEN else self.standing)

    def aimed(self, window: StayWindow, wish: Wish, at: datetime) -> Self:
        """Return the grant for another window, to which its lock has yet to agree; it may open in either."""
        if (milliseconds(self.since), milliseconds(self.until)) == (
            milliseconds(window.start),
            milliseconds(window.end),
        ):
            known = wish is Wish.OPEN and self.wish is Wish.LEFT and self.stands
            return replace(self, wish=wish, wished_at=at) if known else self.wished(wish, at)
        longer = self.applied(Extend(at=at, exposure_until=window.end + LONGEST_EXTENSION))
        since, until = window.start, window.end
        return replace(longer, since=since, until=until, wish=wish, wished_at=at, standing=None)

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(GRANTS, self.grant.id)


def logical_now(grants: Iterable[GrantRecord], now: datetime) -> datetime:
    """Return the present instant, or one after all calls at these grants, should the clock be set back.

    By it is known which locks an attempt came to, and who was asked longest ago.
    """
    asked = (kept.asked_last for kept in grants)
    last = max((milliseconds(at) for at in asked if at is not None), default=None)
    return now if last is None or milliseconds(now) > last else instant(last + 1)


def pin_key(index: str) -> str:
    """Return as much of a blind index as the store's own index needs: half of it tells all keys apart."""
    return index[: len(index) // 2]


def grant_from(found: Document) -> GrantRecord:
    """Read a grant."""
    return read_record(GrantRecord, found)
