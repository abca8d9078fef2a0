"""Locks over HTTP: seen, mapped, proven at the door and taken out of use; and who tried them."""

import asyncio

from shared.domain.permissions import Role
from tests.support.api_desk import Desk, stay
from tests.support.heard_hotel import play
from tests.support.sample_hotel import DOORS, device_at
from tests.workflows.doors.test_locks_looked_at import look

LOCK = f"devices/{device_at('101')}"
ABLE = {"capabilities": {"pin": True}}
GYM = {"vendor": "ttlock", "vendorDevice": "1000999", "label": "Gym", "areas": ["gym"], **ABLE}


async def seen(house, desk):
    """Check what a desk sees of locks before and after they are looked at."""
    assert {each["state"] for each in (await desk.get("devices"))["devices"]} == {"never looked at"}
    await look(house)
    listed = {each["device"]: each for each in (await desk.get("devices"))["devices"]}
    assert listed.keys() == set(map(device_at, DOORS))
    one = await desk.get(LOCK)
    assert one == listed[device_at("101")]
    assert (one["state"], one["rooms"], one["clock"]) == ("online", ["rmu_101"], "right")
    mapping = await desk.get("mapping")
    assert mapping["incapable"] == []
    assert (mapping["sharedDoors"], len(mapping["unproven"])) == ([device_at("front")], 5)


async def proven(house, desk):
    """Prove a lock at its door; what was told once is told no more."""
    challenged = await desk.do(f"{LOCK}/challenge", **{"idempotency-key": "k" * 16})
    assert challenged["label"] == "Room 101"
    await asyncio.sleep(20)
    again = await desk.ask("POST", f"{LOCK}/challenge", {})
    assert (again.status, challenged["code"] in str(again.body)) == (409, False)
    assert await house.try_door("101", pin=challenged["code"]) == "open"
    await house.heard()
    assert (await desk.get(LOCK))["provenAt"]


def test_a_lock_is_seen_proven_and_taken_out_of_use(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        await house.listen()
        await seen(house, desk)
        await proven(house, desk)
        left = await desk.do(f"devices/{device_at('204')}/decommission", {"because": "bricked up"})
        assert (left["device"], left["keys"]) == (device_at("204"), [])
        assert (await desk.ask("GET", f"devices/{device_at('204')}")).status == 404
        mapped = await desk.do("properties/ppt_kabul/devices", GYM)
        assert mapped == await desk.do("properties/ppt_kabul/devices", GYM)
        assert mapped["device"] in {each["device"] for each in (await desk.get("devices"))["devices"]}
        for wrong in ({"vendorDevice": DOORS["101"]}, {"vendor": "nobody"}, {"rooms": ["rmu_999"]}):
            told = await desk.ask("POST", "properties/ppt_kabul/devices", {**GYM, **wrong})
            assert told.status == 400, told.body

    play(tmp_path, scenario)


async def moved_while_it_has_keys(desk):
    """Map a lock that has a guest's key to the room next door, which is refused, and then as it was."""
    moved = {**GYM, "id": device_at("101"), "vendorDevice": DOORS["101"], "rooms": ["rmu_102"]}
    told = await desk.ask("POST", "properties/ppt_kabul/devices", moved)
    assert (told.status, "still count" in str(told.body)) == (400, True)
    same = moved | {"rooms": ["rmu_101"], "label": "Room 101"}
    assert (await desk.do("properties/ppt_kabul/devices", same))["device"] == device_at("101")


def test_attempts_and_anomalies_are_told_where_their_reader_works(tmp_path):
    async def scenario(house):
        desk, herat = Desk(house), Desk(house, at=("ppt_herat",))
        await house.listen()
        await desk.do("stays", stay(reservation="rsv_1", validFrom="2026-03-01T08:00:00Z"))
        await asyncio.sleep(10)
        ((row,),) = [await house.keys_at("101")]
        await moved_while_it_has_keys(desk)
        await house.try_door("101", pin=row["code"])
        for code in range(5):
            await asyncio.sleep(1)
            await house.try_door("102", pin=f"9999{code:02}")
        await house.heard()
        told = await desk.get("attempts?limit=2")
        assert ([each["opened"] for each in told["attempts"]], told["more"]) == ([False, False], True)
        (mine,) = (await desk.get(f"attempts?device={device_at('101')}"))["attempts"]
        assert (mine["opened"], mine["means"], mine["label"]) == (True, "pin", "Room 101")
        assert (await desk.get(f"attempts?key={mine['key']}"))["attempts"] == [mine]
        (odd,) = (await desk.get("anomalies"))["anomalies"]
        assert (odd["kind"], odd["device"], len(odd["attempts"])) == ("repeated_denials", device_at("102"), 5)
        assert row["code"] not in str([told, mine, odd])
        both = f"attempts?key={mine['key']}&device={device_at('101')}"
        assert (await desk.ask("GET", both)).status == 400
        for path in (f"attempts?key={mine['key']}", f"attempts?device={device_at('101')}", LOCK):
            assert (await herat.ask("GET", path)).status == 404, path
        for path in ("attempts", "anomalies", "devices", "mapping"):
            assert (await herat.ask("GET", f"{path}?property=ppt_kabul")).status == 404, path
        assert (await Desk(house, Role.HOUSEKEEPER).ask("GET", "attempts")).status == 403

    play(tmp_path, scenario)
