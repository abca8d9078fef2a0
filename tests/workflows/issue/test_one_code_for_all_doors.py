"""A code that was computed for one door is no key once there are two: a guest has one code for all doors."""

import asyncio

from tests.support.sample_hotel import device_at, play

SOON = {"validFrom": "2026-03-01T10:30:00Z", "validUntil": "2026-03-03T07:30:00Z"}


def test_a_door_that_is_mapped_while_a_computed_code_is_unheard_of_has_the_same_code(tmp_path):
    async def scenario(house):
        front = (await house.documents("devices"))[device_at("front")]
        await house.unmap("front")
        await house.steer("PATCH", "gateways/501", online=False)
        await house.fault("drop", "lock/listKeyboardPwd", times=1)
        await house.publish("evt_1", **SOON)
        await asyncio.sleep(2)
        await house.map_again("front", front)
        await house.steer("PATCH", "gateways/501", online=True)
        await asyncio.sleep(20 * 60)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        (room,), (front_door) = await house.keys_at("101"), await house.keys_at("front")
        assert [row["code"] for row in front_door] == [room["code"]]

    play(tmp_path, scenario)
