"""A ledger entry: one key credential, the saga that works on it, and when somebody must look at it again."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

from shared.domain.core import Guest, Staff
from shared.domain.credential import KeyCredential
from shared.domain.ids import CredentialId, ReservationId, RoomId, minted_at
from shared.domain.instants import Moment, milliseconds
from shared.domain.kinds import SAGA, Actor, ClaimKey, SetRole, SuspendReason
from shared.domain.replacing import born_open, replace
from shared.domain.scope import AccessScope
from shared.domain.states import Failed, Pending, Requested, Revoked
from shared.domain.stored import Json, Stored
from shared.domain.window import StayWindow
from shared.ledger.delays import SHORT_TROUBLE, WATCHED_FOR
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref
from shared.streams.stream import Stream

CREDENTIALS: Final = "credentials"


class Work(StrEnum):
    """What a saga is to do: make the key by its plan, or bring every grant of it to its wish."""

    ISSUE = "issue"
    SETTLE = "settle"


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class Saga:
    """The work on a key: of one generation at a time, by the one execution that was first to write.

    `unclaimed_starts` counts how often it was begun since anybody wrote, `aborted_runs` how often one that
    wrote broke off since anything came of it; `began` is when a try began that is not over. While it is
    `parked` (since `parked_at`) no execution waits for it: whoever hears what it waits for, or the sweeper
    when due, begins the next; before it `asks_at`, once, if its vendor is well. Once its vendor was asked in
    vain, executions rest no longer than it `rests_until`; it is `placed` where the sweeper gave it a place.
    """

    kind: Work
    claim: ClaimKey
    generation: int = 1
    execution: str | None = None
    tries: int = 0
    unclaimed_starts: Annotated[int, Stored("lost")] = 0
    aborted_runs: Annotated[int, Stored("broken")] = 0
    began: Moment | None = None
    parked: Annotated[bool, Stored(omitted=True)] = False
    parked_at: Annotated[Moment | None, Stored(omitted=True)] = None
    asks_at: Annotated[Moment | None, Stored(omitted=True)] = None
    rests_until: Annotated[Moment | None, Stored(omitted=True)] = None
    placed: Annotated[bool, Stored(omitted=True)] = False

    def follows(self, generation: int, execution: str) -> bool:
        """Say whether this execution is the one to go on, or may still become it."""
        return self.generation == generation and self.execution in (None, execution)

    def claimed(self, execution: str) -> Self:
        """Return the work as this execution's own."""
        return self if self.execution else replace(self, execution=execution, unclaimed_starts=0)

    def next_generation(self) -> Self:
        """Return the same work for an execution yet to come; the present one is refused from now on.

        One that has written nothing yet may still be in a queue: it is as good as the next, which it races.
        """
        if self.execution is None:
            return replace(self, unclaimed_starts=self.unclaimed_starts + 1)
        aborted = self.aborted_runs if self.parked else self.aborted_runs + 1
        following = replace(
            self, generation=self.generation + 1, execution=None, began=None, aborted_runs=aborted
        )
        return replace(following, parked=False, parked_at=None, placed=False)

    def asked_in_vain(self, now: datetime) -> Self:
        """Return the work of one whose vendor is in trouble: the first time counts."""
        return self if self.rests_until else replace(self, rests_until=now + SHORT_TROUBLE)

    def in_our_line(self) -> Self:
        """Return the work of one that only waits for our own turn: its vendor is in no trouble."""
        return replace(self, rests_until=None) if self.rests_until else self

    def watching(self, now: datetime) -> Self:
        """Return the work of one whose next execution is to see soon that its vendor's trouble is over."""
        return replace(self, rests_until=now + WATCHED_FOR)

    def may_rest(self, until: datetime) -> bool:
        """Say whether an execution may rest for so long."""
        return self.rests_until is None or until <= self.rests_until

    @property
    def waits_out_trouble(self) -> bool:
        """Say whether no execution waits for it, for its vendor was asked in vain."""
        return self.parked and self.rests_until is not None

    def switched_to(self, kind: Work, claim: ClaimKey | None = None) -> "Saga":
        """Return other work for an execution yet to come."""
        return Saga(kind=kind, claim=claim or self.claim, generation=self.generation + 1)


@dataclass(frozen=True, slots=True)
class Target:
    """What a key is to open, and when, once its locks have followed; a scope that is None stays as it is."""

    rooms: tuple[RoomId, ...]
    window: StayWindow
    scope: Annotated[AccessScope | None, Stored(omitted=True)] = None


@dataclass(frozen=True, slots=True)
class NextStay:
    """The stay of the same guest that has the key after the present one, and how long each of them is."""

    reservation: ReservationId
    claim: ClaimKey
    window: StayWindow
    before: StayWindow


@dataclass(frozen=True, slots=True)
class PastStay:
    """The stay of the same guest that had the key before the present one, and from when it is this one's."""

    reservation: ReservationId
    window: StayWindow
    since: Moment


@dataclass(frozen=True, slots=True)
class Waits:
    """Until when no vendor is asked for a key that is requested, and why, in our own words."""

    until: Moment
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Revival:
    """What a key stands in for, and whether another is to stand in for it: stays stay wanted.

    `times` keys failed before it, the first and the last of them when it says. Of a key that failed itself:
    when somebody `looked` last whether to request another, and whether it is `let_go`, for there is another.
    Of a living key whose PIN a lock refuses: when somebody `looked`, and it could have no other.
    """

    times: int = 0
    first_failed: Moment | None = None
    last_failed: Moment | None = None
    looked: Moment | None = None
    let_go: bool = False


