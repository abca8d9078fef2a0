"""What reservation-service tells us (B §3 gives the names; the fields are our consumer contract)."""

from typing import Annotated, Any, Self

from pydantic import AliasChoices, AliasPath, Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

from shared.events.wire import (
    Count,
    ForeignInstant,
    GuestId,
    Maybe,
    PropertyId,
    Received,
    ReservationId,
    Rooms,
    TenantId,
    in_order,
)


def _said(*spellings: str | AliasPath) -> Any:
    return Field(validation_alias=AliasChoices(*spellings))


# validFrom/validUntil as in B's own payloads; hotel systems also say checkIn/checkOut, or nest the window.
_STARTS = ("validFrom", "checkIn", AliasPath("window", "validFrom"), AliasPath("window", "from"))
_ENDS = ("validUntil", "checkOut", AliasPath("window", "validUntil"), AliasPath("window", "to"))


class Booking(Received):
    """What every booking event has: which stay it is about, and how new it is."""

    reservation_id: ReservationId
    tenant_id: Maybe[TenantId] = None
    property_id: Maybe[PropertyId] = None
    version: Maybe[Count] = None


class Contact(Received):
    """Where a guest can be reached; masked in every repr."""

    email: Maybe[SecretStr] = None
    phone_e164: Annotated[Maybe[SecretStr], Field(alias="phoneE164")] = None


class Guest(Received):
    """Who is coming; only the id is needed."""

    id: GuestId
    display_name: Maybe[SecretStr] = None
    contact: Maybe[Contact] = None
    locale: Maybe[str] = None


class WantedScope(Received):
    """What the stay includes besides its rooms; words we do not know are judged later, not here."""

    floors: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()


class BookingConfirmedV1(Booking):
    """A stay is certain: it gets keys. Also a reinstatement, when its version is higher."""

    property_id: PropertyId
    guest: Guest
    rooms: Rooms
    valid_from: Annotated[ForeignInstant, _said(*_STARTS)]
    valid_until: Annotated[ForeignInstant, _said(*_ENDS)]
    payment_status: Maybe[str] = None
    party_size: Maybe[Count] = None
    preferred_kinds: tuple[str, ...] = ()
    scope: Maybe[WantedScope] = None

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> Self:
        in_order(self.valid_from, self.valid_until)
        return self


class BookingCancelledV1(Booking):
    """A stay is off."""


class BookingCheckedInV1(Booking):
    """A guest arrived; C §15 tells it, and B does not: our extension."""


class BookingCheckedOutV1(Booking):
    """A guest left."""


class BookingEarlyCheckoutV1(Booking):
    """A guest left before the stay's end."""


class BookingDatesChangedV1(Booking):
    """A stay got longer, shorter or moved to other rooms."""

    valid_from: Annotated[Maybe[ForeignInstant], _said(*_STARTS)] = None
    valid_until: Annotated[Maybe[ForeignInstant], _said(*_ENDS)] = None
    rooms: Maybe[Rooms] = None

    @model_validator(mode="after")
    def _says_what_changed(self) -> Self:
        in_order(self.valid_from, self.valid_until)
        if self.valid_from is None and self.valid_until is None and self.rooms is None:
            raise PydanticCustomError("no_change", "neither validFrom, validUntil nor rooms is given")
        return self


class BookingNoShowV1(Booking):
    """Nobody came."""


class BookingFraudFlaggedV1(Booking):
    """Somebody doubts the booking."""
