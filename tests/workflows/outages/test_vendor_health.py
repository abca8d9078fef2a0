"""A vendor that breaks down and comes back: its health is told once for each change, and no key is lost."""

import asyncio

from tests.support.sample_hotel import play

FAR = {"validFrom": "2026-04-02T09:30:00Z", "validUntil": "2026-04-05T07:30:00Z"}
CHANGED = "melmastoon.lock.vendor_adapter.health_changed.v1"


def test_an_outage_is_told_once_for_each_change_and_keys_are_made_when_it_is_over(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.fault("http_500", "keyboardPwd/add")
        for number in range(30):
            stay = {"reservationId": f"rsv_{number}", "guest": {"id": f"gst_{number}"}}
            await house.publish(f"evt_{number}", **stay, rooms=["rmu_101"], **FAR)
        await asyncio.sleep(45)
        assert [row["state"] for row in (await house.documents("breakers")).values()] != ["closed"]
        await house.mend()
        await asyncio.sleep(20 * 60)
        rows = (await house.documents("outbox")).values()
        told = sorted((row for row in rows if row["subject"] == CHANGED), key=lambda row: row["sequence"])
        (breaker,) = (await house.documents("breakers")).values()
        states = [key["state"]["type"] for key in await house.keys()]
        return [row["sequence"] for row in told], breaker, states

    sequences, breaker, states = play(tmp_path, scenario)
    assert sequences == list(range(1, breaker["sequence"] + 1))
    assert (breaker["state"], breaker["announced"], "due_at" in breaker) == ("closed", len(sequences), False)
    assert len(sequences) >= 3
    assert states == ["active"] * 30
