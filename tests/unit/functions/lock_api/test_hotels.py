"""A fresh hotel: brought in, one stay booked, and its key is at the door."""

import asyncio

from shared.domain.permissions import Role
from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import play

LOCKS = {"vendor": "ttlock", "capabilities": {"pin": True, "remote_issue": True, "remote_revoke": True}}
HOTEL = {
    "property": {"name": "Fresh", "zone": "Europe/Paris"},
    "rooms": [{"id": f"rmu_f{each}", "label": str(each), "floor": "1"} for each in (1, 2, 3)],
    "devices": [
        {"vendor_device": "1000203", "label": "Room 1", "rooms": ["rmu_f1"]},
        {"vendor_device": "1000204", "label": "Front", "rooms": ["rmu_f1", "rmu_f2"]},
    ],
    "device_defaults": LOCKS,
    "policy": {"preferredKinds": ["pin_code"]},
}
FILE = {**HOTEL, "tenant": {"id": "tnt_fresh"}, "property": {"id": "ppt_fresh", **HOTEL["property"]}}


def over_http(**change):
    """Return the same description as it is sent over HTTP, where the address names the property."""
    told = {**HOTEL, **change}
    told["deviceDefaults"] = told.pop("device_defaults")
    return told


def test_a_fresh_hotel_is_brought_in_and_its_first_guest_has_a_key_at_the_door(tmp_path):
    async def scenario(house):
        status, told = await house.on.send(
            "_cloud/hotels", {**FILE, "simulator_port": 8788}, caller="operator"
        )
        assert (status, told["created"], told["accounts_opened"]) == (200, 6, ["ttlock"])
        desk = Desk(house, at=("ppt_fresh",), tenant="tnt_fresh")
        wanted = stay(property="ppt_fresh", rooms=["rmu_f1"])
        await desk.do("stays", wanted)
        await asyncio.sleep(10)
        assert len(await house.keys_at("203")) == len(await house.keys_at("204")) == 1
        shown = await desk.get("properties/ppt_fresh/setup")
        assert {each["label"] for each in shown["doors"]} == {"Front", "Room 1"}
        assert shown["zone"] == "Europe/Paris"
        admin, (room, front) = Desk(house, Role.TENANT_ADMIN, at=None, tenant="tnt_fresh"), HOTEL["devices"]
        path, wider = "properties/ppt_fresh/setup", front | {"rooms": ["rmu_f1", "rmu_f2", "rmu_f3"]}
        next_door = over_http(devices=[room | {"rooms": ["rmu_f2"]}, front])
        told = await admin.ask("PUT", path, next_door)
        assert (told.status, "still count" in str(told.body)) == (400, True)
        assert (await admin.do(path, over_http(devices=[room, wider]), method="PUT"))["changed"] == 1

    play(tmp_path, scenario)


def test_a_description_changes_what_it_says_and_tells_what_does_not_fit(tmp_path):
    async def scenario(house):
        admin = Desk(house, Role.TENANT_ADMIN, at=None)
        path, (room, front) = "properties/ppt_fresh/setup", HOTEL["devices"]
        told = await admin.ask("PUT", path, over_http())
        assert (told.status, "1000203 is mapped at ppt_kabul already" in str(told.body)) == (400, True)
        own = over_http(devices=[{**room, "vendor_device": "1000777"}, {**front, "vendor_device": "1000001"}])
        first = await admin.do(path, own, method="PUT")  # the front door is both houses'
        assert (first["created"], first["roomsWithoutLock"], first["roomsWithoutOwnLock"]) == (
            6,
            ["rmu_f3"],
            ["rmu_f2", "rmu_f3"],
        )
        again = await admin.do(path, own, method="PUT")
        assert (again["created"], again["changed"], again["unchanged"]) == (0, 0, 6)
        fewer = await admin.do(path, over_http(devices=own["devices"][:1]), method="PUT")
        assert len(fewer["notInFile"]) == 1
        assert len((await admin.get(path))["doors"]) == 2

    play(tmp_path, scenario)


def test_a_mistake_names_its_field_and_nothing_is_kept_of_the_whole(tmp_path):
    async def scenario(house):
        admin, path = Desk(house, Role.TENANT_ADMIN, at=None), "properties/ppt_fresh/setup"
        device = HOTEL["devices"][0]
        mistakes = {
            "property.zone": over_http(property={"name": "Fresh", "zone": "Mars/Crater"}),
            "rooms[0].id": over_http(rooms=[{"id": "101", "label": "1", "floor": "1"}]),
            "rooms": over_http(rooms=HOTEL["rooms"] * 2),
            "devices.Room 1.rooms": over_http(devices=[{**device, "rooms": ["rmu_none"]}]),
            "devices.Room 1.vendor": over_http(devices=[{**device, "vendor": "nobody"}]),
            "devices[0].colour": over_http(devices=[{**device, "colour": "red"}]),
            "devices": over_http(devices=[device, device]),
            "pinDigits": over_http(policy={"pinDigits": 3}),
        }
        for field, told in mistakes.items():
            answer = await admin.ask("PUT", path, told)
            assert (answer.status, answer["code"]) == (400, "invalid-input"), field
            assert answer["errors"][0]["field"].startswith(field), answer.body
        assert (await admin.ask("GET", path)).status == 404
        kabul = [{"id": "rmu_101", "label": "1", "floor": "1"}]
        taken = over_http(rooms=kabul, devices=[{**device, "rooms": ["rmu_101"]}])
        assert (await admin.ask("PUT", path, taken)).status == 400
        assert (await admin.ask("GET", path)).status == 404
        clerk = Desk(house, Role.FRONT_DESK)
        assert (await clerk.ask("PUT", "properties/ppt_kabul/setup", over_http())).status == 403

    play(tmp_path, scenario)
