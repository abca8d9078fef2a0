"""`keyfleet trigger stay.booked|…`: a stay at the sample hotel, played by one valid event after the other."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer
from infra.cli.control import ControlPlane
from infra.cli.outcome import PATIENCE_SECONDS, Wait
from infra.cli.problems import Refused, not_found
from infra.cli.publishing import sent

BOOKING: Final = "melmastoon.reservation.booking"
A_NIGHT: Final = timedelta(days=1)
UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}
_STEP: Final = re.compile(r"([+-])([0-9]{1,5})([mhd])")
Json = Mapping[str, Any]
What = Annotated[
    str,
    typer.Argument(
        help="stay.booked, stay.extended, stay.shortened, stay.moved, stay.cancelled, stay.checked_in, "
        "stay.checked_out, stay.early_checkout, stay.no_show or stay.fraud_flagged."
    ),
]
Room = Annotated[str | None, typer.Option(help="A room of the sample hotel, such as 101; where it moves to.")]
From = Annotated[
    str | None, typer.Option("--from", help="When it begins: a time in UTC, or from now, such as -1h or +2d.")
]
Until = Annotated[str | None, typer.Option(help="When it ends: a time in UTC, or from now, such as +3d.")]
Which = Annotated[
    str | None, typer.Option("--reservation", help="The booking. Else a new one, or the newest there is.")
]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the stay shall be like, as far as that was said, and what time it is at the fleet."""

    now: datetime
    room: str | None
    start: str | None
    end: str | None

    def window(self, start: datetime | None, end: datetime | None) -> dict[str, str]:
        """Return from when until when, where nothing was said as given."""
        said = {
            "validFrom": instant(self.start, self.now, "--from") or start,
            "validUntil": instant(self.end, self.now, "--until") or end,
        }
        return {name: f"{at:%Y-%m-%dT%H:%M:%SZ}" for name, at in said.items() if at is not None}


def trigger(
    at: FleetAddress,
    what: What,
    room: Room = None,
    from_: From = None,
    until: Until = None,
    reservation: Which = None,
) -> Answer:
    """Play a part of a stay at the sample hotel, and tell what came of it; exit status as publish --wait."""
    if what not in STAYS:
        raise not_found("such thing to trigger:", [what], f"name one of {', '.join(STAYS)}")
    control, (verb, composed) = ControlPlane(at), STAYS[what]
    asked = Asked(datetime.fromisoformat(control.get("clock")["now"]), room, from_, until)
    stay = Stay.booked_at(control, what, reservation, asked.now)
    data = {"reservationId": stay.reservation, "propertyId": stay.place, **composed(asked, stay)}
    request = {"subject": f"{BOOKING}.{verb}.v1", "tenant": stay.tenant, "data": data}
    return sent(at, request, Wait(PATIENCE_SECONDS))


@dataclass(frozen=True, slots=True)
class Stay:
    """A booking of the sample hotel: a new one, or one that its ledger knows."""

    tenant: str
    place: str
    rooms: Mapping[str, str]
    reservation: str
    booked: Json

    @classmethod
    def booked_at(cls, control: ControlPlane, what: str, reservation: str | None, now: datetime) -> "Stay":
        """Return the booking that is meant: where none is named, a new one to book, else the newest."""
        from infra.local.sample.load import read_sample

        hotel = read_sample()
        tenant, place = hotel.tenant.id, hotel.property.id
        booked: Json = {}
        if what == BOOKED:
            identity = reservation or f"rsv_{now:%y%m%d_%H%M%S_%f}"
        else:
            identity = reservation or _newest(control, tenant, place)
            booked = _booked(control, tenant, identity)
        return cls(tenant, place, {room.label: room.id for room in hotel.rooms}, identity, booked)

    def room(self, label: str) -> str:
        """Return the id of a room by what is written on its door."""
        known = self.rooms.get(label, label)
        if known not in self.rooms.values():
            raise not_found("room of the sample hotel", [label], f"name one of {', '.join(self.rooms)}")
        return known

    def instant(self, name: str) -> datetime | None:
        """Return when the stay begins or ends, if its ledger knows."""
        text = self.booked.get(name)
        return datetime.fromisoformat(text) if isinstance(text, str) else None


def _newest(control: ControlPlane, tenant: str, place: str) -> str:
    found = control.get("credentials", tenant=tenant, property=place, limit=50)["credentials"]
    named = next((key["reservation"] for key in found if key["reservation"]), None)
    if named is None:
        raise Refused("no stay is booked yet", "begin with keyfleet trigger stay.booked")
    return str(named)


def _booked(control: ControlPlane, tenant: str, reservation: str) -> Json:
    found = control.get("documents", tenant, "reservations", reservation)["document"]
    booked: Json = (found or {}).get("stay") or {}
    return booked


def _new_stay(asked: Asked, stay: Stay) -> Json:
    room = stay.room(asked.room or next(iter(stay.rooms)))
    window = asked.window(asked.now - timedelta(minutes=5), asked.now + 2 * A_NIGHT)
    name = stay.reservation.removeprefix("rsv_")
    guest = {"id": f"gst_{name}", "contact": {"email": f"{name}@guest.example"}}
    return {"guest": guest, "rooms": [room], **window}


def _later(asked: Asked, stay: Stay) -> Json:
    return _ends(asked, stay, A_NIGHT)


def _sooner(asked: Asked, stay: Stay) -> Json:
    return _ends(asked, stay, -A_NIGHT)


def _ends(asked: Asked, stay: Stay, by: timedelta) -> Json:
    end = stay.instant("end")
    if end is None and asked.end is None:
        raise Refused(f"nobody knows until when {stay.reservation} is booked", "pass --until")
    return asked.window(None, None if end is None else end + by)


def _elsewhere(asked: Asked, stay: Stay) -> Json:
    if asked.room is None:
        raise Refused("--room is missing", f"name one of {', '.join(stay.rooms)}")
    return {"rooms": [stay.room(asked.room)], **asked.window(None, None)}


def _no_more(_asked: Asked, _stay: Stay) -> Json:
    return {}


BOOKED: Final = "stay.booked"
STAYS: Final[Mapping[str, tuple[str, Callable[[Asked, Stay], Json]]]] = {
    BOOKED: ("confirmed", _new_stay),
    "stay.extended": ("dates_changed", _later),
    "stay.shortened": ("dates_changed", _sooner),
    "stay.moved": ("dates_changed", _elsewhere),
    "stay.cancelled": ("cancelled", _no_more),
    "stay.checked_in": ("checked_in", _no_more),
    "stay.checked_out": ("checked_out", _no_more),
    "stay.early_checkout": ("early_checkout", _no_more),
    "stay.no_show": ("no_show", _no_more),
    "stay.fraud_flagged": ("fraud_flagged", _no_more),
}
"""What may befall a stay: the event that tells it, and what that event says besides whose stay it is."""


def instant(text: str | None, now: datetime, option: str) -> datetime | None:
    """Read a time in UTC, or a distance from now."""
    if text is None:
        return None
    if step := _STEP.fullmatch(text):
        sign, count, unit = step.groups()
        return now + timedelta(**{UNITS[unit]: int(f"{sign}{count}")})
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        remedy = "write it as 2027-05-01T09:30:00Z, or as a distance from now: -1h, +30m, +2d"
        raise Refused(f"{option}: {text[:64]!r} is no time", remedy) from None
    return read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)
