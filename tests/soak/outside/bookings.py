"""Bookings as a producer tells them, and what an oracle knows that knows nothing else.

Each stay has a window of its own, to the minute, so that a code at a door says by its times whose it is. No
two stays of a room overlap.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

ROOMS = ("101", "102", "203", "204")
SLOT, STAY = timedelta(hours=3), timedelta(hours=2)
BOOKING = "melmastoon.reservation.booking"


def text(at):
    """Return an instant as producers write it."""
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


@dataclass
class Stay:
    """One stay: what was told of it, and what it is by that; `room` is None once it is over."""

    number: int
    room: str | None
    start: datetime
    end: datetime
    versions: bool
    told: list = field(default_factory=list)

    @property
    def id(self):
        """How the producer names it."""
        return f"rsv_{self.number}"

    @property
    def window(self):
        """From when until when, in the milliseconds of the locks."""
        return int(self.start.timestamp() * 1000), int(self.end.timestamp() * 1000)


class Producer:
    """Makes up stays and tells of them: confirmed, changed, called off, confirmed anew, refused."""

    def __init__(self, chance, now):
        self.chance, self.stays, self.said, self.whose = chance, [], 0, {}
        self._base = now.replace(second=0, microsecond=0, tzinfo=UTC) + timedelta(hours=1)
        self._slots = dict.fromkeys(ROOMS, 0)

    def booked(self, count, now):
        """Make up so many stays, and return their events, each stay's in the order in which they happened."""
        return [self._story(now) for _ in range(count)]

    def ended(self, stays, now):
        """Let stays end that are yet to be, and return their events."""
        return [[self._off(stay, now)] for stay in stays]

    def _story(self, now):
        room = self.chance.choice(ROOMS)
        start, end = self._slot(room)
        stay = Stay(len(self.stays), room, start, end, versions=self.chance.random() < 0.75)
        self.stays.append(stay)
        chapters = self.chance.choice(CHAPTERS)
        return [self._confirmed(stay, now), *(getattr(self, each)(stay, now) for each in chapters)]

    def _slot(self, room):
        """Return a window that no other stay has: each room's begin at minutes of their own."""
        at = self._base + self._slots[room] * SLOT + timedelta(minutes=13 * ROOMS.index(room))
        self._slots[room] += 1
        return at, at + STAY + timedelta(minutes=ROOMS.index(room))

    def _confirmed(self, stay, now):
        self.whose[stay.window] = stay.id
        return self._event(
            stay,
            "confirmed",
            now,
            propertyId="ppt_kabul",
            guest={"id": f"gst_{stay.number}"},
            rooms=[f"rmu_{stay.room}"],
            validFrom=text(stay.start),
            validUntil=text(stay.end),
        )

    def _moved(self, stay, now):
        stay.room = self.chance.choice([room for room in ROOMS if room != stay.room])
        stay.start, stay.end = self._slot(stay.room)
        return self._confirmed(stay, now)

    def _shortened(self, stay, now):
        stay.end -= timedelta(minutes=30)
        self.whose[stay.window] = stay.id
        return self._event(stay, "dates_changed", now, validUntil=text(stay.end))

    def _off(self, stay, now):
        stay.room = None
        return self._event(stay, self.chance.choice(["cancelled", "checked_out", "early_checkout"]), now)

    def _again(self, stay, now):
        stay.room = self.chance.choice(ROOMS)
        stay.start, stay.end = self._slot(stay.room)
        return self._confirmed(stay, now)

    def _refused(self, stay, now):
        """Move a stay into a room that has no lock: it can have no key, and the one it has is ended."""
        stay.room = "999"
        event = self._confirmed(stay, now)
        stay.room = None
        return event

    def _event(self, stay, subject, now, **data):
        self.said += 1
        version = {"version": len(stay.told) + 1} if stay.versions else {}
        event = {
            "specVersion": "1.0",
            "id": f"evt_{self.said}",
            "subject": f"{BOOKING}.{subject}.v1",
            "time": text(now + timedelta(milliseconds=5 * self.said % 60_000)),
            "tenantId": "tnt_silk",
            "data": {"reservationId": stay.id, **version, **data},
        }
        stay.told.append(event)
        return event


CHAPTERS = (
    (),
    (),
    (),
    ("_off",),
    ("_off",),
    ("_moved",),
    ("_shortened",),
    ("_moved", "_off"),
    ("_off", "_again"),
    ("_off", "_again", "_off"),
    ("_refused",),
)
