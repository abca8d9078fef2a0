"""A property is closed, or a lock is out of use: every key goes by one job, at TTLock's simulated doors."""

import asyncio

import pytest

from tests.support.sample_hotel import SILK, play
from tests.support.shifts import begun, events_of, pins, tell

DEACTIVATED = "melmastoon.tenant.property.deactivated.v1"
ROOMS = ("101", "102", "203", "204")


async def booked(house, many=4):
    """Book so many stays, one after the other in each room."""
    for number in range(many):
        day = 2 + number // 4
        await house.publish(
            f"evt_{number}",
            reservationId=f"rsv_{number}",
            rooms=[f"rmu_{ROOMS[number % 4]}"],
            validFrom=f"2026-03-{day:02}T09:30:00Z",
            validUntil=f"2026-03-{day + 1:02}T07:30:00Z",
        )
    await house.keys_active(many)


async def job_of(house, name="ppt_kabul"):
    return (await house.documents("bulk_jobs"))[name]


async def executions(house, workflow):
    return house.fleet.means.engine.read("SELECT id FROM executions WHERE workflow = ?", (workflow,))


def test_b3_property_deactivated_revokes_every_key_by_one_execution_and_counts_them(tmp_path):
    async def scenario(house):
        await booked(house, 8)
        await begun(house)
        before = len(await executions(house, "work_on_key"))
        await tell(house, DEACTIVATED, "evt_closed", 600, propertyId="ppt_kabul")
        assert await pins(house, *ROOMS, "front") == [[]] * 5
        assert {key["state"]["reason"] for key in await house.keys()} == {"security"}
        job = await job_of(house)
        assert (job["stage"], job["revoked"], job["removed"], job["residual"]) == ("done", 9, 9, 0)
        assert len(await executions(house, "bulk_revoke")) == 1
        assert len(await executions(house, "work_on_key")) == before
        assert (await events_of(house, "mky_"))[-1][1]["trigger"] == "property.deactivated"
        told = await house.told("key_")
        assert (told.count("revoked"), told.count("revoke_settled")) == (9, 9)
        # Heard again, nothing happens; whoever books there is refused, and people read why.
        await tell(house, DEACTIVATED, "evt_closed", 60, propertyId="ppt_kabul")
        await house.publish("evt_late", reservationId="rsv_late")
        await asyncio.sleep(60)
        assert len(await house.keys()) == 9
        assert [note["field"] for note in house.quarantined()] == ["data.propertyId"]

    play(tmp_path, scenario)


def test_bulk_revoke_waits_for_a_vendor_in_trouble_and_begins_no_execution_for_each_key(tmp_path):
    async def scenario(house):
        await booked(house, 4)
        before = len(await executions(house, "work_on_key"))
        await house.fault("http_500", "keyboardPwd/delete")
        await tell(house, DEACTIVATED, "evt_closed", 120, propertyId="ppt_kabul")
        job = await job_of(house)
        assert (job["stage"], job["revoked"]) == ("removing", 4)
        assert {key["state"]["type"] for key in await house.keys()} == {"revoked"}
        await house.mend()
        await asyncio.sleep(3600)
        assert await pins(house, *ROOMS, "front") == [[]] * 5
        assert (await job_of(house))["stage"] == "done"
        assert len(await executions(house, "work_on_key")) - before <= 4

    play(tmp_path, scenario)


def test_key_that_is_still_being_made_when_its_property_closes_never_opens(tmp_path):
    async def scenario(house):
        await house.fault("http_500", "keyboardPwd/add")
        await house.publish("evt_1")
        await asyncio.sleep(5)
        await tell(house, DEACTIVATED, "evt_closed", 60, propertyId="ppt_kabul")
        await house.mend()
        await asyncio.sleep(1800)
        (key,) = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("failed", "security")
        assert await pins(house, "101", "front") == [[], []]
        assert (await job_of(house))["stage"] == "done"

    play(tmp_path, scenario)


def test_a13_2_lock_out_of_use_has_its_keys_replaced_by_ones_that_it_never_knew(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", rooms=["rmu_101", "rmu_102"])
        await begun(house)
        ((guest, staff),) = [sorted(codes) for codes in await pins(house, "102")]
        body = {"tenant": str(SILK), "property": "ppt_kabul", "device": "lck_01KSAMP1E00000000000000001"}
        status, answer = await house.on.send("begin-bulk", {**body, "by": "usr_gm"}, caller="operator")
        assert (status, answer["job"]) == (200, body["device"])
        await asyncio.sleep(300)
        ((one, other),) = [sorted(codes) for codes in await pins(house, "102")]
        assert {one, other}.isdisjoint({guest, staff})
        assert await pins(house, "front") == [[]]
        job = await job_of(house, body["device"])
        assert (job["stage"], job["revoked"]) == ("done", 2)
        assert (await house.told("mky_")) == ["issued"]

    play(tmp_path, scenario)


@pytest.mark.parametrize(("body", "field"), [({"by": "me"}, "by"), ({"device": "door"}, "device")])
def test_bulk_order_that_is_none_is_refused(tmp_path, body, field):
    async def scenario(house):
        told = {"tenant": str(SILK), "property": "ppt_kabul", "by": "usr_gm", **body}
        status, answer = await house.on.send("begin-bulk", told, caller="operator")
        assert (status, answer["error"]["field"]) == (400, field)
        assert await house.documents("bulk_jobs") == {}

    play(tmp_path, scenario)
