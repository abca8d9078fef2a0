"""Schedules that are wrong in one way each: every one must fail the guarantee it breaks."""

import asyncio
import dataclasses
from datetime import timedelta

from infra.local.delivery.instants import instant, micros
from infra.local.schedules import Schedules
from infra.local.schedules.rows import Progress
from infra.local.schedules.runner import Runner


def running(runner):
    """Schedules whose runners are of another kind."""

    class Broken(Schedules):
        def __init__(self, means, specs):
            super().__init__(means, specs)
            self._runners = {spec.name: runner(spec, means, self._changed.set) for spec in specs}

    return Broken


class FiresEveryMissedTick(Runner):
    """Makes up for all of them."""

    async def _take_up(self, progress):
        due = self._ticks.next_after(instant(progress.tick))
        if due > self._now:
            return progress
        return await self._fire(dataclasses.replace(progress, tick=micros(due), attempts=0, done=False))

    async def _sleep(self, progress):
        self._rest()
        due = self._ticks.next_after(instant(progress.tick))
        await asyncio.sleep(max(0.0, (due - self._now).total_seconds()))


class ForgetsMissedTicks(Runner):
    """Begins anew at each start."""

    @property
    def progress(self):
        return None


class Drifts(Runner):
    """Counts from the end of the last call."""

    async def _take_up(self, progress):
        fired = progress.attempts or self._now > instant(progress.tick)
        if fired:
            progress = await self._fire(Progress(progress.rule, micros(self._now), done=False))
        return progress

    async def _sleep(self, progress):
        await asyncio.sleep(timedelta(minutes=5).total_seconds())


class NeverRetries(Runner):
    """Makes one attempt, whatever the policy."""

    async def _fire(self, progress):
        await self.call(instant(progress.tick))
        return await self._save(dataclasses.replace(progress, done=True, attempts=1))


class AlwaysInUtc(Schedules):
    """Does not look at the zone."""

    def __init__(self, means, specs):
        super().__init__(means, [dataclasses.replace(spec, zone="UTC") for spec in specs])


BROKEN = {
    "fires every missed tick": (
        running(FiresEveryMissedTick),
        "test_ticks_missed_while_down_are_made_up_once_for_the_latest",
    ),
    "forgets missed ticks": (
        running(ForgetsMissedTicks),
        "test_ticks_missed_while_down_are_made_up_once_for_the_latest",
    ),
    "forgets the tick under way": (
        running(ForgetsMissedTicks),
        "test_a_tick_under_way_at_a_crash_is_called_again",
    ),
    "drifts": (running(Drifts), "test_a_job_is_called_at_each_tick_and_never_drifts"),
    "never retries": (
        running(NeverRetries),
        "test_a_failed_call_is_repeated_as_the_retry_policy_says",
    ),
    "always in UTC": (AlwaysInUtc, "test_ticks_follow_the_wall_clock_of_the_zone"),
}
