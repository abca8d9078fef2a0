"""A booking becomes a key at its locks, and is taken back when the guest leaves."""

import asyncio

from tests.support.sample_hotel import owed, play


def test_a_booking_becomes_an_active_key_at_each_of_its_locks_until_the_guest_leaves(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        (kept,) = (await house.documents("credentials")).values()
        assert kept["credential"]["state"]["type"] == "active"
        assert not owed(kept)
        (at_room,), (at_front,) = await house.keys_at("101"), await house.keys_at("front")
        assert at_room["code"] == at_front["code"]
        assert at_room["name"] != at_front["name"]
        await house.publish("evt_2", "checked_out", time="2026-03-05T07:00:00Z")
        await asyncio.sleep(5)
        (kept,) = (await house.documents("credentials")).values()
        assert kept["credential"]["state"]["type"] == "revoked"
        assert [lock["ok"] for lock in kept["credential"]["state"]["settlement"]] == [True, True]
        assert "due_at" not in kept
        assert await house.keys_at("101") == await house.keys_at("front") == []
        assert "ERROR" not in house.on.log.getvalue()

    play(tmp_path, scenario)
