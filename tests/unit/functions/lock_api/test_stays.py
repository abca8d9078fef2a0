"""A stay's life over HTTP: what is asked at a desk is seen at the simulated doors."""

import asyncio

from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import play
from tests.workflows.staff.test_staff_shifts import tell


def test_a_stay_is_booked_changed_held_and_ended_and_the_doors_follow(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        booked = await desk.do("stays", stay(guest={"contact": {"email": "guest@example.com"}}))
        assert (booked["status"], booked["rooms"], len(booked["keys"])) == ("confirmed", ["rmu_101"], 1)
        here = f"stays/{booked['reservation']}"
        await asyncio.sleep(5)
        code = await codes_at(house, "101")
        await _moves(house, desk, here, code)
        await _rests(house, desk, here, code)
        await _ends(house, desk, here)
        assert house.quarantined() == []

    play(tmp_path, scenario)


async def codes_at(house, door):
    return [each["code"] for each in await house.keys_at(door)]


async def _moves(house, desk, here, code):
    moved = await desk.do(here, {"rooms": ["rmu_102"]}, method="PATCH")
    assert moved["rooms"] == ["rmu_102"]
    await asyncio.sleep(5)
    assert (await codes_at(house, "102"), await codes_at(house, "101")) == (code, [])


async def _rests(house, desk, here, code):
    held = await desk.do(f"{here}/hold", {"reason": "overdue_payment"})
    assert held["holds"] == ["overdue_payment"]
    await asyncio.sleep(5)
    assert await house.keys_at("102") == []
    await desk.do(f"{here}/release", {"reason": "overdue_payment"})
    await asyncio.sleep(5)
    assert await codes_at(house, "102") == code


async def _ends(house, desk, here):
    over = await desk.do(f"{here}/check-out")
    assert over["status"] == "checked_out"
    await asyncio.sleep(5)
    assert await house.keys_at("102") == await house.keys_at("front") == []
    assert (await desk.get(f"credentials/{over['keys'][0]['id']}"))["state"] == "revoked"
    told = {(each["source"], each["kind"]) for each in (await desk.get(f"{here}/timeline"))["timeline"]}
    assert {("booking", "applied"), ("event", "published"), ("lock", "removed")} <= told
    assert (await desk.do(f"{here}/check-out"))["status"] == "checked_out"
    again = await desk.ask("POST", "stays", stay(reservation=over["reservation"]))
    assert (again.status, again["code"]) == (409, "conflict")
    assert (await desk.ask("PATCH", here, {"rooms": ["rmu_101"]})).status == 409


def test_what_can_have_no_key_is_refused_before_anybody_hears_of_it(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        refused = {
            "rooms": stay(rooms=["rmu_999"]),
            "validUntil": stay(validFrom="2020-01-01T00:00:00Z", validUntil="2020-01-02T00:00:00Z"),
            "propertyId": stay(property="ppt_nowhere"),
        }
        everywhere = Desk(house, at=None)
        for field, wanted in refused.items():
            told = await everywhere.ask("POST", "stays", wanted)
            assert (told.status, told["code"]) == (400, "invalid-input")
            assert field in told["errors"][0]["field"]
        backwards = await desk.ask("POST", "stays", stay(validUntil="2026-03-01T00:00:00Z"))
        assert backwards.status == 400
        assert await house.documents("reservations") == {}
        elsewhere = await Desk(house, at=("ppt_herat",)).ask("POST", "stays", stay())
        assert (elsewhere.status, elsewhere["code"]) == (404, "not-found")
        await desk.do("stays", stay(reservation="rsv_1"))
        assert (await desk.ask("PATCH", "stays/rsv_1", {"rooms": ["rmu_999"]})).status == 400
        assert (await desk.ask("PATCH", "stays/rsv_1", {})).status == 400
        assert len((await desk.get("stays/rsv_1"))["heard"]) == 1

    play(tmp_path, scenario)


def test_a_stay_of_another_hotel_cannot_be_moved_by_its_id(tmp_path):
    async def scenario(house):
        await Desk(house).do("stays", stay(reservation="rsv_1"))
        herat = Desk(house, at=("ppt_herat",))
        for method, path, body in (
            ("POST", "stays", stay(reservation="rsv_1", property="ppt_herat")),
            ("PATCH", "stays/rsv_1", {"rooms": ["rmu_102"]}),
            ("POST", "stays/rsv_1/check-out", {}),
            ("POST", "stays/rsv_1/hold", {}),
            ("GET", "stays/rsv_1", None),
        ):
            assert (await herat.ask(method, path, body)).status == 404, path
        stay_of = await Desk(house).get("stays/rsv_1")
        assert (stay_of["property"], stay_of["rooms"], len(stay_of["heard"])) == ("ppt_kabul", ["rmu_101"], 1)

    play(tmp_path, scenario)


def test_a_clerk_whose_account_is_gone_books_and_changes_nothing_with_a_token_that_was_just_taken(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        await desk.do("stays", stay(reservation="rsv_1"))
        await asyncio.sleep(5)
        await tell(house, "melmastoon.iam.user.deactivated.v1", "evt_fired", seconds=3, userId="usr_7")
        for path, body in (("stays", stay(reservation="rsv_2", rooms=["rmu_102"])), ("stays/rsv_1/hold", {})):
            assert (await desk.ask("POST", path, body)).status == 401
        await asyncio.sleep(30)
        assert set(await house.documents("reservations")) == {"rsv_1"}
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]

    play(tmp_path, scenario)
