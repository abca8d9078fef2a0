"""The setting of the task queue contract: queues, and tasks that can be ended and reborn."""

from infra.local.delivery.backoff import Retry
from infra.local.tasks import QueueSpec, Tasks
from tests.support.delivery_rig import World, play

URL = "http://fleet.local/sweep-ledger"


def queue(**changes):
    fields = {"name": "sweep-ledger", "url": URL, "audience": URL, "caller": "tasks@hotel"}
    retry = Retry(min_backoff=1.0, max_backoff=8.0, max_doublings=3)
    return QueueSpec(**{**fields, "retry": retry, **changes})


class TaskSetting:
    """Plays scenarios on the implementation under test, in virtual time."""

    make = staticmethod(Tasks)

    def play(self, folder, scenario, *specs, seed=None):
        async def run(world: World):
            tasks = self.make(world.means, specs or (queue(),))
            tasks.start()
            await scenario(world, tasks)
            await tasks.stop()
            await world.close()

        play(folder, run, seed=seed)

    async def reborn(self, world, tasks, *specs, clean=True):
        await tasks.stop()
        if clean:
            await world.close()
        else:
            world.crash()
        world.open()
        fresh = self.make(world.means, specs or (queue(),))
        fresh.start()
        return fresh
