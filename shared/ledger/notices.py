"""Notices: one thing that a guest is to be told of one key, and how far it has come on each way to them.

A notice is as unique as the event that it tells of. Each way to the guest has a state of its own:

| state | means | may become |
|---|---|---|
| waiting | to be sent when it is due | claimed, skipped |
| held | to be sent only if the ways before it fail | waiting |
| claimed | somebody is about to call the provider, until it is due | sent, failed, waiting |
| sent | the provider has it | delivered, undelivered, unconfirmed |
| delivered | it arrived | |
| undelivered | it did not, or nobody told that it did | delivered, late as that is |
| unconfirmed | the provider never told | delivered, undelivered |
| failed | the provider refused it for good | |
| skipped | there is no such way to this guest | |
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, Self

from shared.domain.ids import CredentialId, PropertyId, ReservationId
from shared.domain.instants import Moment, milliseconds
from shared.domain.stored import Json, Stored
from shared.ledger.reading import read_record
from shared.messages.kinds import Channel, MessageKind
from shared.ports.documents import Document, Ref
from shared.streams.record import Record

NOTICES: Final = "notices"


class WayState(StrEnum):
    """How far a notice has come on one way."""

    WAITING = "waiting"
    HELD = "held"
    CLAIMED = "claimed"
    SENT = "sent"
    DELIVERED = "delivered"
    UNDELIVERED = "undelivered"
    UNCONFIRMED = "unconfirmed"
    FAILED = "failed"
    SKIPPED = "skipped"


class Outcome(StrEnum):
    """What a notice came to."""

    REACHED = "reached"
    UNREACHED = "unreached"
    """On no way: somebody at the desk was told."""
    SUPERSEDED = "superseded"
    """What it was to tell was true no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to a guest; `due` is when a waiting one is sent, or when nobody need wait for it any longer."""

    state: WayState
    due: Annotated[Moment | None, Stored(omitted=True)] = None
    tries: int = 0
    since: Annotated[Moment | None, Stored(omitted=True)] = None
    """When it was handed over first, or may have been."""
    reason: Annotated[str | None, Stored(omitted=True)] = None
    receipt: Annotated[str | None, Stored(omitted=True)] = None
    """The digest of what the guest's app tells its arrival by."""
    went_to: Annotated[str | None, Stored(omitted=True)] = None
    """The name by which the address it went to would be suppressed: keyed, so that it tells nobody of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(Record):
    """One thing to tell of one key."""

    schema_version: ClassVar[int] = 1

    id: str
    kind: MessageKind
    tells: str
    """The word of the event's subject that it follows."""
    credential: CredentialId
    reservation: ReservationId
    property_id: PropertyId
    made: Moment
    arrives: Moment
    ends: Moment
    zone: str
    push: Annotated[Way | None, Stored(omitted=True)] = None
    email: Annotated[Way | None, Stored(omitted=True)] = None
    sms: Annotated[Way | None, Stored(omitted=True)] = None
    outcome: Annotated[Outcome | None, Stored(omitted=True)] = None
    due: Annotated[Moment | None, Stored("due_at", omitted=True)] = None

    INDEXED: ClassVar[tuple[str, ...]] = ("of_stay", "newest")

    def indexed(self) -> dict[str, Json]:
        """Return what the index of a stay's notices reads: the newest first."""
        return {"of_stay": str(self.reservation), "newest": -milliseconds(self.made)}

    @property
    def ways(self) -> Mapping[Channel, Way]:
        """The ways that this notice may take."""
        named = {Channel.EMAIL: self.email, Channel.PUSH: self.push, Channel.SMS: self.sms}
        return {channel: way for channel, way in named.items() if way is not None}

    def on_way(self, channel: Channel, **changes: object) -> Self:
        """Return the notice with something changed on one way."""
        way = replace(self.ways[channel], **changes)  # type: ignore[arg-type]  # fields of the one class
        changed: dict[str, Any] = {channel.value: way}
        return replace(self, **changed)

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return notice_at(self.id)

    @property
    def kept_until(self) -> datetime:
        """When it is forgotten: with the contact that it went to."""
        from shared.ledger.guest_contacts import KEPT_AFTER_STAY

        return max(self.ends, self.made) + KEPT_AFTER_STAY


def notice_at(identity: str) -> Ref:
    """Return where a notice is kept."""
    return Ref(NOTICES, identity)


def notice_from(found: Document) -> Notice:
    """Read a notice."""
    return read_record(Notice, found)
