"""The stay as it was booked: who comes, when, into which rooms, and what was changed or planned since."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Self

from shared.domain.core import Guest
from shared.domain.errors import InvalidInput
from shared.domain.ids import GuestId, PropertyId, ReservationId, RoomId
from shared.domain.instants import Moment
from shared.domain.kinds import KeyCredentialKind
from shared.domain.replacing import born_open
from shared.domain.scope import NO_SCOPE, AccessScope
from shared.domain.window import StayWindow


@dataclass(frozen=True, slots=True)
class Recency:
    """How new an event is: by the booking's version where both have one, else by the time."""

    version: int | None
    time: datetime

    def after(self, other: "Recency") -> bool:
        """Say whether this one is the newer of two."""
        if self.version is not None and other.version is not None and self.version != other.version:
            return self.version > other.version
        return self.time > other.time


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """What one event changed of a stay, or several in a row; what is None stays as it was booked."""

    recency: Recency
    rooms: tuple[RoomId, ...] | None = None
    start: datetime | None = None
    end: datetime | None = None

    def beside(self, other: "Amendment | None") -> "Amendment":
        """Return two amendments as one: where both speak of a thing, the newer has it."""
        if other is None:
            return self
        older, newer = (self, other) if other.recency.after(self.recency) else (other, self)
        return Amendment(
            recency=newer.recency,
            rooms=older.rooms if newer.rooms is None else newer.rooms,
            start=newer.start or older.start,
            end=newer.end or older.end,
        )


class Intention(StrEnum):
    """What may be planned for a stay."""

    HOLD_FOR_NO_SHOW = "hold_for_no_show"
    RELEASE_FROM_NO_SHOW = "release_from_no_show"


@dataclass(frozen=True, slots=True)
class Planned:
    """What is to be done to a stay at its time, unless it is dropped before; and by which event."""

    at: Moment
    what: Intention
    event_id: str


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """What was booked, in our own words."""

    property_id: PropertyId
    guest_id: GuestId
    rooms: tuple[RoomId, ...]
    start: datetime
    end: datetime
    wished: tuple[KeyCredentialKind, ...] = ()
    scope: AccessScope = NO_SCOPE
    payment: str | None = None
    party: int | None = None
    locale: str | None = None

    def changed(self, amendment: Amendment) -> Self:
        """Return the stay with other rooms or times; one that would end before it begins is refused."""
        start, end = amendment.start or self.start, amendment.end or self.end
        if end <= start:
            raise InvalidInput(
                "data.validUntil", "not after validFrom", "Correct the dates, then replay the message"
            )
        rooms = self.rooms if amendment.rooms is None else amendment.rooms
        return replace(self, rooms=rooms, start=start, end=end)

    @property
    def opens(self) -> tuple[PropertyId, GuestId, frozenset[RoomId], datetime, datetime]:
        """What its keys are of: whose they are, where and when they open."""
        return self.property_id, self.guest_id, frozenset(self.rooms), self.start, self.end

    def includes(self, other: "Stay", now: datetime) -> bool:
        """Say whether whatever keys of another stay may still open is part of this one."""
        same = (other.property_id, other.guest_id) == (self.property_id, self.guest_id)
        return same and self.covers(other.rooms, other, now)

    def covers(self, rooms: Sequence[RoomId], when: "StayWindow | Stay", now: datetime) -> bool:
        """Say whether rooms and what is left of a time are part of this stay."""
        begun = self.start <= max(when.start, now)
        return begun and now < when.end <= self.end and set(rooms) <= set(self.rooms)

    def held_by(self, reservation: ReservationId) -> Guest:
        """Return who holds the keys of the stay."""
        return Guest(self.guest_id, reservation)

    def window(self, zone: str) -> StayWindow:
        """Return when the stay is, by the clock on the hotel's wall."""
        return StayWindow(self.start, self.end, zone)
