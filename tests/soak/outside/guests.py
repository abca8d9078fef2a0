"""Guests who come and go while time passes, and what their bookings say of each at any moment."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.soak.outside.bookings import BOOKING, ROOMS, text
from tests.soak.outside.house import FRONT, LOCKS

MINUTE = timedelta(minutes=1)
AHEAD, CLEANED = timedelta(minutes=60), 5 * MINUTE
CHAPTERS = (
    "left",
    "left",
    "gone",
    "early",
    "cancelled",
    "extended",
    "extended",
    "shortened",
    "moved",
    "moved",
)


@dataclass
class Guest:
    """One stay, as it was told by now; `since` is when something of it was told last."""

    number: int
    room: str
    start: datetime
    end: datetime
    versions: bool
    chapter: str
    chapter_at: datetime
    since: datetime | None = None
    off: bool = False
    told: list = field(default_factory=list)

    @property
    def id(self):
        """How the producer names it."""
        return f"rsv_{self.number}"

    @property
    def locks(self):
        """What the guest may open."""
        return FRONT, LOCKS[self.room]

    def is_in(self, now):
        """Say whether the bookings let the guest in now."""
        return self.since is not None and not self.off and self.start <= now < self.end


class Desk:
    """Whoever books, changes and calls off; `whose` says by its times whose a code at a door is."""

    def __init__(self, chance, now):
        self.chance, self.guests, self.said, self.whose = chance, [], 0, {}
        self._free = dict.fromkeys(ROOMS, now)

    def events(self, now):
        """Return what is to be told now, each with its guest."""
        for room in ROOMS:
            if self._free[room] - AHEAD <= now:
                self._book(room, now)
        told = []
        for guest in self.guests:
            if guest.since is None:
                told.append((guest, self._confirmed(guest, now)))
            elif guest.chapter and now >= guest.chapter_at:
                event = getattr(self, f"_{guest.chapter}")(guest, now)
                guest.chapter = ""
                told += [] if event is None else [(guest, event)]
        return told

    def _book(self, room, now):
        start = max(self._free[room], now).replace(second=0, microsecond=0) + self._minutes(1, 20)
        end = start + self._minutes(35, 110)
        while self._window(start, end) in self.whose:
            end += MINUTE
        chapter, within = self.chance.choice(CHAPTERS), (end - start) / MINUTE
        before = -15 if chapter in ("cancelled", "moved") else 5
        at = end if chapter == "left" else start + self._minutes(before, int(within) - 10)
        self.guests.append(Guest(len(self.guests), room, start, end, self.chance.random() < 0.5, chapter, at))
        self._free[room] = end + CLEANED

    def _minutes(self, least, most):
        return self.chance.randrange(least, most + 1) * MINUTE

    def _confirmed(self, guest, now):
        self._note(guest)
        window = {"validFrom": text(guest.start), "validUntil": text(guest.end)}
        more = {
            "propertyId": "ppt_kabul",
            "guest": {"id": f"gst_{guest.number}"},
            "rooms": [f"rmu_{guest.room}"],
        }
        return self._event(guest, "confirmed", now, **more, **window)

    def _gone(self, guest, now):
        """Leave without a word."""

    def _left(self, guest, now):
        return self._off(guest, "checked_out", now)

    def _early(self, guest, now):
        return self._off(guest, "early_checkout", now)

    def _cancelled(self, guest, now):
        return self._off(guest, "cancelled", now)

    def _off(self, guest, subject, now):
        guest.off = True
        return self._event(guest, subject, now)

    def _extended(self, guest, now):
        if now >= guest.end or self._free[guest.room] != guest.end + CLEANED:
            return None  # somebody comes after
        guest.end += self._minutes(20, 50)
        self._free[guest.room] = guest.end + CLEANED
        return self._dated(guest, now)

    def _shortened(self, guest, now):
        sooner = now.replace(second=0, microsecond=0) + 10 * MINUTE
        if sooner >= guest.end or sooner <= guest.start:
            return None
        guest.end = sooner
        return self._dated(guest, now)

    def _dated(self, guest, now):
        while self.whose.get(self._window(guest.start, guest.end), guest) is not guest:
            guest.end -= MINUTE
        self._note(guest)
        return self._event(guest, "dates_changed", now, validUntil=text(guest.end))

    def _moved(self, guest, now):
        free = [room for room in ROOMS if self._free[room] <= min(now, guest.start)]
        if now >= guest.end or not free:
            return None
        guest.room = self.chance.choice(free)
        self._free[guest.room] = guest.end + CLEANED
        return self._confirmed(guest, now)

    def _note(self, guest):
        self.whose[self._window(guest.start, guest.end)] = guest

    @staticmethod
    def _window(start, end):
        return int(start.timestamp() * 1000), int(end.timestamp() * 1000)

    def _event(self, guest, subject, now, /, **data):
        self.said += 1
        version = {"version": len(guest.told) + 1} if guest.versions else {}
        event = {
            "specVersion": "1.0",
            "id": f"evt_{self.said}",
            "subject": f"{BOOKING}.{subject}.v1",
            "time": text(now),
            "tenantId": "tnt_silk",
            "data": {"reservationId": guest.id, **version, **data},
        }
        guest.told.append(event)
        return event
