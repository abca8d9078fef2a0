"""A stay is cut short, and its new end passes while its lock is out of reach (the second trial's H1)."""

import asyncio

from tests.support.sample_hotel import DOORS, play
from tests.workflows.test_keys_that_move_and_rest import booked, changed

NOW = {"validFrom": "2026-03-01T09:00:00Z", "validUntil": "2026-03-05T07:30:00Z"}
SHORTER = "2026-03-01T12:00:00Z"


async def residues(house):
    status, shown = await house.on.send("_cloud/residues", caller="operator", method="GET")
    assert status == 200
    return shown["residues"]


async def reach(house, in_reach):
    await house.steer("PATCH", f"locks/{DOORS['101']}", inReach=in_reach)


def test_h1_the_old_window_is_listed_while_it_stands_and_removed_when_its_lock_is_back(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await booked(house, **NOW)
        await reach(house, in_reach=False)
        await changed(house, validUntil=SHORTER)
        assert len(await residues(house)) == 1
        await asyncio.sleep(4 * 3600)
        # Its new end is past, and the guest's old PIN opens until the old one.
        assert len(await house.keys_at("101")) == 1
        assert len(await residues(house)) == 1
        await reach(house, in_reach=True)
        await asyncio.sleep(2 * 3600)
        assert await house.keys_at("101") == []
        assert await residues(house) == []
        await asyncio.sleep(12 * 3600)
        (key,) = await house.keys()
        assert key["state"]["type"] == "revoked"

    play(tmp_path, scenario)
