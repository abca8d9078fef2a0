"""A lock that will not have a staff key's PIN, for another's opens there, gets its holder another key."""

import asyncio

from tests.support.sample_hotel import play
from tests.support.shifts import ADD, begun, ended, pins, words

TAKEN = "errcode:-3007"
ON, WIDER = ["room:rmu_101"], ["room:rmu_101", "room:rmu_204"]
NOW = "2026-03-01T09:00:00Z"


async def widened(house, *, times=None):
    """Have a cleaner at work told of one more room, whose lock refuses the PIN; return that PIN."""
    await begun(house, validFrom=NOW, scopes=ON)
    ((pin,),) = await pins(house, "101")
    await house.fault(TAKEN, ADD, **({} if times is None else {"times": times}))
    await begun(house, "evt_2", validFrom=NOW, scopes=WIDER, time="2026-03-01T10:00:00Z", seconds=1)
    return pin


async def states(house):
    return sorted(
        ((each["state"]["type"], each["core"]["role"]) for each in await house.keys()),
        key=lambda told: told[1],
    )


def test_staff_key_whose_pin_a_further_door_refuses_is_replaced_and_opens_until_then(tmp_path):
    async def scenario(house):
        pin = await widened(house, times=1)
        for _ in range(180):
            ((*here,),) = await pins(house, "101")
            assert here
            await asyncio.sleep(1)
        old, new = sorted(await house.keys(), key=lambda each: each["core"]["role"] == "replacement")
        assert (old["state"]["type"], old["state"]["reason"]) == ("revoked", "replaced")
        assert old["state"]["replaced_by"] == new["core"]["id"]
        assert (new["state"]["type"], new["core"]["replaces"]) == ("active", old["core"]["id"])
        ((other,), (there,)) = await pins(house, "101", "204")
        assert other == there != pin
        assert house.logged("ALERT") == []
        assert await words(house) == ["issued"]
        await ended(house)
        assert await pins(house, "101", "204") == [[], []]
        assert await words(house) == ["issued", "expired"]

    play(tmp_path, scenario)


def test_lock_that_refuses_every_pin_is_told_to_people_and_costs_no_more_than_one_replacement(tmp_path):
    async def scenario(house):
        await widened(house)
        await asyncio.sleep(240)
        assert await states(house) == [("revoked", "first"), ("failed", "replacement")]
        assert house.logged("ALERT")
        await house.mend()
        await asyncio.sleep(1800)
        assert ("active", "first") in await states(house)
        ((one,), (other,)) = await pins(house, "101", "204")
        assert one == other

    play(tmp_path, scenario)
