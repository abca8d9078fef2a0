"""What happens to the guests of one schedule: bookings, and what becomes of them, told in any order."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from random import Random

import orjson

from infra.local.simulation.loop import BEGINNING
from shared.events.catalogue import lookup
from shared.ports.bus import Message

ROOMS = ("rmu_101", "rmu_102", "rmu_203", "rmu_204")
GUEST = "Canary Q. Guestname"
BOOKING = "melmastoon.reservation.booking"
NO_TIME = timedelta(0)
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
    ("confirmed", "changed", "changed", "changed"),
    ("confirmed", "changed", "ended"),
    ("confirmed", "changed", "ended", "changed"),
    ("confirmed", "extended"),
    ("confirmed", "extended", "changed"),
    ("confirmed", "extended", "ended"),
    ("confirmed", "moved"),
    ("confirmed", "moved"),
    ("confirmed", "moved", "moved"),
    ("confirmed", "moved", "ended"),
    ("confirmed", "changed", "moved"),
    ("confirmed", "held"),
    ("confirmed", "held", "freed"),
    ("confirmed", "held", "freed"),
    ("confirmed", "held", "ended"),
    ("confirmed", "held", "moved", "freed"),
    ("confirmed", "moved", "held", "freed"),
    ("confirmed", "missed"),
    ("confirmed", "missed", "came"),
    ("confirmed", "missed", "came"),
    ("confirmed", "missed", "moved"),
    ("confirmed", "missed", "changed"),
    ("confirmed", "missed", "ended"),
    ("confirmed", "came", "missed"),
    ("confirmed", "held", "missed", "freed", "came"),
    ("confirmed", "lost"),
    ("confirmed", "lost"),
    ("confirmed", "lost", "moved"),
    ("confirmed", "moved", "lost"),
    ("confirmed", "lost", "ended"),
    ("confirmed", "held", "lost", "freed"),
)
"""A stay that is changed is confirmed anew: perhaps for another guest, with other rooms or at other times.

One that is extended still includes all that it was. One that is moved is for the same guest at other times
or in other rooms; one that is held rests until somebody frees it. One whose guest was missed rests until
something newer speaks for the guest; of one whose key was lost somebody has the key replaced.
"""
NEXT_STAYS = 0.3
NEXT_LIVES = (
    ("confirmed",),
    ("confirmed",),
    ("confirmed", "confirmed"),
    ("confirmed", "ended"),
    ("confirmed", "ended", "confirmed"),
    ("confirmed", "extended"),
    ("confirmed", "moved"),
    ("confirmed", "changed"),
    ("confirmed", "held"),
    ("confirmed", "held", "freed"),
    ("confirmed", "missed", "came"),
    ("confirmed", "lost"),
)
"""What becomes of a stay right after another of the same guest's."""
WORDS = {"moved": "dates_changed", "held": "fraud_flagged", "missed": "no_show", "came": "checked_in"}
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
    stay: "Stay"
    """The stay as it is by then."""

    @property
    def confirms(self):
        """Say whether the stay goes on by this."""
        return not self.subject.endswith(tuple(f".{word}.v1" for word in ENDINGS))


@dataclass(frozen=True, slots=True)
class Stay:
    """One reservation: its guest and rooms in the end, and its events in the order in which they are true."""

    id: str
    guest: str
    rooms: tuple[str, ...]
    start: datetime
    end: datetime
    events: tuple[Told, ...] = ()
    held: bool = False
    missed: bool = False
    """Whether the newest word is that nobody came."""
    freed_at: float | None = None
    """When somebody begins to want it free."""
    lost_at: float | None = None
    """When somebody begins to want its key replaced."""

    @property
    def rests(self):
        """Whether its keys are to rest in the end."""
        return self.held or self.missed

    @property
    def truth(self):
        """The event that has the last word."""
        return self.events[-1]

    def includes(self, core) -> bool:
        """Say whether whatever a key may open, from the beginning of the schedule on, is part of the stay."""
        whose = (core.holder.guest_id, core.holder.reservation_id) == (self.guest, self.id)
        within = self.start <= max(core.window.start, BEGINNING) and core.window.end <= self.end
        return whose and within and set(core.rooms) <= set(self.rooms)


def drawn_stays(chance: Random, now: datetime, storm: float) -> list[Stay]:
    """Draw the stays of one schedule."""
    return [_stay(chance, number, now, storm) for number in range(1, chance.choice((1, 1, 2, 3)) + 1)]


