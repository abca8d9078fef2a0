"""A stay is over and nobody told: its key opens nothing any more, and makes room for others at its locks."""

import asyncio

import pytest

from tests.support.left_at_locks import settlements
from tests.support.sample_hotel import owed, play

HOUR = 3600


async def one_night(house):
    """Book a night that begins now, and return when its guest has their key."""
    await house.publish("evt_1", validFrom="2026-03-01T09:00:00Z", validUntil="2026-03-02T05:00:00Z")
    await asyncio.sleep(5)
    assert len(await house.keys_at("101")) == 1


def test_its_codes_are_taken_off_the_locks_half_a_day_later_and_a_late_checkout_changes_nothing(tmp_path):
    async def scenario(house):
        await one_night(house)
        await asyncio.sleep(30 * HOUR)
        (key,) = await house.keys()
        assert key["state"]["type"] == "active"
        await asyncio.sleep(3 * HOUR)
        (key,) = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("revoked", "checkout")
        assert await house.keys_at("101") == await house.keys_at("front") == []
        assert await house.told() == ["requested", "pending", "issued", "revoked", "revoke_settled"]
        assert [ok for ok, _ in await settlements(house)] == [True]
        assert house.logged("ALERT") == []
        await _a_late_checkout_changes_nothing_more(house)

    play(tmp_path, scenario)


async def _a_late_checkout_changes_nothing_more(house):
    before = await house.keys()
    await house.publish("evt_2", "checked_out", time="2026-03-02T19:00:00Z")
    await asyncio.sleep(60)
    assert await house.keys() == before
    (entry,) = (await house.documents("credentials")).values()
    assert not owed(entry)


@pytest.mark.soak
def test_a_guest_who_turns_out_to_stay_on_gets_a_new_key(tmp_path):
    async def scenario(house):
        await one_night(house)
        await asyncio.sleep(33 * HOUR)
        later = {"validFrom": "2026-03-01T09:00:00Z", "validUntil": "2026-03-05T05:00:00Z"}
        await house.publish("evt_2", time="2026-03-02T19:00:00Z", **later)
        await asyncio.sleep(60)
        assert [key["state"]["type"] for key in await house.keys()] == ["revoked", "active"]
        assert len(await house.keys_at("101")) == 1

    play(tmp_path, scenario)


@pytest.mark.soak
def test_the_key_of_a_guest_who_stayed_on_beside_a_newer_one_ends_as_replaced(tmp_path):
    async def scenario(house):
        await one_night(house)
        later = {"validFrom": "2026-03-01T09:00:00Z", "validUntil": "2026-03-05T05:00:00Z"}
        await house.publish("evt_2", time="2026-03-01T11:00:00Z", **later)
        await asyncio.sleep(33 * HOUR)
        first, second = await house.keys()
        assert (first["state"]["type"], first["state"]["reason"]) == ("revoked", "replaced")
        assert second["state"]["type"] == "active"
        assert len(await house.keys_at("101")) == 1

    play(tmp_path, scenario)
