"""A withdrawal whose every call breaks off: somebody is told, and what can be taken back is."""

import asyncio

import pytest

from shared.ledger.sealed_keys import SealedKeys
from shared.ports.documents import Delete, Ref
from shared.ports.trouble import ServiceTrouble
from shared.vendors.ttlock.adapter import TTLock
from tests.support.sample_hotel import DOORS, SILK, play

LATER = "2026-03-01T11:00:00Z"
HOUR = 3600


async def leave(house, *, hours):
    """Let the guest of a key that was made check out, and some time pass."""
    await house.publish("evt_2", "checked_out", time=LATER)
    await asyncio.sleep(hours * HOUR)


async def arrive(house):
    """Make a key."""
    await house.publish("evt_1", rooms=["rmu_101"])
    await asyncio.sleep(30)
    assert [key["state"]["type"] for key in await house.keys()] == ["active"]


async def states(house):
    """Return how the key stands at each lock."""
    return {row["grant"]["state"]["type"] for row in (await house.documents("grants")).values()}


def test_a_property_that_is_gone_makes_it_a_risk_that_somebody_is_told_of(tmp_path):
    async def scenario(house):
        await arrive(house)
        store = house.fleet.documents.tenant(SILK)
        found = await store.get(Ref("properties", "ppt_kabul"))
        await house.rebuild([Delete(found.ref, found.version)])
        await leave(house, hours=1)
        assert {line["runbook"] for line in house.logged("ALERT")} == {"lock/key-revoke"}
        assert await states(house) == {"residual"}

    play(tmp_path, scenario)


@pytest.mark.parametrize(("broken", "other"), [("101", "front"), ("front", "101")])
def test_a_crash_at_one_lock_is_told_within_the_hour_keeps_no_other_open_and_is_mended_by_itself(
    tmp_path, monkeypatch, broken, other
):
    removed, mended = TTLock.remove, []

    async def remove(self, key):
        if key.vendor_device == DOORS[broken] and not mended:
            raise RuntimeError("a fault of ours at this one lock")
        await removed(self, key)

    monkeypatch.setattr(TTLock, "remove", remove)

    async def scenario(house):
        await arrive(house)
        await leave(house, hours=1.25)
        assert {line["cause"] for line in house.logged("ALERT")} == {"adapter_lost"}
        assert "residual" in await states(house)
        assert await house.keys_at(other) == []
        mended.append(True)
        await asyncio.sleep(2 * HOUR)
        assert await states(house) == {"removed"}

    play(tmp_path, scenario)


def test_while_the_vault_is_out_of_reach_keys_go_by_their_names_and_none_is_believed_gone(
    tmp_path, monkeypatch
):
    find, shaken = SealedKeys.find, [True]

    async def found(self, name):
        if shaken:
            raise ServiceTrouble("the vault is out of reach")
        return await find(self, name)

    async def scenario(house):
        await arrive(house)
        for row in house.sim.cloud.passcodes.of(int(DOORS["101"])):
            object.__setattr__(row, "name", "the cleaner's")  # as somebody with the vendor's app would
        monkeypatch.setattr(SealedKeys, "find", found)
        await leave(house, hours=0.1)
        assert await house.keys_at("front") == []
        assert (len(await house.keys_at("101")), await states(house)) == (1, {"removing"})
        shaken.clear()
        await asyncio.sleep(HOUR)
        assert (await house.keys_at("101"), await states(house)) == ([], {"removed"})

    play(tmp_path, scenario)
