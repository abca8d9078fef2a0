"""Messages that were set aside: found by their booking, every problem told, nobody's words repeated."""

import asyncio

import orjson

from infra.local.control.dead_letters import PAGE
from shared.ports.bus import Message
from tests.support.simulated import play

SUBJECT = "melmastoon.reservation.booking.confirmed.v1"
BROKEN = {"subject": SUBJECT, "type": SUBJECT, "tenantId": "tnt_silk", "data": {"reservationId": "rsv_1"}}


def _message(reservation, key=""):
    return Message(orjson.dumps({**BROKEN, "data": {"reservationId": reservation}}), {}, key)


async def _parked(on, messages, query=""):
    await on.fleet.bus.publish(SUBJECT, messages)
    await asyncio.sleep(30)
    _, answer = await on.send(f"_cloud/dead-letters{query}", caller="operator", method="GET")
    return answer["messages"]


def test_a_quarantined_booking_is_found_by_its_reservation(tmp_path):
    async def scenario(on):
        messages = [_message("rsv_1"), _message("rsv_2"), Message(b"no JSON", {}, "rsv_1")]
        return await _parked(on, messages, "?reservation=rsv_1")

    assert [letter["reservation"] for letter in play(tmp_path, scenario)] == ["rsv_1", "rsv_1"]


def test_a_booking_is_found_behind_a_page_of_others(tmp_path):
    async def scenario(on):
        messages = [_message("rsv_2") for _ in range(PAGE)] + [_message("rsv_1") for _ in range(3)]
        return await _parked(on, messages, "?reservation=rsv_1&limit=2")

    assert [letter["reservation"] for letter in play(tmp_path, scenario)] == ["rsv_1", "rsv_1"]


def test_a_reservation_that_is_no_id_is_not_shown(tmp_path):
    async def scenario(on):
        return await _parked(on, [_message("rsv_canary, who was here", "canary"), Message(b"[]", {})])

    letters = play(tmp_path, scenario)
    assert [letter["reservation"] for letter in letters] == [None, None]
    assert "canary, who" not in str(letters)


def test_every_problem_of_a_quarantined_event_is_told(tmp_path):
    async def scenario(on):
        return await _parked(on, [_message("rsv_1")])

    (letter,) = play(tmp_path, scenario)
    told = {problem["field"]: problem for problem in letter["problems"]}
    assert told["data.rooms"] == {
        "field": "data.rooms",
        "problem": "field required",
        "remedy": "Add the field",
    }
    assert len(told) == len(letter["problems"]) > 5
