"""Locks are swapped between doors, or a wrong mapping is put right, while a guest is in the house."""

import asyncio

import pytest

from tests.support.sample_hotel import play

LATER = "2026-03-01T11:00:00Z"


@pytest.mark.parametrize("hung", [{"101": "102", "102": "101"}, {"101": "204"}], ids=["swapped", "replaced"])
def test_a_key_is_taken_back_from_the_lock_that_got_it_wherever_that_hangs_now(tmp_path, hung):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        assert len(await house.keys_at("101")) == 1  # the lock 1000101
        for door, other in hung.items():
            await house.hang(other, door)
        await house.publish("evt_2", "checked_out", time=LATER)
        await asyncio.sleep(3600)
        assert await house.keys_at("101") == []

    play(tmp_path, scenario)


def test_a_key_that_a_lost_call_put_into_the_lock_before_it_was_swapped_is_known(tmp_path):
    """The answer was lost, the locks were swapped before the next attempt: two locks have the key now."""

    async def scenario(house):
        await house.unmap("front")
        await house.fault("timeout_after_success", "keyboardPwd/add", times=1)
        await house.fault("drop", "lock/listKeyboardPwd", times=1)
        await house.publish("evt_1")
        await asyncio.sleep(2)
        await house.hang("102", "101")
        await house.hang("101", "102")
        await asyncio.sleep(300)  # until no lost call can land any more
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]
        grants = (await house.documents("grants")).values()
        at_locks = len(await house.keys_at("101")) + len(await house.keys_at("102"))
        assert at_locks == len([each for each in grants if each["grant"]["state"]["type"] != "removed"])

    play(tmp_path, scenario)
