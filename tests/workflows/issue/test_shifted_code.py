"""A code computed for a shifted window is found again after a call was lost, not fought over."""

import asyncio

from tests.support.sample_hotel import play

STAY = {"validFrom": "2026-03-01T10:30:00Z", "validUntil": "2026-03-03T07:30:00Z"}


def test_a_computed_code_with_a_shifted_end_is_taken_for_the_key_after_a_lost_answer(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.steer("PATCH", "gateways/501", online=False)
        await house.publish("evt_1", **STAY)
        await asyncio.sleep(10)
        await house.steer("PATCH", "gateways/501", online=True)
        await house.publish("evt_2", "cancelled", time="2026-03-01T11:00:00Z")
        await asyncio.sleep(120)
        # The same room is booked for the same nights again, and the gateway is away again.
        await house.steer("PATCH", "gateways/501", online=False)
        await house.fault("drop", "lock/listKeyboardPwd", times=1)
        await house.publish("evt_3", reservationId="rsv_2", guest={"id": "gst_2"}, **STAY)
        await asyncio.sleep(20 * 60)
        _, key = await house.keys()
        assert key["state"]["type"] == "active"

    play(tmp_path, scenario)


def test_a_code_computed_before_the_gateway_came_back_stays_as_it_is(tmp_path):
    """The same, but the gateway is back at the second attempt: one code, and the guest is told that one."""

    async def scenario(house):
        await house.unmap("front")
        await house.steer("PATCH", "gateways/501", online=False)
        await house.fault("drop", "lock/listKeyboardPwd", times=1)
        await house.publish("evt_1", **STAY)
        await asyncio.sleep(2)
        await house.steer("PATCH", "gateways/501", online=True)
        await asyncio.sleep(20 * 60)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        assert len(await house.keys_at("101")) == 1

    play(tmp_path, scenario)
