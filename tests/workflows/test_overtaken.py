"""A stay that ended before we heard it confirmed gets no key, whatever the clocks say."""

import asyncio

import pytest

from tests.guesthouse import play

EARLIER, LATER = "2026-03-01T09:00:00Z", "2026-03-01T11:00:00Z"


@pytest.mark.parametrize("subject", ["cancelled", "checked_out", "early_checkout"])
@pytest.mark.parametrize("time", [EARLIER, LATER])
def test_an_end_that_overtook_the_confirmation_is_the_end(tmp_path, subject, time):
    async def scenario(house):
        await house.publish("evt_end", subject)
        await asyncio.sleep(1)
        await house.publish("evt_confirmed", time=time)
        await asyncio.sleep(200)
        return await house.documents("credentials"), await house.documents("reservations")

    credentials, stays = play(tmp_path, scenario)
    assert credentials == {}
    assert [heard["outcome"] for heard in stays["rsv_1"]["heard"]] == ["applied", "ignored"]


@pytest.mark.parametrize(("version", "keys"), [(1, 0), (2, 0), (3, 1)])
def test_only_a_higher_version_reopens_it(tmp_path, version, keys):
    async def scenario(house):
        await house.publish("evt_end", "cancelled", version=2)
        await asyncio.sleep(1)
        await house.publish("evt_confirmed", time=LATER, version=version)
        await asyncio.sleep(5)
        return await house.active_keys()

    assert len(play(tmp_path, scenario)) == keys