def drawn_next(seed: int, stays: list[Stay], now: datetime, storm: float) -> list[Stay]:
    """Draw for some guest the stay after theirs, in the same room, by its own chance; return all stays."""
    chance = Random(f"the next stay of {seed}")
    if chance.random() >= NEXT_STAYS:
        return stays
    before = chance.choice(stays)
    first = chance.choice((before, before.events[0].stay))
    start = first.end + chance.choice((NO_TIME, NO_TIME, timedelta(hours=4)))
    end = start + timedelta(days=chance.randrange(1, 4))
    life, began = chance.choice(NEXT_LIVES), chance.choice((0.0, 10.0, storm, 2 * storm))
    moments = sorted(began + chance.uniform(0, min(storm, chance.choice(SPANS))) for _ in life)
    bare = Stay(f"rsv_{len(stays) + 1}", first.guest, first.rooms, start, end)
    stay, ended = _lived(chance, bare, life, moments, now), before
    if before.truth.confirms and chance.random() < 0.5:
        later, version = moments[-1] + chance.uniform(0, 30), before.truth.version + 1
        told = _told(chance, before, "ended", version, later, now, numbered=True)
        ended = replace(before, events=(*before.events, told))
    return [*(ended if each is before else each for each in stays), stay]


def _stay(chance, number, now, storm):
    rooms = _rooms(chance)
    start = now + timedelta(hours=chance.randrange(-5, 30))
    end = now + timedelta(days=chance.randrange(2, 5))
    life, span = chance.choice(LIVES), min(storm, chance.choice(SPANS))
    moments = [chance.uniform(0, span) for _ in life]
    if chance.random() < 0.75:  # else the bus brings later news first
        moments.sort()
    return _lived(chance, Stay(f"rsv_{number}", f"gst_{number}", rooms, start, end), life, moments, now)


def _lived(chance, stay, life, moments, now):
    # Only a higher version says for sure that a stay which ended is one again.
    reopened = "ended" in life[:-1]
    for version, (kind, moment) in enumerate(zip(life, moments, strict=True), start=1):
        if kind == "changed":
            stay = _changed(chance, stay, version, now)
        if kind == "extended":
            stay = _extended(chance, stay)
        if kind == "moved":
            stay = _moved(chance, stay, now)
        if kind == "freed":
            stay = replace(stay, held=False, freed_at=moment)
            continue
        if kind == "lost":
            stay = replace(stay, lost_at=moment)
            continue
        missed = kind == "missed" or (stay.missed and kind == "held")
        stay = replace(stay, held=stay.held or kind == "held", missed=missed)
        told = _told(chance, stay, kind, version, moment, now, numbered=reopened or chance.random() < 0.7)
        stay = replace(stay, events=(*stay.events, told))
    return stay


def _changed(chance, stay, version, now):
    """Draw another guest or the same, other rooms or the same, and perhaps other times."""
    guest = chance.choice((stay.guest, f"gst_{stay.id}_{version}"))
    rooms = chance.choice((stay.rooms, _rooms(chance)))
    start = chance.choice((stay.start, stay.start, stay.start - timedelta(hours=3)))
    end = stay.end + chance.choice((NO_TIME, timedelta(days=1), timedelta(hours=-20)))
    if end <= max(start + timedelta(hours=4), now + timedelta(hours=3)):
        end = stay.end  # no stay is over before its schedule
    return replace(stay, guest=guest, rooms=rooms, start=start, end=end)


def _moved(chance, stay, now):
    """Draw other rooms or another end for the same guest."""
    rooms = chance.choice((stay.rooms, _rooms(chance), _rooms(chance)))
    end = stay.end + chance.choice((timedelta(days=1), timedelta(days=2), timedelta(hours=-20)))
    soonest = max(now + timedelta(hours=9), stay.start + timedelta(hours=4))
    return replace(stay, rooms=rooms, end=stay.end if end <= soonest else end)


def _extended(chance, stay):
    """Draw a night more, or a room more as well."""
    others = [room for room in ROOMS if room not in stay.rooms]
    more = chance.choice(([], others[:1]))
    return replace(stay, rooms=(*stay.rooms, *more), end=stay.end + timedelta(days=1))


def _rooms(chance):
    return tuple(sorted(chance.sample(ROOMS, chance.choice((1, 1, 2)))))


def _occasion(chance):
    """Draw when to tell it: at its moment, after so many port calls, or when another thing goes wrong.

    A moment hits a line that takes no time only by accident; a number of lines hits it as easily as others.
    """
    return chance.choice((0, int(300 ** chance.random()), chance.choice(OCCASIONS)))


def _told(chance, stay, kind, version, moment, now, *, numbered):
    word = {"ended": chance.choice(ENDINGS), **WORDS}.get(kind, "confirmed")
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
    if word == "dates_changed":
        data |= {"rooms": list(stay.rooms), "validUntil": stay.end.isoformat()}
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
    return Told(subject, event_id, id_, version, (moment, *again), after, message, stay)
