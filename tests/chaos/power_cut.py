"""Simulated lives of one fleet: a power cut ends one, the doors outside go on, the next begins at once."""

import asyncio
import contextlib
import io

from infra.local.ambient import SeededEntropy
from infra.local.faults import Census, NoFaults
from infra.local.fleet import Fleet
from infra.local.simulation.loop import BEGINNING, VirtualClock, VirtualLoop
from infra.local.world import FleetConfig, World
from infra.manifest.load import load_manifest
from shared.kernel.log import Log
from tests.chaos.boundaries import Strike, WatchedWay
from tests.support.sample_hotel import SampleHotel
from tests.support.simulated import Simulated

MOURNING_ROUNDS = 50


class Dead(Exception):
    """What a dead fleet still tries."""


class CutAt:
    """Cut the power the nth time a boundary is reached: from then on nothing is written or sent."""

    def __init__(self, boundary, nth):
        self._strike, self.cut = Strike(boundary, nth, self._cut), False

    def reach(self, boundary):
        """Fall dead at the boundary, and stay so."""
        if self.cut:
            raise Dead
        self._strike.reach(boundary)

    def _cut(self):
        self.cut = True
        asyncio.get_running_loop().stop()
        raise Dead


class Times:
    """A clock that goes on from one life to the next."""

    def __init__(self):
        self.now = lambda: BEGINNING

    def begin(self, loop):
        """Go by a new life's loop from now on."""
        self.now = VirtualClock(loop, self.now()).now


class Street:
    """The sample hotel's home and its doors; fleets come and go."""

    def __init__(self, home, seed=0):
        self.home, self._seed, self.times = home, seed, Times()
        self.house = SampleHotel(self.times, seed)
        self.published, self._lives = [], 0

    def live(self, scenario, faults=None):
        """Run one life of the fleet; return whether it saw its end."""
        loop, faults, self._lives = VirtualLoop(self._seed), faults or NoFaults(), self._lives + 1
        self.times.begin(loop)
        fleet = self._fleet(faults)
        life = loop.create_task(self._life(fleet, scenario))
        life.add_done_callback(_stop)
        loop.run_forever()
        life.remove_done_callback(_stop)
        if getattr(faults, "cut", False):
            _bury(loop, fleet)
            return False
        loop.close()
        life.result()
        return True

    def census(self, scenario):
        """Return how often each boundary is reached, in a life that nobody cuts short."""
        census = Census()
        assert self.live(scenario, census)
        return census.seen

    def _fleet(self, faults):
        lines = io.StringIO()
        world = World(
            clock=self.times,
            entropy=SeededEntropy(self._seed + self._lives),
            outside=WatchedWay(self.house, faults),
            threaded=False,
            faults=faults,
            log=Log("keyfleet", lines),
        )
        fleet = Fleet(FleetConfig(self.home, sample=True), world, load_manifest())
        fleet.bus.publish = self._overheard(fleet.bus.publish)
        self.house.on = Simulated(fleet, lines)
        return fleet

    async def _life(self, fleet, scenario):
        try:
            await fleet.start()
            await scenario(self.house)
        finally:
            await fleet.stop()

    def _overheard(self, publish):
        async def overheard(topic, messages):
            self.published += [(topic, message.data) for message in messages]
            return await publish(topic, messages)

        return overheard


def _stop(life):
    life.get_loop().stop()


def _bury(loop, fleet):
    """Let everything that still hangs end: after a cut it can neither write nor send."""
    loop.set_exception_handler(lambda *_: None)
    for _ in range(MOURNING_ROUNDS):
        rest = asyncio.all_tasks(loop)
        if not rest:
            break
        for task in rest:
            task.cancel()
        loop.run_until_complete(asyncio.wait(rest, timeout=1))
    assert not asyncio.all_tasks(loop)
    with contextlib.suppress(Exception):  # it may be closed already
        loop.run_until_complete(asyncio.wait_for(fleet.means.engine.close(), 1))
    loop.close()
