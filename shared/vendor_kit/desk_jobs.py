"""Cards to be written at a front desk: each a durable job, which the desk pulls, and answers.

    pending     ordered; a desk that does not take it in half a minute is silent, and the job is cancelled
    received    a desk has it, and waits for somebody to lay a card on the encoder
    processing  a card lies there and is being written
    processed   the card is written: from now on somebody may carry it
    error       it was not written: why, in one of our words
    cancelled   nobody is to write it any more; a card that was written all the same is noted all the same

Answers may come twice, late, or out of order: what is not a step onwards changes nothing.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Self

from shared.domain.documents import strays_of
from shared.domain.instants import instant_from_text, instant_to_text
from shared.ports.ambient import Clock
from shared.ports.documents import (
    AlreadyExists,
    Create,
    Document,
    Ref,
    StaleVersion,
    TenantDocuments,
    Update,
)
from shared.vendor_kit.indexes import MADE_AT_DOOR, NEWEST_AT_DESK, OPEN_AT_DESK
from shared.vendor_kit.written_cards import KEPT_AFTER, WrittenCard, notes

RADIO: Final = "radio"
"""The dialect of what a desk does at a lock itself, without a card."""
JOBS, PRESENCE = "desk_jobs", "desk_presence"
SCHEMA_VERSION: Final = 1
SILENT_AFTER: Final = timedelta(seconds=30)
NOTED_EVERY: Final = timedelta(seconds=10)
"""A desk asks more often than its sign of life need be written down."""
MOST: Final = 200
TRIES: Final = 5


class JobState(StrEnum):
    """How far a job has come."""

    PENDING = "pending"
    RECEIVED = "received"
    PROCESSING = "processing"
    PROCESSED = "processed"
    ERROR = "error"
    CANCELLED = "cancelled"


OPEN: Final = frozenset({JobState.PENDING, JobState.RECEIVED, JobState.PROCESSING})
STEPS: Final[Mapping[JobState, frozenset[JobState]]] = {
    JobState.PENDING: frozenset({*JobState} - {JobState.PENDING}),
    JobState.RECEIVED: frozenset({*JobState} - {JobState.PENDING, JobState.RECEIVED}),
    JobState.PROCESSING: frozenset({JobState.PROCESSED, JobState.ERROR, JobState.CANCELLED}),
    JobState.CANCELLED: frozenset({JobState.PROCESSED}),
    JobState.ERROR: frozenset({JobState.PROCESSED}),
    JobState.PROCESSED: frozenset(),
}
"""From which state a job may go to which; a card that was written is never unwritten."""


class JobError(StrEnum):
    """Why a desk wrote no card."""

    NO_CARD = "no_card"
    CARD_FAULTY = "card_faulty"
    ENCODER_OFFLINE = "encoder_offline"
    ROOM_UNKNOWN = "room_unknown"
    LOCK_SILENT = "lock_silent"
    PIN_TAKEN = "pin_taken"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskJob:
    """One card to write, or one errand at a lock; what of it is secret is sealed for desks."""

    id: str
    name: str
    kind: str
    dialect: str
    doors: tuple[str, ...]
    rooms: tuple[str, ...]
    """Those of the doors at which an overriding card ends the cards before it: the guest's own."""
    starts: datetime
    ends: datetime
    overrides: bool
    ordered_at: datetime
    number: int = 0
    """The guest's, in milliseconds since 1970: who joins bears the same, a higher one ends those below."""
    state: JobState = JobState.PENDING
    error: JobError | None = None
    reported: bool = False
    """Whether whoever ordered it was told that it came to nothing: the next attempt is another job."""
    sealed: Mapping[str, str] = field(default_factory=dict)
    """Of a job by radio: the PIN, for each desk that may do it, sealed for its own key."""

    def silent(self, now: datetime) -> bool:
        """Say whether no desk has taken the job in time."""
        return self.state is JobState.PENDING and now >= self.ordered_at + SILENT_AFTER

    def to_document(self, place: str) -> dict[str, Any]:
        """Return what is kept; a closed job is in no desk's list."""
        instants = {name: instant_to_text(getattr(self, name)) for name in ("starts", "ends", "ordered_at")}
        names = ("id", "name", "kind", "dialect", "state")
        words = {name: str(getattr(self, name)) for name in names}
        told = {"schema_version": SCHEMA_VERSION, **words, **instants, "doors": [*self.doors]}
        told |= {"rooms": [*self.rooms]}
        told |= {"overrides": self.overrides, "reported": self.reported, "number": self.number}
        told |= {"error": self.error and str(self.error)}
        told |= {"sealed": dict(self.sealed)} if self.sealed else {}
        return {**told, "open_at": place} if self.state in OPEN else told

    @classmethod
    def from_document(cls, found: Document) -> Self:
        """Read what was kept."""
        data = found.data
        starts, ends, ordered_at = (
            instant_from_text(data[name], name) for name in ("starts", "ends", "ordered_at")
        )
        return cls(
            id=data["id"],
            name=data["name"],
            kind=data["kind"],
            dialect=data["dialect"],
            doors=tuple(data["doors"]),
            rooms=tuple(data["rooms"]),
            starts=starts,
            ends=ends,
            overrides=data["overrides"],
            ordered_at=ordered_at,
            number=data.get("number", 0),
            state=JobState(data["state"]),
            error=None if data["error"] is None else JobError(data["error"]),
            reported=data["reported"],
            sealed=data.get("sealed", {}),
        )


