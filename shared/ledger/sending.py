"""One event on its way to one listener: what is sent, how often it was tried, and what came back.

Its id follows from event and listener, so an event that is handed over twice is written down once. While it
is `claimed_until` somebody sends it; who dies at that leaves it due.
"""

import hashlib
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

from shared.domain.ids import EventId, ListenerId, SendingId, minted_at, ulid
from shared.domain.instants import Moment, milliseconds
from shared.domain.stored import Json, Stored
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.streams.record import Record
from shared.streams.telling import DUE_AT

SENDINGS: Final = "sendings"
KEPT_FOR: Final = timedelta(days=30)
CLAIMED_FOR: Final = timedelta(seconds=45)
"""Longer than a listener is waited for."""
WAITS: Final = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
"""How long after each try that failed the next one follows; then it is given up."""
_BITS: Final = 80


class SendingState(StrEnum):
    """How far an event came."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    GIVEN_UP = "given_up"


@dataclass(frozen=True, slots=True)
class Try:
    """One try: the status that came back, or why none did, and how long it took."""

    at: Moment
    took_ms: int
    status: Annotated[int | None, Stored(omitted=True)] = None
    problem: Annotated[str | None, Stored(omitted=True)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending(Record):
    """An event for a listener."""

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("newest",)

    id: SendingId
    listener: ListenerId
    event: EventId
    subject: str
    body: str = field(repr=False)
    made_at: Moment
    state: SendingState = SendingState.WAITING
    tries: tuple[Try, ...] = ()
    due: Annotated[Moment | None, Stored(DUE_AT, omitted=True)] = None
    claimed_until: Annotated[Moment | None, Stored(omitted=True)] = None
    rounds: int = 0
    """How many tries count since somebody asked for it last."""

    def indexed(self) -> dict[str, Json]:
        """Return what the log of a listener reads."""
        return {"newest": -milliseconds(self.made_at)}

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(SENDINGS, self.id)

    @property
    def kept_until(self) -> datetime:
        """When the log forgets it."""
        return self.made_at + KEPT_FOR

    def claimed(self, now: datetime) -> Self:
        """Return it in somebody's hands; who dies is followed once it is due."""
        return replace(self, claimed_until=now + CLAIMED_FOR, due=now + CLAIMED_FOR)

    def delivered(self, tried: Try) -> Self:
        """Return it once its listener took it."""
        return replace(self._after(tried), state=SendingState.DELIVERED, due=None)

    def refused(self, tried: Try, rests_until: datetime | None) -> Self:
        """Return it after a try that failed: it waits longer and longer, and for its listener's rest."""
        after = self._after(tried)
        if self.rounds >= len(WAITS):
            return replace(after, state=SendingState.GIVEN_UP, due=None)
        due = tried.at + WAITS[self.rounds]
        return replace(after, due=max(due, rests_until or due), rounds=self.rounds + 1)

    def again(self, now: datetime) -> Self:
        """Return it as if it had never been tried, but for what it was tried."""
        return replace(self, state=SendingState.WAITING, rounds=0, due=now, claimed_until=None)

    def _after(self, tried: Try) -> Self:
        return replace(self, tries=(*self.tries, tried)[-MOST_TRIES:], claimed_until=None)


MOST_TRIES: Final = 20
"""So many are kept of one event: whoever has it sent again and again forgets the first."""


def sending_id(listener: ListenerId, event: EventId) -> SendingId:
    """Return what an event is called on its way to a listener: as old as the event, and always the same."""
    digest = hashlib.sha256(f"{listener} {event}".encode()).digest()
    return SendingId.mint(ulid(minted_at(event), int.from_bytes(digest[: _BITS // 8])))


async def find_sending(name: str, store: TenantDocuments) -> Sending | None:
    """Return an event on its way, or None."""
    found = await store.get(Ref(SENDINGS, name))
    return None if found is None else sending_from(found)


def sending_from(found: Document) -> Sending:
    """Read an event on its way."""
    return read_record(Sending, found)
