"""The strict little vendor with a long desk: it takes what it is asked in hand, and tells of it later.

What it tells may come twice, late, or never; a job may be forgotten: who asks again after its time begins
another. Who removes a key calls off its job.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import KeyIssueFailed, LockError, LockErrorCause, VendorUnreachable
from shared.ports.lock import InHand
from shared.ports.lock_causes import PIN_TAKEN, LockCause
from tests.chaos.small_world.locks import TINY, Taken, TinyDoors, TinyVendor, _at_lock

IN_HAND_OF = 0.6
LONGEST_JOB = 90.0
UNTIL = (20.0, 200.0)
MOST_TELLINGS = 40


@dataclass(slots=True)
class Job:
    """What is to be done at one lock."""

    key: object
    placing: bool
    until: datetime
    done: bool = False
    called_off: bool = False
    error: LockError | None = None


class SlowVendor(TinyVendor):
    """The adapter of such a vendor."""

    def __init__(self, locks, air, spawn, clock, tell):
        super().__init__(locks, air, spawn)
        self._clock, self._tell, self.jobs = clock, tell, {}

    async def place(self, key):
        known = self.jobs.get(key.name)
        if known is not None and known.placing and not (known.done or known.called_off):
            same = (known.key.valid_from, known.key.valid_until) == (key.valid_from, key.valid_until)
            if same and self._clock.now() < known.until:
                return await self._call(key, "place again", lambda: self._still(key, known))
            known.called_off = True
        if self._at_once():
            return await super().place(key)
        return await self._call(key, "place later", lambda: self._begun(key, key.name, placing=True))

    async def remove(self, key):
        known = self.jobs.get(key.name)
        if known is not None:
            await self._call(key, "call off", lambda: setattr(known, "called_off", True))
        if self._at_once():
            return await super().remove(key)
        off = f"{key.name}.off"
        return await self._call(key, "remove later", lambda: self._begun(key, off, placing=False))

    async def suspend(self, key):
        return await self.remove(key)

    async def status(self, job, keys):
        """Say what became of a job at its one lock."""
        (key,) = keys
        return [await self._call(key, "status", lambda: self._standing(job, key))]

    def _at_once(self):
        return self._air.weather.chance.random() >= IN_HAND_OF

    def _begun(self, key, name, *, placing):
        chance = self._air.weather.chance
        until = self._clock.now() + timedelta(seconds=chance.uniform(*UNTIL))
        job = self.jobs[name] = Job(key, placing, until)
        if not self._air.weather.strikes("vendor-silent"):
            self._spawn(self._work(name, job))
        return InHand(name, until)

    def _still(self, key, known):
        known.until = self._clock.now() + timedelta(seconds=self._air.weather.chance.uniform(*UNTIL))
        return InHand(key.name, known.until)

    async def _work(self, name, job):
        weather = self._air.weather
        await asyncio.sleep(weather.chance.uniform(0, LONGEST_JOB))
        if job.called_off or self.jobs.get(name) is not job:
            return
        try:
            self._place(job.key) if job.placing else self._remove(job.key)
        except Taken:
            job.error = KeyIssueFailed(
                vendor=TINY, device_id=job.key.device_id, cause=LockErrorCause(PIN_TAKEN)
            )
        job.done = True
        weather.note("vendor", f"ends {name}")
        for _ in range(weather.chance.choice((0, 1, 1, 1, 2))):
            self._spawn(self._told(name, job.error, weather.chance.uniform(0, 30)))

    async def _told(self, name, error, wait):
        await asyncio.sleep(wait)
        body = {"tenant": "tnt_silk", "vendor": str(TINY), "job": name}
        body |= {} if error is None else {"error": error.to_dict()}
        for pause in range(MOST_TELLINGS):
            if await self._tell("hear-of-job", body):
                return
            await asyncio.sleep(pause)

    def _place(self, key):
        start = max(key.valid_from, key.not_before or key.valid_from)
        for standing in self._named(key):
            self._locks.change(standing.ref, start, key.valid_until)
            return
        self._locks.add(key.device_id, key.name, key.secret.reveal(), start, key.valid_until)

    def _remove(self, key):
        for found in self._named(key):
            self._locks.delete(found.ref)

    def _standing(self, name, key):
        job = self.jobs.get(name)
        if job is None or job.called_off:
            cause = LockErrorCause(LockCause.NO_SUCH_JOB)
            return VendorUnreachable(vendor=TINY, device_id=key.device_id, cause=cause)
        if not job.done:
            return InHand(name, job.until)
        if job.error is not None:
            return job.error
        return next(map(_at_lock, self._named(key)), None)


class SlowDoors(TinyDoors):
    """The slow vendor as a schedule sees it; somebody must say by whom it is to tell."""

    vendor = VendorCode("mock")

    def __init__(self, air, clock, spawn):
        super().__init__(air, clock, spawn)
        self._vendor = SlowVendor(self._locks, air, spawn, clock, self._tell)
        self.prompt = None

    async def _tell(self, function, body):
        return await self.prompt(function, body)
