"""Who works in the hotel of one schedule, told in any order; and whether the hotel closes in it."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random

import orjson

from shared.domain.grant_lifecycle import Placed
from shared.ports.bus import Message
from tests.chaos.small_world.stays import SPANS, Told

SHIFT, FIRED = "melmastoon.staff.shift", "melmastoon.iam.user.deactivated.v1"
CLOSED = "melmastoon.tenant.property.deactivated.v1"
LIVES = (
    ("started",),
    ("started", "ended"),
    ("started", "ended"),
    ("started", "fired"),
    ("started", "widened"),
    ("started", "widened", "ended"),
    ("started", "widened", "fired"),
)
ROOMS = {"started": {"rmu_101", "rmu_102"}, "widened": {"rmu_101", "rmu_102", "rmu_203", "rmu_204"}}
SCOPES = {"started": ["floor:1"], "widened": ["rooms:all"]}
HOW_OFTEN, CLOSES = 0.3, 0.06


@dataclass(frozen=True, slots=True)
class Shift:
    """One person's shift: what they are to open in the end, and its events as they are true."""

    staff: str
    rooms: frozenset[str]
    over: bool
    events: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class Household:
    """All who work in a schedule, and how it is told that the hotel closes, if it does."""

    shifts: tuple[Shift, ...] = ()
    closing: Told | None = None

    @property
    def events(self):
        """All that is told of them."""
        told = [event for shift in self.shifts for event in shift.events]
        return [*told, *([self.closing] if self.closing else [])]


def drawn_household(seed: int, now: datetime, storm: float, *, may_close: bool) -> Household:
    """Draw who works there: from luck of its own, so that a seed's stays are those it always had."""
    chance = Random(f"staff {seed}")
    shifts = [_shift(chance, now, storm)] if chance.random() < HOW_OFTEN else []
    closes = chance.random() < CLOSES and may_close
    data = {"propertyId": "ppt_kabul"}
    moment = chance.uniform(0, storm)
    closing = _told(chance, CLOSED, "closing", 9, moment, now, data) if closes else None
    return Household(tuple(shifts), closing)


def _shift(chance, now, storm):
    life, span = chance.choice(LIVES), min(storm, chance.choice(SPANS))
    moments = [chance.uniform(0, span) for _ in life]
    if chance.random() < 0.7:  # else the bus brings later news first
        moments.sort()
    shift = Shift("usr_cleaner", frozenset(), False, ())
    for number, (word, moment) in enumerate(zip(life, moments, strict=True), start=1):
        shift = replace(
            shift,
            rooms=frozenset(ROOMS.get(word, shift.rooms)),
            over=word in ("ended", "fired"),
            events=(*shift.events, _of_shift(chance, word, number, moment, now)),
        )
    return shift


def _of_shift(chance, word, number, moment, now):
    if word == "fired":
        return _told(chance, FIRED, "shift_1", number, moment, now, {"userId": "usr_cleaner"})
    if word == "ended":
        return _told(chance, f"{SHIFT}.ended.v1", "shift_1", number, moment, now, {"shiftId": "shift_1"})
    window = {
        "validFrom": (now - timedelta(hours=1)).isoformat(),
        "validUntil": (now + timedelta(hours=9)).isoformat(),
    }
    who = {"shiftId": "shift_1", "staffUserId": "usr_cleaner", "propertyId": "ppt_kabul"}
    data = {**who, "scopes": SCOPES[word], **window}
    return _told(chance, f"{SHIFT}.started.v1", "shift_1", number, moment, now, data)


def _told(chance, subject, about, number, moment, now, data):
    event_id = f"evt_{about}_{number}"
    envelope = {
        "specVersion": "1.0",
        "id": event_id,
        "subject": subject,
        "time": (now + timedelta(seconds=number)).isoformat(),
        "tenantId": "tnt_silk",
        "data": data,
    }
    again = (moment + chance.uniform(0, 60),) if chance.random() < 0.3 else ()
    message = Message(orjson.dumps(envelope), {"tenantId": "tnt_silk"}, about)
    return Told(subject, event_id, about, number, (moment, *again), 0, message, None)


def opened(keys):
    """Return the doors at which keys stand."""
    return {str(grant.device_id) for key in keys for grant in key.grants if isinstance(grant.state, Placed)}
