"""What is left at a lock is listed with the moment at which the lock is asked again, and no later."""

import asyncio

from shared.domain.instants import instant_from_text
from shared.queries.attention import residues
from shared.queries.hotels import Cell
from tests.support.sample_hotel import play

FAR = {"validFrom": "2026-04-02T09:30:00Z", "validUntil": "2026-04-05T07:30:00Z"}
OFF = "2026-03-01T11:00:00Z"
TICK = 1
A_SWEEP = 60


def test_the_next_try_that_is_told_is_the_next_try_that_is_made(tmp_path):
    """Asleep in an execution, then parked for the sweeper: what is told comes true each time."""

    async def listed(house):
        now = house.fleet.platform.clock.now()
        (each,) = await residues(Cell(house.fleet.documents, "local"), None, now)
        return instant_from_text(each["next_try"], "next_try"), each["asked_last"]

    async def scenario(house):
        await house.unmap("front")
        await house.publish("evt_1", **FAR)
        await house.keys_active(1)
        await house.settled()
        await house.fault("http_500", "keyboardPwd/delete")
        await house.publish("off_1", "cancelled", time=OFF, reservationId="rsv_1")
        await asyncio.sleep(TICK)
        late = []
        for _ in range(5):
            told, asked = await listed(house)
            while (await listed(house))[1] == asked:  # noqa: ASYNC110 - virtual time, and nobody to tell us
                await asyncio.sleep(TICK)
            late.append((house.fleet.platform.clock.now() - told).total_seconds())
            await asyncio.sleep(TICK)
        return late

    late = play(tmp_path, scenario)
    assert all(0 <= seconds <= 2 * TICK for seconds in late[:3])
    assert all(0 <= seconds <= A_SWEEP + 2 * TICK for seconds in late)
