"""What is over while its lock is out of reach is over at the lock, and gone when it is back (H1, ES3)."""

import asyncio
from datetime import datetime, timedelta

from tests.support.changed_stays import booked, changed
from tests.support.left_at_locks import residues
from tests.support.sample_hotel import DOORS, play

NOW = {"validFrom": "2026-03-01T09:00:00Z", "validUntil": "2026-03-05T07:30:00Z"}
SHORTER = "2026-03-01T12:00:00Z"


async def opens(house, pin):
    return (await house.steer("POST", f"doors/{DOORS['101']}/try", pin=pin))["opens"]


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


def test_h1_a_window_that_was_cut_by_an_hour_is_listed_from_its_new_end_until_its_lock_heard(tmp_path):
    """Found by the days that pass (tests/soak/outside): so much a vendor may round a window by."""

    async def scenario(house):
        await house.unmap("front")
        await booked(house, validFrom="2026-03-01T09:00:00Z", validUntil="2026-03-01T13:00:00Z")
        (row,) = await house.keys_at("101")
        await house.fault("drop", "keyboardPwd/change")
        await house.fault("drop", "keyboardPwd/delete")
        await changed(house, validUntil=SHORTER)
        new_end = datetime.fromisoformat(SHORTER)
        while house.fleet.platform.clock.now() < new_end + timedelta(minutes=30):
            await asyncio.sleep(60)
            late = house.fleet.platform.clock.now() >= new_end
            if late and await opens(house, row["code"]):
                assert len(await residues(house)) == 1
        await house.mend()
        await asyncio.sleep(2 * 3600)
        assert await house.keys_at("101") == []
        assert await residues(house) == []

    play(tmp_path, scenario)


def test_es3_a_residue_lapses_by_its_lock_s_slow_clock_and_is_removed_when_the_lock_is_back(tmp_path):
    """The clock is 20 minutes slow, and TTLock said so when the key was placed."""

    async def scenario(house):
        await house.unmap("front")
        await house.steer("PATCH", f"locks/{DOORS['101']}", skewSeconds=-1200)
        await booked(house, validFrom="2026-03-01T09:00:00Z", validUntil="2026-03-01T15:00:00Z")
        await reach(house, in_reach=False)
        await house.publish("evt_2", "cancelled", version=3, time="2026-03-01T11:00:00Z")
        await asyncio.sleep(6 * 3600 + 60)
        (row,) = await house.keys_at("101")
        # Six hours have passed, and by the lock's clock they have not.
        assert (await opens(house, row["code"]), len(await residues(house))) == (True, 1)
        await asyncio.sleep(2 * 3600)
        assert (await opens(house, row["code"]), len(await residues(house))) == (False, 0)
        await reach(house, in_reach=True)
        await asyncio.sleep(25 * 3600)
        assert await house.keys_at("101") == []
        (grant,) = (await house.documents("grants")).values()
        assert grant["grant"]["state"]["proof"] == "vendor_confirmed"

    play(tmp_path, scenario)
