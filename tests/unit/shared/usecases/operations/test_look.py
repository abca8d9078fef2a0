"""An operator's functions answer from the ports, refuse with a remedy, and show no message's words."""

import asyncio

import orjson
import pytest

from shared.kernel.identity import Forbidden
from shared.ports.bus import Message
from shared.runtime.platform import deployed
from tests.support.simulated import play

CONFIRMED, SHIFT = "melmastoon.reservation.booking.confirmed.v1", "melmastoon.staff.shift.started.v1"
QUARANTINE = "melmastoon.lock.quarantine.v1"


def _event(reservation, guest="canary"):
    data = {"reservationId": reservation, "guest": {"displayName": guest}}
    return Message(
        orjson.dumps({"subject": CONFIRMED, "type": CONFIRMED, "tenantId": "tnt_silk", "data": data})
    )


async def _ask(on, function, **body):
    return await on.send(function, body, caller="operator")


def test_what_was_set_aside_is_listed_without_what_it_says_replayed_and_discarded(tmp_path):
    async def scenario(on):
        await on.fleet.bus.publish(CONFIRMED, [_event("rsv_1"), _event("rsv_2")])
        await on.fleet.bus.publish(SHIFT, [Message(b"{}")])
        await asyncio.sleep(30)
        listed = await _ask(on, "dead-letters")
        some = await _ask(on, "dead-letters", do="list", topic=QUARANTINE, limit=2)
        ids = [each["id"] for each in listed[1]["messages"] if each["reservation"]]
        replayed = await _ask(on, "dead-letters", do="replay", ids=ids[:1])
        await asyncio.sleep(30)
        all_again = await _ask(on, "dead-letters", do="replay", all=True)
        await asyncio.sleep(30)
        again = [
            each["id"] for each in (await _ask(on, "dead-letters"))[1]["messages"] if each["reservation"]
        ]
        return listed, some, replayed, all_again, await _ask(on, "dead-letters", do="discard", ids=again)

    (status, listed), (_, some), replayed, all_again, discarded = play(tmp_path, scenario)
    assert status == 200
    assert {each["reservation"] for each in listed["messages"]} == {"rsv_1", "rsv_2", None}
    assert "canary" not in str(listed)
    assert [each["topic"] for each in some["messages"]] == [QUARANTINE] * 2
    assert (replayed, all_again, discarded) == (
        (200, {"replayed": 1}),
        (200, {"replayed": 3}),
        (200, {"discarded": 2}),
    )


def test_an_execution_is_listed_and_told_step_by_step(tmp_path):
    async def scenario(on):
        await _ask(on, "probe-start")
        await asyncio.sleep(120)
        listed = (await _ask(on, "executions", workflow="probe_platform", state="SUCCEEDED", limit=1))[1]
        shown = await _ask(on, "executions", do="show", execution=listed["executions"][0]["id"])
        return listed, shown

    listed, (status, shown) = play(tmp_path, scenario)
    (found,) = listed["executions"]
    assert (found["state"], found["workflow"]) == ("SUCCEEDED", "probe_platform")
    assert found["started_at"] <= found["ended_at"]
    assert status == 200
    assert "hand_over" in {each["what"] for each in shown["steps"]}


def test_schedules_are_listed_and_one_is_run_now(tmp_path):
    async def scenario(on):
        return await _ask(on, "schedules"), await _ask(on, "schedules", do="run", name="probe-start")

    (_, listed), (status, ran) = play(tmp_path, scenario)
    assert {"probe-start", "sweep-due"} <= {each["name"] for each in listed["schedules"]}
    assert (status, ran["ran"]) == (200, "probe-start")
    assert ran["outcome"]


@pytest.mark.parametrize(
    ("function", "body", "field", "remedy"),
    [
        ("dead-letters", {"do": "burn"}, "do", "Name one of list, replay, discard"),
        ("dead-letters", {"do": "replay"}, "ids", "Name ids, or say all: true"),
        ("dead-letters", {"do": "replay", "all": True, "ids": ["1"]}, "ids", "Name ids, or say all: true"),
        ("dead-letters", {"do": "discard", "ids": []}, "ids", "Name message ids"),
        ("dead-letters", {"do": "discard", "ids": ["x"]}, "request", "take it from the list"),
        ("dead-letters", {"topic": 7}, "topic", "Give a text"),
        ("dead-letters", {"limit": 0}, "limit", "Ask in several parts"),
        ("executions", {}, "request", "name one of"),
        ("executions", {"workflow": "probe_platform", "state": "LOST"}, "state", "Name one of ACTIVE"),
        (
            "executions",
            {"do": "show", "execution": "probe_platform/x"},
            "request",
            "see keyfleet workflow list",
        ),
        ("schedules", {"do": "run", "name": "nothing"}, "request", "name one of"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_with_its_remedy(tmp_path, function, body, field, remedy):
    async def scenario(on):
        return await _ask(on, function, **body)

    status, answer = play(tmp_path, scenario)
    assert status == 400, answer
    assert answer["error"]["field"] == field
    assert remedy in answer["error"]["remedy"]


def test_the_open_console_may_look_at_messages_and_publish_none(tmp_path):
    async def scenario(on):
        deployed.set(on.fleet._functions["backoffice-console"].deployed)
        letters, bus = on.fleet.platform.dead_letters, on.fleet.platform.bus
        assert list(await letters.waiting()) == []
        for doing in ("replay", "discard"):
            with pytest.raises(Forbidden):
                await getattr(letters, doing)(["a/1"])
        with pytest.raises(Forbidden):
            await bus.publish(CONFIRMED, [_event("rsv_1")])

    play(tmp_path, scenario)


def test_a_chosen_message_that_is_gone_or_none_is_asked_for_no_more(tmp_path):
    async def scenario(on):
        answers = [await on.send("replay-letter", {"id": each}, caller="cloud-tasks") for each in ("x", "77")]
        assert answers == [(200, {"replayed": 0})] * 2
        assert (await on.send("replay-letter", {"id": "77"}, caller="operator"))[0] == 403

    play(tmp_path, scenario)


@pytest.mark.parametrize("function", ["dead-letters", "executions", "schedules"])
def test_nobody_but_an_operator_may_look(tmp_path, function):
    async def scenario(on):
        return await on.send(function, {}, caller="on-booking-confirmed")

    assert play(tmp_path, scenario)[0] == 403
