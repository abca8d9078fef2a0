"""What happens to the guests of one schedule: bookings, and what becomes of them, told in any order."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import Random

import orjson

from shared.events.catalogue import lookup
from shared.ports.bus import Message

ROOMS = ("rmu_101", "rmu_102", "rmu_203", "rmu_204")
GUEST = "Canary Q. Guestname"
BOOKING = "melmastoon.reservation.booking"
ENDINGS = ("cancelled", "checked_out", "early_checkout")
LIVES = (
    ("confirmed",),
    ("confirmed",),
    ("confirmed", "confirmed"),
    ("confirmed", "ended"),
    ("confirmed", "ended"),
    ("confirmed", "ended"),
    ("confirmed", "ended"),
    ("confirmed", "ended", "confirmed"),
    ("confirmed", "ended", "confirmed"),
    ("confirmed", "ended", "confirmed", "ended"),
    ("confirmed", "changed"),
    ("confirmed", "changed", "changed"),
    ("confirmed", "changed", "ended"),
)
"""A stay that is changed is confirmed anew, for another guest and perhaps other rooms."""
OCCASIONS = ("vendor-late", "vendor-late", "vendor-unheard", "vendor-5xx", "hung-up", "started-twice")
SPANS = (0.3, 1.0, 3.0, 15.0, 60.0, 400.0)
"""Within how many seconds everything is told of one stay: a key takes about one to be made."""


@dataclass(frozen=True, slots=True)
class Told:
    """One event as its producer publishes it: once or more often, and not before an occasion."""

    subject: str
    event_id: str
    reservation: str
    version: int
    at: tuple[float, ...]
    after: int | str
    message: Message = field(repr=False)

    @property
    def confirms(self):
        return self.subject.endswith(".confirmed.v1")


@dataclass(frozen=True, slots=True)
class Stay:
    """One reservation: its guest and rooms in the end, and its events in the order in which they are true."""

    id: str
    guest: str
    rooms: tuple[str, ...]
    start: datetime
    end: datetime
    events: tuple[Told, ...] = ()

    @property
    def truth(self):
        """The event that has the last word."""
        return self.events[-1]


def drawn_stays(chance: Random, now: datetime, storm: float) -> list[Stay]:
    """Draw the stays of one schedule."""
    return [_stay(chance, number, now, storm) for number in range(1, chance.choice((1, 1, 1, 2)) + 1)]


def _stay(chance, number, now, storm):
    rooms = _rooms(chance)
    start = now + timedelta(hours=chance.randrange(-5, 30))
    end = now + timedelta(days=chance.randrange(2, 5))
    life, span = chance.choice(LIVES), min(storm, chance.choice(SPANS))
    moments = [chance.uniform(0, span) for _ in life]
    if chance.random() < 0.75:  # else the bus brings later news first
        moments.sort()
    stay = Stay(f"rsv_{number}", f"gst_{number}", rooms, start, end)
    # Only a higher version says for sure that a stay which ended is one again.
    reopened = "confirmed" in life[1:]
    for version, (kind, moment) in enumerate(zip(life, moments, strict=True), start=1):
        if kind == "changed":
            moved = chance.choice((stay.rooms, _rooms(chance)))
            stay = replace(stay, guest=f"gst_{number}_{version}", rooms=moved)
        told = _told(chance, stay, kind, version, moment, now, numbered=reopened or chance.random() < 0.7)
        stay = replace(stay, events=(*stay.events, told))
    return stay


def _rooms(chance):
    return tuple(sorted(chance.sample(ROOMS, chance.choice((1, 1, 2)))))


def _occasion(chance):
    """Draw when to tell it: at its moment, after so many port calls, or when another thing goes wrong.

    A moment hits a line that takes no time only by accident; a number of lines hits it as easily as others.
    """
    return chance.choice((0, int(300 ** chance.random()), chance.choice(OCCASIONS)))


def _told(chance, stay, kind, version, moment, now, *, numbered):
    word = chance.choice(ENDINGS) if kind == "ended" else "confirmed"
    id_, subject = stay.id, f"{BOOKING}.{word}.v1"
    data = {"reservationId": id_, **({"version": version} if numbered else {})}
    if word == "confirmed":
        guest = {"id": stay.guest, "displayName": GUEST, "contact": {"email": "canary@example.org"}}
        window = {"validFrom": stay.start.isoformat(), "validUntil": stay.end.isoformat()}
        if chance.random() < 0.3:
            data["preferredKinds"] = chance.sample(
                ("pin_code", "rfid_card", "mobile_app"), chance.choice((1, 2))
            )
        data |= {"propertyId": "ppt_kabul", "guest": guest, "rooms": list(stay.rooms), **window}
    event_id = f"evt_{id_}_{version}"
    envelope = {
        "specVersion": "1.0",
        "id": event_id,
        "subject": subject,
        "type": subject,
        "time": (now + timedelta(seconds=version)).isoformat(),
        "tenantId": "tnt_silk",
        "schemaUrl": lookup(subject).schema_url,
        "data": data,
    }
    again = (moment + chance.uniform(0, 60),) if chance.random() < 0.2 else ()
    message = Message(orjson.dumps(envelope), {"tenantId": "tnt_silk"}, id_)
    after = _occasion(chance) if version > 1 else 0
    return Told(subject, event_id, id_, version, (moment, *again), after, message)
