"""A second stress from outside, made apart from the first: time passes, and doors are asked all the while.

Guests come within the hour, stay, move, stay longer or shorter, and go, while gateways, locks and the
platform fail for up to an hour, and the fleet is killed or stopped. At every step, in trouble too, whoever
may open a door by the bookings gets in or is named, and whoever may not does not, or their lock is named.
"""

import time
from collections import Counter
from random import Random

from tests.soak.outside.guests import Desk
from tests.soak.outside.house import House, Silent
from tests.soak.outside.told import Told
from tests.soak.outside.troubles import Troubled

STEP, CALM_STEPS, LOOKS, LOOK_AGAIN = 300, 24, 3, 1.0
LIKELY, AGAIN, KILLED, STOPPED = 0.15, 0.2, 0.02, 0.02


class Violation(AssertionError):
    """A door is not as the bookings say, and nobody was told."""


class PassingDays:
    """One run, drawn from a seed."""

    def __init__(self, folder, seed):
        self.seed, self.chance = seed, Random(seed)
        self.house = House(folder, seed)
        self.house.start()
        self.desk = Desk(self.chance, self.house.now())
        self.troubled = Troubled(self.house.doors, self.chance)
        self.counts, self.faults, self.notes = Counter(), Counter(), list[str]()

    def pass_by(self, steps):
        """Let so many steps of five minutes pass."""
        for _ in range(steps):
            began = self.troubled.step(LIKELY)
            self.faults.update([began] if began else [])
            self._tell()
            self._strike()
            self.house.later(STEP)
            self.judge()
            self.counts["steps"] += 1

    def calm_down(self):
        """End all troubles, book nobody any more, and let two hours pass: then nothing may be odd at all."""
        self.troubled.clear()
        for _ in range(CALM_STEPS):
            self.house.later(STEP)
        odd = self._odd(self.house.now())
        if any(odd):
            raise Violation(f"seed {self.seed}: all is mended, and odd are {odd}")

    def _tell(self):
        now = self.house.now()
        for guest, event in self.desk.events(now):
            guest.since = now
            for _ in range(1 + (self.chance.random() < AGAIN)):
                self.house.insist(event)
                self.counts["events"] += 1

    def _strike(self):
        if self.chance.random() < KILLED:
            self.house.kill()
        elif self.chance.random() < STOPPED:
            self.house.stop()
            self.house.start()
            self.counts["stops"] += 1

    def judge(self):
        """Ask doors and people; what is odd and untold at several looks in a row is a violation."""
        for _ in range(LOOKS):
            wrong = self._untold()
            if not wrong:
                return
            time.sleep(LOOK_AGAIN)
        at = self.house.now()
        raise Violation(
            f"seed {self.seed}, {at:%H:%M}: {wrong}, in {[each.name for each in self.troubled.lasting]}"
        )

    def _untold(self):
        strange, shut = self._odd(self.house.now())
        if not strange and not shut:
            return []
        try:
            told = Told(self.house)
        except Silent as silence:
            return [str(silence)]
        self.counts["odd, and told"] += len(strange) + len(shut)
        return [
            *[f"{whose} opens {lock}" for lock, whose in strange if not told.of_lock(lock)],
            *[f"{guest.id} is shut out: {why}" for guest, why in shut if not told.of_stay(guest.id)],
        ]

    def _odd(self, now):
        """Return who gets in who may not, each with the lock, and who does not who may."""
        opening = {lock: [*self._opening(codes, now)] for lock, codes in self.house.codes().items()}
        strange = [
            (lock, getattr(whose, "id", None))
            for lock, found in opening.items()
            for whose, _ in found
            if not self._may_open(whose, lock, now)
        ]
        shut = [
            (guest, why)
            for guest in self.desk.guests
            if guest.is_in(now) and (why := self._why_shut(guest, opening))
        ]
        return strange, shut

    def _opening(self, codes, now):
        """Return the codes that open a door now, each with whose it is by its times."""
        at = now.timestamp() * 1000
        for code in codes:
            if code["start"] <= at < code["end"]:
                yield self.desk.whose.get((code["start"], code["end"])), code["code"]

    @staticmethod
    def _may_open(whose, lock, now):
        return whose is not None and whose.is_in(now) and lock in whose.locks

    @staticmethod
    def _why_shut(guest, opening):
        has = [{code for whose, code in opening[lock] if whose is guest} for lock in guest.locks]
        return "" if set.intersection(*has) else f"codes at front and room: {[*map(len, has)]}"

    def close(self):
        """End everything, and say what it came to."""
        self.counts.update({"bookings": len(self.desk.guests), "kills": self.house.kills})
        self.house.close()
