"""A lock that takes more than its time is not waited for: what the others said is saved."""

import asyncio

from shared.vendors.ttlock.adapter import TTLock
from tests.support.sample_hotel import DOORS, play

LATER = "2026-03-01T11:00:00Z"


def hanging(monkeypatch, operation, door, seconds):
    """Let the adapter take its time at one lock."""
    does = getattr(TTLock, operation)

    async def slowly(self, key):
        if key.vendor_device == DOORS[door]:
            await asyncio.sleep(seconds)
        return await does(self, key)

    monkeypatch.setattr(TTLock, operation, slowly)


async def grants(house):
    return (await house.documents("grants")).values()


def test_a_key_is_at_the_other_door_and_its_attempt_says_timeout(tmp_path, monkeypatch):
    async def scenario(house):
        hanging(monkeypatch, "place", "front", 200)
        await house.publish("evt_1")
        await asyncio.sleep(100)
        (key,) = await house.keys()
        assert (key["state"]["type"], len(key["core"]["plan"]["made"])) == ("pending", 1)
        calls = [(each["device_id"][-3:], each["calls"][0]["answer"]) for each in await grants(house)]
        assert sorted(calls) == [("001", "timeout"), ("101", "on_lock")]

    play(tmp_path, scenario)


def test_a_key_is_gone_from_the_other_door_and_somebody_is_told_of_the_slow_one(tmp_path, monkeypatch):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(30)
        hanging(monkeypatch, "remove", "front", 200)
        await house.publish("evt_2", "checked_out", time=LATER)
        await asyncio.sleep(150)
        assert {line["cause"] for line in house.logged("ALERT")} == {"timeout"}
        states = {each["device_id"][-3:]: each["grant"]["state"]["type"] for each in await grants(house)}
        assert states == {"001": "removing", "101": "removed"}

    play(tmp_path, scenario)
