"""The setting of the schedules contract: one job, and schedules that can be ended and reborn."""

from datetime import UTC, datetime

from infra.local.schedules import Schedules, ScheduleSpec
from infra.local.simulation.loop import BEGINNING
from tests.support.delivery_rig import World, play

URL = "http://fleet.local/sweep-ledger"
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def schedule(**changes):
    fields = {"name": "sweep", "cron": "*/5 * * * *", "url": URL, "audience": URL, "caller": "clock@hotel"}
    return ScheduleSpec(**{**fields, **changes})


def scheduled(received):
    """Return the tick a call was for, as HH:MM of UTC."""
    return received.headers["X-CloudScheduler-ScheduleTime"][11:16]


class ScheduleSetting:
    """Plays scenarios on the implementation under test, in virtual time from 2026-03-01 09:00 UTC."""

    make = staticmethod(Schedules)

    def play(self, folder, scenario, *specs, beginning=BEGINNING, seed=None):
        async def run(world: World):
            world.clock._beginning = beginning
            schedules = self.make(world.means, specs or (schedule(),))
            schedules.start()
            await scenario(world, schedules)
            await schedules.stop()
            await world.close()

        play(folder, run, seed=seed)

    async def ended(self, world, schedules):
        """End as kill -9 does."""
        await schedules.stop()
        world.crash()

    async def reborn(self, world, *specs):
        world.open()
        fresh = self.make(world.means, specs or (schedule(),))
        fresh.start()
        return fresh