def job_id(*about: object) -> str:
    """Return the id of a job: the same wish is the same job, however often it is wished."""
    return f"job_{hashlib.sha256('|'.join(map(str, about)).encode()).hexdigest()[:26]}"


class DeskJobs:
    """One property's jobs of one vendor's desk."""

    def __init__(self, documents: TenantDocuments, clock: Clock, vendor: str, property_id: str) -> None:
        self._documents, self._clock = documents, clock
        self._place = f"{vendor}-{property_id}"

    async def order(self, job: DeskJob) -> DeskJob:
        """Order a card, unless it is ordered already."""
        write = Create(_ref(job.id), job.to_document(self._place), job.ends + KEPT_AFTER)
        with suppress(AlreadyExists):
            await self._documents.commit([write])
            return job
        return await self.find(job.id) or job

    async def find(self, id_: str) -> DeskJob | None:
        """Return a job, or None."""
        found = await self._documents.get(_ref(id_))
        return None if found is None else DeskJob.from_document(found)

    async def pulled(self) -> list[DeskJob]:
        """Return what the desk is to do, the oldest first, to the desk: asking is its sign of life."""
        await self._note_presence()
        return await self.open()

    async def open(self) -> list[DeskJob]:
        """Return what is still to be written, the oldest first."""
        found = await self._documents.query(OPEN_AT_DESK, {"open_at": self._place}, limit=MOST)
        return [DeskJob.from_document(each) for each in found]

    def note(self, card: WrittenCard, doors: Sequence[str]) -> list[Create]:
        """Return what notes a card that was written for doors, by no job of ours."""
        return [*notes(card, doors, self._place)]

    async def made_at(self, door: str) -> list[WrittenCard]:
        """Return the cards that were written for a door and are good, the oldest first."""
        where = {"made_at": f"{self._place}-{door}"}
        found = await self._documents.query(MADE_AT_DOOR, where, limit=MOST)
        cards = [WrittenCard.from_document(each) for each in found]
        good = [card for card in cards if card.ends > self._clock.now()]
        return sorted(good, key=lambda card: card.ordered_at)

    async def newest(self) -> int:
        """Return the highest number on any card of the property: each of the next guests' is above it."""
        found = await self._documents.query(NEWEST_AT_DESK, {"desk": self._place}, limit=1)
        return max((WrittenCard.from_document(each).number for each in found), default=0)

    async def advance(
        self, id_: str, state: JobState, error: JobError | None = None, number: int | None = None
    ) -> DeskJob | None:
        """Take a job a step onwards, and return it as it stands; a step back is no step.

        A card that was there before the job has a `number` of its own.
        """

        def step(job: DeskJob) -> DeskJob:
            if state not in STEPS[job.state]:
                return job
            return replace(job, state=state, error=error, number=job.number if number is None else number)

        return await self._changed(id_, step)

    async def call_off(self, id_: str) -> DeskJob | None:
        """Let nobody write a card any more, unless it lies on the encoder already."""

        def step(job: DeskJob) -> DeskJob:
            waits = job.state in {JobState.PENDING, JobState.RECEIVED}
            return replace(job, state=JobState.CANCELLED, reported=True) if waits else job

        return await self._changed(id_, step)

    async def report(self, id_: str) -> None:
        """Note that whoever ordered a job was told that it came to nothing."""
        await self._changed(id_, lambda job: replace(job, reported=True))

    async def _changed(self, id_: str, change: Callable[[DeskJob], DeskJob]) -> DeskJob | None:
        for _ in range(TRIES):
            found = await self._documents.get(_ref(id_))
            if found is None:
                return None
            moved = change(job := DeskJob.from_document(found))
            if moved == job:
                return job
            kept_until = moved.ends + KEPT_AFTER
            data = strays_of(found.data, job.to_document(self._place)) | moved.to_document(self._place)
            write = Update(_ref(id_), data, found.version, kept_until)
            made = moved.state is JobState.PROCESSED and job.state is not JobState.PROCESSED
            written = made and moved.dialect != RADIO
            with suppress(StaleVersion):
                await self._documents.commit([write, *(self._cards(moved) if written else ())])
                return moved
        return await self.find(id_)

    async def desk_is_silent(self) -> bool:
        """Say whether no desk has given a sign of life of late."""
        found = await self._documents.get(self._presence)
        if found is None:
            return True
        return self._clock.now() >= instant_from_text(found.data["seen_at"], "seen_at") + SILENT_AFTER

    def _cards(self, job: DeskJob) -> Iterator[Create]:
        """Note a written card at each of its doors, in the commit that says that it is written."""
        card = WrittenCard(job.id, job.name, job.ends, job.ordered_at, job.number)
        return notes(card, job.doors, self._place)

    @property
    def _presence(self) -> Ref:
        return Ref(PRESENCE, self._place)

    async def _note_presence(self) -> None:
        """Note that a desk is there; of several at once, one says it for all."""
        now, found = self._clock.now(), await self._documents.get(self._presence)
        if found is not None and now < instant_from_text(found.data["seen_at"], "seen_at") + NOTED_EVERY:
            return
        data = {"schema_version": SCHEMA_VERSION, "seen_at": instant_to_text(now)}
        write = Create(self._presence, data) if found is None else Update(self._presence, data, found.version)
        with suppress(AlreadyExists, StaleVersion):
            await self._documents.commit([write])


def _ref(id_: str) -> Ref:
    return Ref(JOBS, id_)
