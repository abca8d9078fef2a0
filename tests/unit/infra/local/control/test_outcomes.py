"""What came of a published event, told by a fleet that really makes keys."""

import asyncio

import pytest

from tests.support.sample_hotel import SILK, play

STAY = {
    "reservationId": "rsv_1",
    "propertyId": "ppt_kabul",
    "guest": {"id": "gst_1"},
    "rooms": ["rmu_101"],
    "validFrom": "2026-03-01T10:00:00Z",
    "validUntil": "2026-03-05T07:00:00Z",
}


async def _publish(house, data, verb="confirmed"):
    body = {"subject": f"melmastoon.reservation.booking.{verb}.v1", "tenant": SILK, "data": data}
    status, told = await house.on.send("_cloud/publish", body, caller="operator")
    assert status == 200, told
    return told


async def _outcome(house, told):
    path = f"_cloud/outcomes/{told['message_id']}?event={told['event_id']}&tenant={SILK}"
    stay = f"&reservation={told['reservation']}" if told["reservation"] else ""
    status, answer = await house.on.send(path + stay, caller="operator", method="GET")
    assert status == 200, answer
    return answer


def _after(tmp_path, data, verb="confirmed", seconds=60):
    async def scenario(house):
        told = await _publish(house, data, verb)
        at_once = await _outcome(house, told)
        await asyncio.sleep(seconds)
        return at_once, await _outcome(house, told), told

    return play(tmp_path, scenario)


def test_a_key_that_is_made_settles_its_event_and_not_before(tmp_path):
    at_once, later, _ = _after(tmp_path, STAY)
    assert at_once["settled"] is False
    assert (later["settled"], later["heard"]["outcome"]) == (True, "applied")
    assert [key["state"] for key in later["keys"]] == ["active"]


def test_what_was_set_aside_is_told_with_field_and_remedy(tmp_path):
    _, later, _ = _after(tmp_path, {**STAY, "rooms": ["rmu_999"]})
    ((letter,), keys) = (later["letters"], later["keys"])
    assert (later["settled"], keys) == (True, [])
    assert letter["problems"][0]["field"]
    assert letter["problems"][0]["remedy"]


def test_an_event_that_is_ignored_says_why(tmp_path):
    async def scenario(house):
        await _publish(house, {**STAY, "version": 2})
        await asyncio.sleep(60)
        older = await _publish(house, {**STAY, "version": 1})
        await asyncio.sleep(60)
        return await _outcome(house, older)

    found = play(tmp_path, scenario)
    assert (found["settled"], found["heard"]["outcome"]) == (True, "ignored")
    assert found["heard"]["because"]


def test_a_removal_that_a_lock_refuses_is_not_over(tmp_path):
    async def scenario(house):
        await _publish(house, STAY)
        await asyncio.sleep(60)
        await house.fault("errcode:-3003", "keyboardPwd/delete")
        told = await _publish(house, {"reservationId": "rsv_1"}, "checked_out")
        await asyncio.sleep(20)
        refused = await _outcome(house, told)
        await house.mend()
        await asyncio.sleep(900)
        return refused, await _outcome(house, told)

    refused, later = play(tmp_path, scenario)
    assert (refused["settled"], refused["heard"]["outcome"]) == (False, "applied")
    assert (later["settled"], later["keys"][0]["state"]) == (True, "revoked")


def test_an_event_about_no_stay_is_settled_by_its_delivery(tmp_path):
    async def scenario(house):
        body = {"subject": "melmastoon.tenant.config_updated.v1", "tenant": SILK, "data": {}}
        _, told = await house.on.send("_cloud/publish", body, caller="operator")
        await asyncio.sleep(10)
        return await _outcome(house, told)

    found = play(tmp_path, scenario)
    assert (found["settled"], found["letters"], found["heard"]) == (True, [], None)


@pytest.mark.parametrize("query", ["", "?event=evt_1"])
def test_a_question_that_does_not_say_which_event_is_refused(tmp_path, query):
    async def scenario(house):
        return await house.on.send(f"_cloud/outcomes/1{query}", caller="operator", method="GET")

    status, answer = play(tmp_path, scenario)
    assert (status, answer["error"]["field"]) == (400, "event")
