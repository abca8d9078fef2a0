"""Every scenario in the sample hotel ends with a hunt: what opens a door, and can be read, fails it."""

import asyncio

import pytest

from shared.ports.documents import Create, Ref
from tests.support.sample_hotel import SILK, play


async def logged(house, pin):
    house.fleet.platform.log.info("a remark", said=pin)


async def kept(house, pin):
    await house.fleet.documents.tenant(SILK).commit([Create(Ref("remarks", "one"), {"said": pin})])


@pytest.mark.parametrize(("leak", "place"), [(logged, "log"), (kept, "documents")])
def test_a_pin_that_can_be_read_somewhere_fails_a_scenario(tmp_path, leak, place):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        (row,) = await house.keys_at("101")
        await leak(house, row["code"])

    with pytest.raises(AssertionError, match=place):
        play(tmp_path, scenario)