NO_REVIVAL: Final = Revival()


@dataclass(frozen=True, slots=True)
class Cause:
    """What set the work going: events tell it as their trace and their causation."""

    trace_id: str
    event_id: str | None = None


@born_open
@dataclass(frozen=True, slots=True)
class KeyRecord(Stream):
    """A key, what is owed to it, and the stream of what happened to it.

    `round_open`: the attempt that was counted last is not over yet. While there are `holds` the key rests, or
    will once it is made; `ordered_by` is who held or released it last. `amends` is what it becomes when its
    locks have followed; `then` is whose it is after the stay that it is of, `past` whose it was, if it opened
    on from that one.
    """

    schema_version: ClassVar[int] = 2
    INDEXED: ClassVar[tuple[str, ...]] = (
        "property_id",
        "staff_id",
        "live",
        "of_property",
        "of_stay",
        "newest",
        "waiting",
    )

    credential: KeyCredential
    saga: Saga
    cause: Cause
    secret_try: int = 0
    artifact: str | None = None
    round_open: Annotated[bool, Stored("going_on")] = False
    holds: frozenset[SuspendReason] = frozenset()
    ordered_by: Annotated[Actor, Stored(omitted=True)] = SAGA
    amends: Target | None = None
    revival: Annotated[Revival, Stored(omitted=True)] = NO_REVIVAL
    waits: Annotated[Waits | None, Stored(omitted=True)] = None
    then: Annotated[NextStay | None, Stored(omitted=True)] = None
    past: Annotated[PastStay | None, Stored(omitted=True)] = None

    def indexed(self) -> dict[str, Json]:
        """Return what the indexes of keys read; one that is over is in none of those of living keys."""
        core = self.credential.core
        of_stay = {"of_stay": str(core.holder.reservation_id)} if isinstance(core.holder, Guest) else {}
        # Indexes go upwards: what is newest comes first by its age below zero.
        listed = {"of_property": str(core.property_id), **of_stay, "newest": -minted_at(core.id)}
        return {**listed, **self._waiting(), **self._living()}

    def _waiting(self) -> dict[str, Json]:
        """Say from when somebody waits for it: it is yet to be made, or to become what it was changed to."""
        state = self.credential.state
        if self.to_be_made:
            return {"waiting": milliseconds(self.credential.core.window.start)}
        if self.amends is None or isinstance(state, Revoked | Failed):
            return {}
        return {"waiting": milliseconds(self.amends.window.start)}

    def _living(self) -> dict[str, Json]:
        core = self.credential.core
        if isinstance(self.credential.state, Revoked | Failed):
            return {}
        staff = {"staff_id": str(core.holder.user_id)} if isinstance(core.holder, Staff) else {}
        return {"property_id": str(core.property_id), "live": milliseconds(core.window.end), **staff}

    @property
    def to_be_made(self) -> bool:
        """Say whether there is no such key yet, and it is on its way."""
        return isinstance(self.credential.state, Requested | Pending)

    @property
    def is_copy(self) -> bool:
        """Say whether it is one more of a party's keys, and lives."""
        return self.credential.core.role is SetRole.COPY and not isinstance(
            self.credential.state, Revoked | Failed
        )

    def is_of(self, reservation: ReservationId) -> bool:
        """Say whether it is a stay's key, or will be; who is no guest has no stay."""
        holder = self.credential.core.holder
        mine = isinstance(holder, Guest) and holder.reservation_id == reservation
        return mine or (self.then is not None and self.then.reservation == reservation)

    @property
    def stays(self) -> tuple[ReservationId, ...]:
        """The stays that it is of, and will be."""
        holder = self.credential.core.holder
        own = (holder.reservation_id,) if isinstance(holder, Guest) else ()
        return own if self.then is None else (*own, self.then.reservation)

    def before(self, reservation: ReservationId) -> PastStay | None:
        """Return the stay from which it opens on for one of its stays, if there is one."""
        if self.then is not None and self.then.reservation == reservation:
            first = self.stays[0]
            return PastStay(first, self.times_of(first), self.then.window.start)
        past = self.past
        goes_on = past is not None and self.credential.core.window.start < past.since
        return past if goes_on and reservation == self.stays[0] else None

    def times_of(self, reservation: ReservationId) -> StayWindow:
        """Return when it opens for one of the stays that it is of: that stay's own time."""
        if self.then is not None and self.then.reservation == reservation:
            return self.then.window
        window = self.credential.core.window if self.then is None else self.then.before
        past = self.before(reservation)
        return window if past is None else replace(window, start=past.since)

    def stay_at(self, now: datetime) -> ReservationId | None:
        """Return which stay it is for just now: the next from the end of the first, told or not."""
        if self.then is not None and self.then.before.end <= now:
            return self.then.reservation
        holder = self.credential.core.holder
        return holder.reservation_id if isinstance(holder, Guest) else None

    @property
    def id(self) -> CredentialId:
        """Whose entry this is; the saga goes by the same name."""
        return self.credential.id

    @property
    def ref(self) -> Ref:
        """Where the entry is kept."""
        return ref_of(self.id)

    @property
    def _sequence(self) -> int:
        return self.credential.sequence


def ref_of(credential: str) -> Ref:
    """Return where a key's entry is kept."""
    return Ref(CREDENTIALS, credential)


def key_record_from(found: Document) -> KeyRecord:
    """Read an entry."""
    return read_record(KeyRecord, found)
