"""A lock is unmapped while its key is being made: the key is whole or it is none."""

import asyncio

from tests.support.sample_hotel import play


def test_a_key_that_lost_one_of_its_rooms_fails_at_all_and_says_why(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.fault("http_500", "keyboardPwd/add")
        await house.publish("evt_1", rooms=["rmu_101", "rmu_102"])
        await asyncio.sleep(2)
        await house.unmap("102")
        await house.mend()
        await asyncio.sleep(600)
        (key,) = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("failed", "device_not_paired")
        assert await house.keys_at("101") == await house.keys_at("102") == []
        (alarm,) = house.logged("ALERT")
        assert alarm["rooms"] == ["rmu_101", "rmu_102"]

    play(tmp_path, scenario)
