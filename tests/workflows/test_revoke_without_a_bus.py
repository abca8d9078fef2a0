"""A guest who left is locked out, though nobody can be told of it."""

import asyncio

import pytest

from shared.ports.trouble import ServiceTrouble
from tests.guesthouse import play


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
