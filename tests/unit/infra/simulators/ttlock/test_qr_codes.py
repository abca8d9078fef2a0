"""QR codes: computed like random passcodes, good while fresh, and shown no more once deleted."""

import pytest

from infra.simulators.ttlock.hotel import QR_CODE, feature_value
from tests.unit.infra.simulators.ttlock.integrator import DAY, OTHER_ROOM, ROOM


@pytest.fixture
async def sim(at_a_hotel, hotel):
    """A hotel whose locks have cameras."""
    return await at_a_hotel(
        locks=[{**lock, "featureValue": feature_value(QR_CODE)} for lock in hotel["locks"]]
    )


async def add(sim, **fields):
    """Make a code for a day."""
    fields = {"name": "MM-1", "type": 1, "startDate": sim.ms, "endDate": sim.ms + DAY, **fields}
    return await sim.post("/v3/qrCode/add", lockId=ROOM, **fields)


async def data(sim, row):
    """Return what a code shows now."""
    return await sim.get("/v3/qrCode/getData", qrCodeId=row["qrCodeId"])


async def test_a_code_opens_its_own_lock_while_it_is_fresh(sim):
    shown = (await data(sim, await add(sim)))["qrCodeContent"]
    assert await sim.try_door(qr=shown) == "open"
    assert await sim.try_door(OTHER_ROOM, qr=shown) == "unknown"
    sim.wait(minutes=10)
    assert await sim.try_door(qr=shown) == "expired"


async def test_a_code_shows_nothing_outside_its_period(sim):
    row = await add(sim, startDate=sim.ms + DAY, endDate=sim.ms + 2 * DAY)
    for status in (3, 1, 2):
        answer = await data(sim, row)
        assert (answer["status"], "qrCodeContent" in answer) == (status, status == 1)
        sim.wait(days=1)


async def test_a_deleted_code_is_shown_no_more_and_opens_until_it_is_stale(sim):
    row = await add(sim)
    shown = (await data(sim, row))["qrCodeContent"]
    assert (await sim.post("/v3/qrCode/delete", lockId=ROOM, qrCodeId=row["qrCodeId"]))["errcode"] == 0
    assert (await data(sim, row))["errcode"] == -3
    assert await sim.try_door(qr=shown) == "open"


async def test_codes_are_numbered_per_lock_and_listed(sim):
    assert [(await add(sim, name=name))["qrCodeNumber"] for name in ("one", "two")] == [1, 2]
    fields = {"lockId": ROOM, "pageNo": 1, "pageSize": 9, "name": "TW"}
    assert [row["qrCodeNumber"] for row in (await sim.get("/v3/qrCode/list", **fields))["list"]] == [2]


async def test_a_permanent_code_needs_no_window(sim):
    row = await add(sim, type=2, startDate=None, endDate=None, refreshTime=1440)
    shown = (await data(sim, row))["qrCodeContent"]
    sim.wait(hours=23)
    assert await sim.try_door(qr=shown) == "open"


@pytest.mark.parametrize("content", ["", "1.2.3", "1.0.0.0.10.0000000000000000", "x" * 400])
async def test_a_made_up_content_opens_nothing(sim, content):
    assert await sim.try_door(qr=content) == "unknown"


@pytest.mark.parametrize(
    ("fields", "errcode"), [({"type": 4}, -3), ({"addType": 2}, -4043), ({"refreshTime": 0}, -3)]
)
async def test_an_impossible_code_is_refused(sim, fields, errcode):
    assert (await add(sim, **fields))["errcode"] == errcode


async def test_a_lock_without_a_camera_says_so(at_a_hotel, hotel):
    hotel["locks"] = [{**lock, "featureValue": "1"} for lock in hotel["locks"]]
    assert (await add(await at_a_hotel()))["errcode"] == -4043


async def test_a_code_of_another_lock_is_not_deleted(sim):
    row = await add(sim)
    fields = {"lockId": OTHER_ROOM, "qrCodeId": row["qrCodeId"]}
    assert (await sim.post("/v3/qrCode/delete", **fields))["errcode"] == -3
