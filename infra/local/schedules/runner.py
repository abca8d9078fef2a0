"""One schedule at work: sleep until the next tick, call, retry, and after downtime make up once."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial

from infra.local.delivery.attempt import Outcome, attempt
from infra.local.delivery.instants import instant, micros, rfc3339, set_back
from infra.local.delivery.parts import DeliveryParts
from infra.local.home_clock import patience
from infra.local.schedules.rows import READ, Progress, loaded, save
from infra.local.schedules.specs import ScheduleSpec
from shared.ports.documents import StorageFull

LONGEST_SLEEP = 3600.0
AFTER_A_MISTAKE = 60.0
MOST_INTERRUPTIONS = 3
INTERRUPTED = "the process ended during the last attempt"


class Runner:
    """Runs one schedule; never two of its calls at once, so a tick during a call is made up after it."""

    def __init__(self, spec: ScheduleSpec, means: DeliveryParts, settled: Callable[[], None]) -> None:
        self.spec, self._means, self._settled = spec, means, settled
        self._ticks = spec.ticks
        self._task: asyncio.Task[None] | None = None
        self.quiet = True

    @property
    def progress(self) -> Progress | None:
        """How far this schedule has come, or None if it never ran under its present rule."""
        rows = self._means.engine.read(READ, (self.spec.name,))
        progress = loaded(rows[0]) if rows else None
        return progress if progress and progress.rule == self.spec.rule else None

    @property
    def next_tick(self) -> datetime:
        """When it is due next."""
        return self._ticks.next_after(self._now)

    def start(self) -> None:
        """Begin; a tick left unfinished or missed is taken up at once."""
        self.quiet = False
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Give up a call under way; its tick is taken up again at the next start."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._rest()

    async def call(self, scheduled: datetime) -> Outcome:
        """Make the call once, for a time."""
        means = self._means
        headers = {
            "user-agent": "Google-Cloud-Scheduler",
            "X-CloudScheduler": "true",
            "X-CloudScheduler-JobName": self.spec.name,
            "X-CloudScheduler-ScheduleTime": rfc3339(micros(scheduled)),
        }
        means.faults.reach("before-schedule-call")
        means.counters["schedule-calls"] += 1
        outcome = await attempt(means.transport, means.tokens, self.spec.target, headers, self.spec.body)
        means.faults.reach("after-schedule-call")
        return outcome

    async def _run(self) -> None:
        progress: Progress | None = None
        while True:
            try:
                progress = await self._reckon(await self._take_up(progress or await self._begin()))
                wait = self._until_next(progress)
            except Exception as error:  # noqa: BLE001 - a schedule that ended would be missed only much later
                _report(self.spec.name, error)
                progress, wait = None, AFTER_A_MISTAKE  # to go on from what is on the disk, as after a crash
            await self._sleep(wait)

    async def _begin(self) -> Progress:
        return await self._save(self.progress or Progress(self.spec.rule, micros(self._now)))

    async def _reckon(self, progress: Progress) -> Progress:
        """Begin anew where the clock was ahead: nothing would be due until it came there again."""
        if not set_back(progress.tick, micros(self._now)):
            return progress
        return await self._save(replace(progress, tick=micros(self._now)))

    def _until_next(self, progress: Progress) -> float:
        due = self._ticks.next_after(instant(progress.tick))
        # Looked at again after an hour at most, because clocks are set and laptops sleep.
        return min((due - self._now).total_seconds(), patience(self._means.clock, LONGEST_SLEEP))

    async def _sleep(self, seconds: float) -> None:
        self._rest()
        await asyncio.sleep(seconds)
        self.quiet = False

    async def _take_up(self, progress: Progress) -> Progress:
        """Finish the tick that was begun, or begin the latest of those that have passed since."""
        if not progress.done:
            return await self._resume(progress)
        due = self._ticks.next_after(instant(progress.tick))
        if due > self._now:
            return progress
        if self._ticks.next_after(due) <= self._now:
            due = max(due, self._ticks.last_until(self._now))
        return await self._fire(replace(progress, tick=micros(due), attempts=0, done=False))

    async def _resume(self, progress: Progress) -> Progress:
        # Its own limit must not lose a tick to a crash, and no limit would let a tick crash us for ever.
        if 0 <= self.spec.retry.max_attempts <= progress.attempts - MOST_INTERRUPTIONS:
            return await self._save(replace(progress, done=True, reason=INTERRUPTED))
        return await self._fire(progress)

    async def _fire(self, progress: Progress) -> Progress:
        loop = asyncio.get_running_loop()
        began = loop.time()  # which nobody sets
        while not progress.done:
            progress = await self._save(replace(progress, attempts=progress.attempts + 1))
            outcome = await self.call(instant(progress.tick))
            done = outcome.ok or self.spec.retry.spent(progress.attempts, loop.time() - began)
            progress = await self._save(replace(progress, done=done, reason=outcome.reason))
            if not done:
                await self._sleep(self.spec.retry.wait(progress.attempts))
        return progress

    async def _save(self, progress: Progress) -> Progress:
        with contextlib.suppress(StorageFull):  # a job that makes room must still run
            await self._means.engine.write(partial(save, name=self.spec.name, progress=progress))
        return progress

    def _rest(self) -> None:
        self.quiet = True
        self._settled()

    @property
    def _now(self) -> datetime:
        return self._means.clock.now()


def _report(name: str, error: Exception) -> None:
    context = {"message": f"schedule {name} stumbled", "exception": error}
    asyncio.get_running_loop().call_exception_handler(context)
