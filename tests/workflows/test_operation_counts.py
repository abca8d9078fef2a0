"""What one key costs, counted by the embedded cloud: each figure stands beside what it buys."""

import sys

import pytest

from shared.vendor_kit.guard import GuardPolicy
from tests.guesthouse import play

BOUGHT = {
    "document_writes": (
        14,
        "stay, key and event; secret; key, grant and event; turn; refs; key, grant, event; mark",
    ),
    "document_reads": (6, "the stay, the key, the turn, the room's previous guest"),
    "function_calls": (4, "the booking, the adapter"),
    "billable_steps": (12, "the attempt, and what came of it"),
}
MOST_FSYNCS = 12


async def _cost_of_a_second_key(house):
    # The first key warms up what is remembered: the premises, the account, the vendor's token.
    await house.publish("evt_1")
    await house.settled()
    before = house.fleet.counters.copy()
    await house.publish("evt_2", reservationId="rsv_2", rooms=["rmu_102"])
    await house.settled()
    active = [kept["credential"]["state"]["type"] for kept in (await house.documents("credentials")).values()]
    assert active == ["active", "active"]
    return {name: house.fleet.counters[name] - before[name] for name in BOUGHT}


@pytest.mark.parametrize(("doors", "further"), [(1, 0), (2, 1)])
def test_a_key_costs_no_more_than_it_may(tmp_path, doors, further, capsys):
    async def scenario(house):
        if doors == 1:
            await house.unmap("front")
        return await _cost_of_a_second_key(house)

    cost = play(tmp_path, scenario)
    lines = [f"{cost[name]} {name}: {bought}" for name, (_, bought) in BOUGHT.items()]
    with capsys.disabled():
        sys.stdout.write("\n  ".join([f"\none key to {doors} lock(s):", *lines, ""]))
    allowed = {name: most + 2 * further * (name == "document_writes") for name, (most, _) in BOUGHT.items()}
    assert {name: cost[name] for name in allowed if cost[name] > allowed[name]} == {}


async def _keys_one_after_another(house, first, count):
    for number in range(first, first + count):
        await house.publish(f"evt_{number}", reservationId=f"rsv_{number}")
        await house.keys_active(number + 1)


def test_a_key_waits_for_the_disk_no_more_often_than_it_may(tmp_path, capsys):
    keys = 8

    async def scenario(house):
        await house.unmap("front")
        await _keys_one_after_another(house, 0, 1)
        before = house.fleet.counters["fsyncs"]
        await _keys_one_after_another(house, 1, keys)
        return (house.fleet.counters["fsyncs"] - before) / keys

    fsyncs = play(tmp_path, scenario, guard_policy=GuardPolicy(per_minute=60_000, burst=1000))
    with capsys.disabled():
        sys.stdout.write(f"\none key to 1 lock: {fsyncs} fsyncs with one booking in flight\n")
    assert fsyncs <= MOST_FSYNCS
