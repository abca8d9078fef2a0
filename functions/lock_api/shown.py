"""What the API shows of keys and stays: ids, states and times, and never what opens a door."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, PlainSerializer, PlainValidator, WithJsonSchema

from shared.events.wire import (
    INSTANT_PATTERN,
    DeviceId,
    Flag,
    GuestId,
    KeyKind,
    Maybe,
    PropertyId,
    Published,
    ReservationId,
    RoomId,
    SuspendReason,
    UserId,
    VendorCode,
    WarningCode,
    read_foreign_instant,
    write_instant,
)
from shared.queries.pages import Place

KeyId = Annotated[str, Field(pattern="^(key|prov_keycred)_[0-7][0-9A-HJKMNP-TV-Z]{25}$")]
GrantOrFindingId = Annotated[str, Field(pattern="^(grt|fnd)_[0-7][0-9A-HJKMNP-TV-Z]{25}$")]
KeyState = Literal["requested", "pending", "active", "suspended", "revoked", "failed"]
Text = Annotated[str, Field(max_length=2000)]
At = Annotated[
    datetime,
    PlainValidator(read_foreign_instant),
    PlainSerializer(write_instant, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time", "pattern": INSTANT_PATTERN}),
]
"""An instant that we kept, however fine, as it is shown: to the millisecond, in UTC."""
M = TypeVar("M", bound=Published)


class Window(Published):
    """From when until when, and by which clock on the hotel's wall."""

    begins: Annotated[At, Field(alias="from")]
    until: At
    zone: str


class Change(Published):
    """What a key becomes once its locks have followed."""

    rooms: tuple[RoomId, ...]
    window: Window


class NextStay(Published):
    """The stay of the same guest that a key is for after the one that it is of, and when that is."""

    reservation: ReservationId
    window: Window


class Work(Published):
    """The work on a key: to make it, or to bring its locks to what they are wished to be."""

    kind: Literal["issue", "settle"]
    generation: int
    execution: Maybe[str] = None
    tries: int


class Credential(Published):
    """A key, but for how it stands at each lock."""

    id: KeyId
    property: PropertyId
    reservation: Maybe[ReservationId] = None
    staff: Maybe[UserId] = None
    rooms: tuple[RoomId, ...]
    vendor: VendorCode
    kind: KeyKind
    state: KeyState
    reason: Maybe[str] = None
    window: Window
    effective: Maybe[Window] = None
    """What its locks enforce, where they round."""
    then: Maybe[NextStay] = None
    """Another stay of its guest that has it too: it opens over the turn of both, with the same PIN."""
    becomes: Maybe[Change] = None
    saga: Work
    due_at: Maybe[At] = None
    attempts: int
    warnings: tuple[WarningCode, ...]


class AtLock(Published):
    """A key at one lock: how it stands there, and until when it may open."""

    id: GrantOrFindingId
    device: DeviceId
    label: Maybe[str] = None
    vendor: VendorCode
    kind: KeyKind
    vendor_name: str
    state: Literal["intended", "placed", "resting", "removing", "removed", "residual"]
    detail: Maybe[str] = None
    changed_at: At
    exposure_until: Maybe[At] = None


class CredentialWhole(Credential):
    """A key, and how it stands at each of its locks."""

    grants: tuple[AtLock, ...]


class StayKey(Published):
    """One of a stay's keys."""

    id: KeyId
    state: KeyState
    reservation: Maybe[ReservationId] = None
    """Whose it is now: of two stays with one key, the stay that goes on."""
    then: Maybe[NextStay] = None


class Heard(Published):
    """An event about a stay, and what was made of it."""

    event: str
    subject: str
    version: Maybe[int] = None
    dated: At
    heard_at: Maybe[At] = None
    outcome: Literal["applied", "ignored", "refused"]
    because: Maybe[str] = None


class Stay(Published):
    """A stay as it is by all that was heard of it, and its keys."""

    reservation: ReservationId
    property: Maybe[PropertyId] = None
    zone: Maybe[str] = None
    status: Literal["awaited", "confirmed", "cancelled", "checked_out"]
    refused: Flag
    holds: tuple[SuspendReason, ...]
    guest: Maybe[GuestId] = None
    rooms: tuple[RoomId, ...]
    begins: Annotated[Maybe[At], Field(alias="from")] = None
    until: Maybe[At] = None
    keys: tuple[StayKey, ...]
    heard: tuple[Heard, ...]


class Happened(Published):
    """One thing that happened."""

    at: str
    source: str
    kind: str
    about: str
    what: Text


class Timeline(Published):
    """All that happened to a stay or a key, in order."""

    id: str
    zone: Maybe[str] = None
    credentials: tuple[KeyId, ...]
    timeline: tuple[Happened, ...]


class Paged(Published):
    """Which part of a list is wanted."""

    cursor: Annotated[Maybe[str], Field(max_length=400)] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50

    @property
    def place(self) -> Place:
        """Where the page begins."""
        return Place(self.cursor, self.limit)


def shown(model: type[M], told: Mapping[str, Any]) -> M:
    """Return what a model shows of something; what it has no field for, it does not show."""
    picked = ((name, told.get(called)) for name, called in _fields_of(model))
    return model.model_validate({name: value for name, value in picked if value is not None})


@cache
def _fields_of(model: type[Published]) -> tuple[tuple[str, str], ...]:
    """Return a model's fields, and what each is called where it is told."""
    return tuple((name, _TOLD_AS.get(name, name)) for name in model.model_fields)


_TOLD_AS = {"begins": "from"}
