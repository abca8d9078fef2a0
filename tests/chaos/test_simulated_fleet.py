"""The whole fleet on one thread and a seed: the same seed twice is the same run, and every run ends well."""

import asyncio
import io

import pytest

from infra.local.ambient import SeededEntropy
from infra.local.bus.chaos import Storm
from infra.local.fleet import Fleet, open_fleet
from infra.local.simulation.loop import VirtualClock, run_virtually
from infra.local.world import FleetConfig, World
from shared.domain.ids import TenantId
from shared.kernel.log import Log
from shared.ports.bus import Message
from shared.ports.documents import Ref
from shared.ports.sagas import ExecutionState
from shared.vendor_kit.http import Answer, Call
from tests.chaos.events import config_updated

TOPIC = "melmastoon.tenant.config_updated.v1"


class Diary:
    """Faults that only listen: every boundary and when it was reached."""

    def __init__(self, clock):
        self._clock, self.lines = clock, []

    def reach(self, boundary):
        self.lines.append((self._clock.now().isoformat(), boundary))


class Nowhere:
    """The world outside a simulation: there is none."""

    async def send(self, call: Call) -> Answer:
        raise AssertionError(f"a simulated fleet called {call.url}")

    async def close(self):
        """Nothing is open."""


def simulated(home, clock: VirtualClock, seed: int) -> tuple[World, Diary, io.StringIO]:
    diary, lines = Diary(clock), io.StringIO()
    entropy = SeededEntropy(seed)
    world = World(
        clock=clock,
        entropy=entropy,
        outside=Nowhere(),
        threaded=False,
        faults=diary,
        chaos=Storm(entropy, duplicated=0.3, longest_delay=2.0),
        saga_starts=lambda: 2 if entropy.uniform(0, 1) < 0.2 else 1,
        log=Log("keyfleet", lines),
    )
    return world, diary, lines


async def _a_busy_hour(fleet: Fleet):
    messages = [config_updated(number) for number in range(5)]
    await fleet.bus.publish(TOPIC, messages)
    await fleet.bus.publish(TOPIC, [Message(b"not an event", ordering_key="tnt_silk")])
    for number in range(3):
        await fleet.sagas.start("probe_platform", {"probe": f"p{number}", "wait_seconds": number})
    await asyncio.sleep(3600)


def _run(home, seed):
    async def main(clock):
        world, diary, lines = simulated(home, clock, seed)
        async with open_fleet(FleetConfig(home, sample=True), world) as fleet:
            await _a_busy_hour(fleet)
            policy = await fleet.documents.tenant(TenantId("tnt_silk")).get(Ref("policies", "tenant"))
            states = [kept.execution.state for kept in fleet.sagas.listed()]
            parked = fleet.bus.dead_letters.page()
            return diary.lines, lines.getvalue(), dict(fleet.counters), policy.data, states, parked

    return run_virtually(main, seed)


@pytest.mark.parametrize("seed", range(4))
def test_every_run_ends_with_the_newest_policy_and_every_saga_done(tmp_path, seed):
    *_, policy, states, parked = _run(tmp_path, seed)
    assert policy["settings"] == {"pinDigits": 8}
    assert len(states) >= 4  # three of ours, and the hourly one
    assert set(states) == {ExecutionState.SUCCEEDED}
    assert {letter.data for letter in parked} == {b"not an event"}
    assert {letter.subscription for letter in parked} == {"on-config-updated"}


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_seed_gives_the_same_trace(tmp_path, seed):
    assert _run(tmp_path / "a", seed) == _run(tmp_path / "b", seed)


def test_different_seeds_give_different_traces(tmp_path):
    traces = [_run(tmp_path / str(seed), seed)[0] for seed in (1, 2, 3)]
    assert traces[0] != traces[1] != traces[2]
