"""A guest who left is locked out, though nobody can be told of it."""

import asyncio

import pytest

from shared.ports.trouble import ServiceTrouble
from tests.support.sample_hotel import play
from tests.workflows.outages.test_bus_in_trouble import out_of_order


@pytest.mark.parametrize("subject", ["checked_out", "cancelled"])
def test_a_key_is_taken_back_though_its_revocation_cannot_be_announced_yet(tmp_path, subject):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        publish = house.fleet.bus.publish

        async def troubled(topic, messages):
            if ".credential.revoked." in topic:
                raise ServiceTrouble("the topic is in trouble")
            return await publish(topic, messages)

        house.fleet.bus.publish = troubled
        await house.publish("evt_2", subject, time="2026-03-01T11:00:00Z")
        await asyncio.sleep(30 * 60)
        assert [key["state"]["type"] for key in await house.keys()] == ["revoked"]
        assert (await house.keys_at("101"), await house.keys_at("front")) == ([], [])

    play(tmp_path, scenario)


def test_the_revocation_is_told_soon_after_the_bus_is_back(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        told, publish = [], house.fleet.bus.publish

        async def noted(topic, messages):
            told.append(topic.rsplit(".", 2)[1])
            return await publish(topic, messages)

        house.fleet.bus.publish = noted
        out_of_order(house, ("revoked",), 60)
        await house.fault("errcode:-3002", "keyboardPwd/delete")
        await house.publish("evt_2", "checked_out", time="2026-03-01T11:00:00Z")
        await asyncio.sleep(180)
        assert "revoked" in told

    play(tmp_path, scenario)
