"""A stress from outside: what was told of bookings, against what opens the doors; all drawn from a seed.

tell    events of new and old stays, shuffled and repeated, over a bad line, with kill -9 in between
quiet   the line is good again; time goes on until nothing is under way
judge   each stay has one code at its doors or none, by the bookings alone; what differs must be told
"""

import time
from collections import Counter
from datetime import timedelta
from random import Random

from tests.soak.outside.bookings import Producer
from tests.soak.outside.house import FRONT, LOCKS, House, Silent
from tests.soak.outside.told import Told

LATER, LOOKS = 60, 90
BAD_MINUTES, IN_ORDER = 4, 0.4
MOMENT = 0.05
AT_THE_DOOR = timedelta(hours=2)
"""Whose stay begins within so long is named; a key for later may be at work still."""


class Violation(AssertionError):
    """The doors are not as the bookings say, and nobody was told."""


class Stress:
    """One run: its house, its producer, and what it came to."""

    def __init__(self, folder, seed):
        self.seed, self.chance = seed, Random(seed)
        self.house = House(folder, seed)
        self.counts, self.since_backup, self.notes = Counter(), None, list[str]()
        self.house.start()
        self.producer = Producer(self.chance, self.house.now())

    def round(self, bookings, kills=1, share=0.08):
        """Let a round of bookings come in, on a bad day."""
        now, live = self.house.now(), self.live
        ending = [stay for stay in live if self.chance.random() < 0.45]
        stories = [*self.producer.booked(bookings, now), *self.producer.ended(ending, now)]
        self.tell(stories, kills, share)
        self.quiet()
        self.judge()

    @property
    def live(self):
        """The stays that are to have a key."""
        return [stay for stay in self.producer.stays if stay.room is not None]

    def tell(self, stories, kills=0, share=0.0):
        """Tell everything, and everything that nobody acknowledged once more."""
        self.house.line.share = share
        told = self._interleaved(stories)
        if self.since_backup is not None:
            self.since_backup += [event for story in stories for event in story]
        strikes = {self.chance.randrange(len(told)) for _ in range(kills)}
        for place, event in enumerate(told):
            if place in strikes:
                self.house.kill()
            self.house.insist(event)
        self.counts["events"] += len(told)
        for _ in range(BAD_MINUTES if share else 0):
            self._later()

    def _interleaved(self, stories):
        """Return all events in one order: of some stays as they happened, of others as they may come in."""
        placed = []
        for story in stories:
            places = [self.chance.random() for _ in story]
            if self.chance.random() < IN_ORDER:
                places.sort()
            placed += zip(places, story, strict=True)
        again = [each for each in placed if self.chance.random() < 0.1]
        repeated = [(self.chance.uniform(place, 1.2), event) for place, event in again]
        return [event for _, event in sorted([*placed, *repeated], key=lambda each: each[0])]

    def backed_up(self):
        """Make a backup, and note what is told from now on."""
        self.house.back_up()
        self.since_backup = []

    def quiet(self):
        """Let time go on, at a good line, until nothing is under way any more."""
        self.house.line.share, calm = 0.0, 0
        for _ in range(LOOKS):
            self._later()
            calm = calm + 1 if self._is_calm() else 0
            if calm == 3:
                return
        self.counts["never quiet"] += 1

    def _later(self):
        self.house.later(LATER)
        time.sleep(MOMENT)

    def _is_calm(self):
        try:
            status = self.house.get("status")
            return not status["executions"] and not any(status["backlog"].values())
        except Silent:
            return False

    def judge(self):
        """Compare the doors with the bookings; of each lock and stay that is not so, people must know."""
        surplus, shut = self.surplus(), self.shut()
        if not surplus and not shut:
            return
        told, soon = Told(self.house), self.house.now() + AT_THE_DOOR
        wrong = [f"{count} of {whose} at {lock}" for lock, whose, count in surplus if not told.of_lock(lock)]
        wrong += [
            f"{stay.id}: {why}" for stay, why in shut if not told.of_stay(stay.id, in_time=stay.start > soon)
        ]
        if wrong:
            raise Violation(f"seed {self.seed}: {wrong[:5]} of {len(wrong)}, and nobody was told")
        self.counts["told"] += len(surplus) + len(shut)
        self.notes.append(
            f"told of {surplus[:3]} of {len(surplus)}, {[why for _, why in shut][:3]} of {len(shut)}"
        )

    def surplus(self):
        """Return the codes at doors that are no stay's, or a stay's second, by the bookings alone."""
        wanted = {stay.window: stay for stay in self.live}
        odd = []
        for lock, codes in self.house.codes().items():
            for window, count in Counter(map(_window, codes)).items():
                more = count - _belongs(window, lock, wanted)
                odd += [(lock, self.producer.whose.get(window), more)] if more else []
        return odd

    def shut(self):
        """Return the stays whose guest does not get in everywhere by one code, each with what is there."""
        doors = self.house.codes()
        return [(stay, why) for stay in self.live if (why := _why_shut(stay, doors))]

    def restored(self):
        """Put the backup back, have what was told since told again, and remove what is nobody's."""
        self.house.restore()
        stories = {}
        for event in self.since_backup:
            stories.setdefault(event["data"]["reservationId"], {})[event["id"]] = event
        self.since_backup = None
        self.tell([list(story.values()) for story in stories.values()])
        self.quiet()
        found = self.house.get("findings")["findings"]
        strange = [each for each in found if each["kind"] == "unknown"]
        self.counts["strangers"] += len(strange)
        for each in strange:
            meant = {name: each[name] for name in ("tenant", "finding")}
            self.house.call("judge-finding", **meant, word="remove", by="usr_7")
        self.quiet()
        self.judge()

    @property
    def faults(self):
        """What the line did, how often."""
        return self.house.line.faults

    def close(self):
        """End everything."""
        self.counts.update({"bookings": len(self.producer.stays), "kills": self.house.kills})
        self.counts.update({"faults": sum(self.faults.values()), "calls": self.house.line.calls})
        self.house.close()


def _window(code):
    return code["start"], code["end"]


def _belongs(window, lock, wanted):
    stay = wanted.get(window)
    return stay is not None and lock in (FRONT, LOCKS[stay.room])


def _why_shut(stay, doors):
    front, room = [
        {code["code"] for code in doors[lock] if _window(code) == stay.window}
        for lock in (FRONT, LOCKS[stay.room])
    ]
    return "" if front & room else f"codes at front and room: {[len(front), len(room)]}"
