"""A stress from outside: what was told of bookings, against what opens the doors; all drawn from a seed.

tell    events of new and old stays, shuffled and repeated, over a bad line, with kill -9 in between
quiet   the line is good again; time goes on until nothing is under way
judge   each stay has one code at its doors or none, by the bookings alone; what differs must be told
"""

import time
from collections import Counter
from random import Random

from tests.soak.outside.bookings import Producer
from tests.soak.outside.house import FRONT, LOCKS, House, Silent

LATER, LOOKS, GIVE_UP_SECONDS = 60, 90, 60
BAD_MINUTES = 4
MOMENT = 0.05
OPENS, SHUT = ("residual_locks", "strange_keys"), ("failed_keys", "waiting_keys", "lost_keys")
"""By what it is told that a door stands open, or stays shut."""


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
            self._published(event)
        self.counts["events"] += len(told)
        for _ in range(BAD_MINUTES if share else 0):
            self._later()

    def _interleaved(self, stories):
        """Return all events in one order: each stay's as they happened, unless versions tell their order."""
        placed = []
        for story in stories:
            places = [self.chance.random() for _ in story]
            if not _is_told_by_versions(story) or self.chance.random() < 0.4:
                places.sort()
            placed += zip(places, story, strict=True)
        repeated = [
            (self.chance.uniform(place, 1.2), event) for place, event in placed if self.chance.random() < 0.1
        ]
        return [event for _, event in sorted([*placed, *repeated], key=lambda each: each[0])]

    def _published(self, event):
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while True:
            try:
                return self.house.publish(event)
            except Silent:
                assert time.monotonic() < deadline, "nobody takes events any more"
                time.sleep(0.2)

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
        """Compare the doors with the bookings; what is not as it ought to be must have been told."""
        facts = self.house.get("attention")
        for odd, words in ((self.surplus(), OPENS), (self.shut(), SHUT)):
            told = {word: facts[word] for word in words if facts[word]}
            if odd and not told:
                raise Violation(f"seed {self.seed}: {odd[:5]} of {len(odd)}, and nobody was told")
            if odd:
                self.counts["told"] += 1
                self.notes.append(f"{odd[:3]} of {len(odd)}: {told}")

    def surplus(self):
        """Return the codes at doors that are no stay's, by the bookings alone."""
        wanted = {stay.window: stay for stay in self.live}
        return [
            f"a code of {self.producer.whose.get(_window(code))} at {lock}"
            for lock, codes in self.house.codes().items()
            for code in codes
            if not _belongs(_window(code), lock, wanted)
        ]

    def shut(self):
        """Return the stays whose guest does not get in, or by more than one code."""
        doors = self.house.codes()
        return [f"{stay.id}: {why}" for stay in self.live if (why := _why_shut(stay, doors))]

    def restored(self):
        """Put the backup back, tell again what was told since, and remove what is nobody's."""
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

    def close(self):
        """End everything."""
        self.counts.update({"bookings": len(self.producer.stays), "kills": self.house.kills})
        self.counts.update({"faults": sum(self.house.line.faults.values()), "calls": self.house.line.calls})
        self.house.close()


def _is_told_by_versions(story):
    refused = any("rmu_999" in event["data"].get("rooms", ()) for event in story)
    return all("version" in event["data"] for event in story) and not refused


def _window(code):
    return code["start"], code["end"]


def _belongs(window, lock, wanted):
    stay = wanted.get(window)
    return stay is not None and lock in (FRONT, LOCKS[stay.room])


def _why_shut(stay, doors):
    mine = [
        [code["code"] for code in doors[lock] if _window(code) == stay.window]
        for lock in (FRONT, LOCKS[stay.room])
    ]
    if [len(each) for each in mine] != [1, 1]:
        return f"codes at front and room: {[len(each) for each in mine]}"
    return "" if mine[0] == mine[1] else "another code at each door"
