"""The small world itself: what works in fair weather works in foul, and the same seed is the same world."""

from itertools import count
from random import Random

import pytest

from infra.local.simulation.loop import run_virtually
from shared.domain.grant import name_at_vendor
from shared.ports.documents import Ref
from shared.ports.sagas import ExecutionState
from tests.chaos.events import config_updated
from tests.chaos.small_world.locks import TinyDoors
from tests.chaos.small_world.onlooker import Onlooker
from tests.chaos.small_world.scene import KeyAtDoor
from tests.chaos.small_world.stays import ROOMS, drawn_stays
from tests.chaos.small_world.weather import Climate, Weather, clear_sky
from tests.chaos.small_world.witness import Witness
from tests.chaos.small_world.world import SmallWorld

TOPIC = "melmastoon.tenant.config_updated.v1"


def _a_busy_hour(seed, weather=None):
    """Change policies and send probes in the weather of a seed, or in another."""

    async def main(clock):
        chance = Random(seed)
        world = SmallWorld(clock, weather or Weather(chance, Climate.drawn(chance)), TinyDoors)
        for number in range(5):
            world.bus.keep(TOPIC, config_updated(number))
        for number in range(2):
            world.sagas.begin("probe_platform", {"probe": f"p{number}", "wait_seconds": number})
        await world.until_quiet()
        return world, list(world.weather.trace)

    return run_virtually(main, seed)


def _states(world):
    return {kept.state for kept in world.sagas.kept.values()}


@pytest.mark.parametrize("seed", range(40))
def test_every_seed_ends_with_the_newest_policy_and_no_probe_under_way(seed):
    world, _ = _a_busy_hour(seed)
    assert world.main.rows["tnt_silk", "policies"]["tenant"].values["settings"] == {"pinDigits": 8}
    assert all(state.terminal for state in _states(world))
    assert world.bus.given_up == []


def test_under_a_clear_sky_every_probe_comes_home():
    assert _states(_a_busy_hour(1, clear_sky())[0]) == {ExecutionState.SUCCEEDED}


def test_every_kind_of_fault_strikes_some_seed():
    struck = {what for seed in range(40) for _, who, what in _a_busy_hour(seed)[1] if who == "weather"}
    assert {"full", "raced", "unheard", "call-lost", "answer-lost", "hung-up", "push-lost"} <= struck


def test_the_same_seed_gives_the_same_trace():
    assert _a_busy_hour(7)[1] == _a_busy_hour(7)[1]


def _a_guest_in(now):
    """Draw a stay in one room that has begun, and that nothing happens to."""
    drawn = (stay for seed in count() for stay in drawn_stays(Random(seed), now, 20.0))
    return next(each for each in drawn if len(each.events) == len(each.rooms) == 1 and each.start <= now)


def _told_by_the_onlooker(mistake):
    """Let a guest get a key under a clear sky, write something else in the ledger, and look."""

    async def main(clock):
        world = SmallWorld(clock, clear_sky(), TinyDoors)
        stay = _a_guest_in(clock.now())
        world.bus.keep(stay.truth.subject, stay.truth.message)
        await world.until_quiet()
        keys = world.main.rows["tnt_silk", "credentials"]
        mistake(keys, stay.rooms[0])
        onlooker = Onlooker(world)
        await onlooker.look()
        return onlooker.protests

    return run_virtually(main, 1)


def _another(room):
    return next(each for each in ROOMS if each != room)


def _moves(keys, was, becomes):
    """Have a key be of one room, and become one of others."""
    (row,) = keys.values()
    core = row.values["credential"]["core"]
    core["rooms"], row.values["amends"] = [was], {"rooms": becomes, "window": core["window"]}


def test_the_onlooker_tells_of_a_stay_whose_key_is_not_in_the_ledger():
    assert not _told_by_the_onlooker(lambda keys, room: None)
    (told,) = _told_by_the_onlooker(lambda keys, room: keys.clear())
    assert "is not in the ledger" in told


def test_the_onlooker_goes_to_the_doors_of_the_room_that_a_guest_moves_to():
    assert not _told_by_the_onlooker(lambda keys, room: _moves(keys, _another(room), [room]))
    (told,) = _told_by_the_onlooker(lambda keys, room: _moves(keys, room, [room, _another(room)]))
    assert "lacks a door, and nobody is called" in told


@pytest.mark.parametrize(
    ("wish", "busy_until", "protests"), [("open", 1, 0), ("open", None, 1), ("rest", 1, 1)]
)
def test_the_witness_excuses_a_resting_key_only_while_a_call_may_have_woken_it(wish, busy_until, protests):
    grant = {"device_id": "lck_1", "vendor_key": "0" * 64, "version": 4, "state": {"type": "resting"}}
    witness = Witness(lambda: [KeyAtDoor("lck_1", name_at_vendor("0" * 64), "583914", 0)])
    witness.read(Ref("grants", "grt_1"), {"grant": grant, "wish": wish, "busy_until": busy_until})
    assert len(witness.protests) == protests
