"""A call that its lock carries out long after it was given up: what it left is found, told and removed."""

import asyncio

from tests.support.compared import compare, lose, opens
from tests.support.sample_hotel import DOORS, play
from tests.workflows.issue.test_another_way import PINS

OFF = {"subject": "cancelled", "time": "2026-03-01T09:30:00Z"}


async def lands_later_than_anybody_waits(house, door):
    """Have a key added at a door ten minutes after its stay was called off; return its PIN."""
    cloud, lock = house.sim.cloud, int(DOORS[door])
    await house.fault("timeout_after_success", PINS)
    await house.publish("evt_1")
    await asyncio.sleep(20)
    (row,), codes = list(cloud.passcodes.of(lock)), dict(cloud.doors[lock].codes)
    for each in ("101", "front"):
        lose(house, each)
    await house.publish("evt_2", **OFF)
    await house.settled()
    await asyncio.sleep(600)
    assert {kept["grant"]["state"]["type"] for kept in (await house.documents("grants")).values()} == {
        "removed"
    }
    cloud.passcodes.put(row.passcode_id, row)
    cloud.doors[lock].codes[row.code] = codes[row.code]
    return row.code


def test_es6_an_effect_later_than_anybody_waits_is_found_by_the_comparison_and_removed(tmp_path):
    async def scenario(house):
        code = await lands_later_than_anybody_waits(house, "front")
        assert opens(house, "front", code)
        await compare(house)
        assert not opens(house, "front", code)

    play(tmp_path, scenario)
