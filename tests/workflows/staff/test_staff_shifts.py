"""Staff and their shifts, as B §3 and A §12 have them, at the doors of TTLock's simulator."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from shared.queries.hotels import Cell
from shared.queries.timeline import NO_EXECUTIONS, timeline
from tests.support.sample_hotel import DOORS, SILK, play
from tests.support.shifts import (
    ADD,
    BEGINS,
    CHANGE,
    DELETE,
    ENDS,
    begun,
    ended,
    events_of,
    pins,
    said,
    tell,
    words,
)


async def until(house, instant, seconds=90):
    """Let time go on to an instant, and a little more for what follows at it."""
    now = house.fleet.platform.clock.now()
    await asyncio.sleep((datetime.fromisoformat(instant) - now).total_seconds() + seconds)


async def asked(house):
    """Return what the vendor was asked to do at locks; each night it is also asked what is there."""
    done = (ADD, CHANGE, DELETE)
    return [each["operation"] for each in await house.steer("GET", "requests") if each["operation"] in done]


async def opens(house, pin, *doors):
    """Say which doors a person's PIN opens now."""
    return [(await house.steer("POST", f"doors/{DOORS[door]}/try", pin=pin))["opens"] for door in doors]


async def windows(house, door):
    return [
        tuple(datetime.fromtimestamp(row["window"][edge] / 1000, UTC) for edge in ("start", "end"))
        for row in await house.keys_at(door)
    ]


async def task(house, event, subject="housekeeping.task.created", time="2026-03-01T09:00:00Z", **data):
    told = {"taskId": "tsk_1", "propertyId": "ppt_kabul", "roomId": "rmu_102", "assigneeId": "usr_7", **data}
    name = f"melmastoon.{subject}.v1"
    await house.fleet.bus.publish(name, [said(name, event, time, **told)])
    await asyncio.sleep(90)


async def order(house, function, **body):
    """Order something as a manager does."""
    answer = await house.on.send(function, {"tenant": str(SILK), "by": "usr_gm", **body}, caller="operator")
    await asyncio.sleep(90)
    return answer


async def issue(house, **body):
    told = {"property": "ppt_kabul", "staff": "usr_7", "scopes": ["floor:1"]}
    status, answer = await order(house, "issue-master-key", **told | body)
    assert status == 200, answer
    return answer


def test_a_master_key_s_story_is_told_with_that_of_each_key_that_carries_it(tmp_path):
    async def scenario(house):
        await begun(house)
        await ended(house)
        ((_, told), _) = await events_of(house, "mky_")
        (key,) = await house.keys()
        name, cell = told["masterKeyId"], Cell(house.fleet.documents, "local")
        story = await timeline(cell, NO_EXECUTIONS, name, None)
        words = [each["what"].split(",")[0] for each in story["timeline"] if each["about"] == name]
        assert [word.split()[1].split(".")[-2] for word in words] == ["issued", "expired"]
        assert (story["credentials"], story["zone"]) == ([key["core"]["id"]], "Asia/Kabul")
        at_locks = [each["what"] for each in story["timeline"] if each["source"] == "lock"]
        assert any("Room 101: placed" in what for what in at_locks)
        assert any("Room 101: removed" in what for what in at_locks)

    play(tmp_path, scenario)


def test_b3_shift_started_issues_a_master_key_of_its_floor_and_shift_ended_revokes_it(tmp_path):
    async def scenario(house):
        await begun(house)
        ((first,), (second,), (front,), other) = await pins(house, "101", "102", "front", "204")
        assert (first, other) == (second, [])
        assert front == first
        assert await windows(house, "101") == [(datetime.fromisoformat(BEGINS), datetime.fromisoformat(ENDS))]
        ((word, told),) = await events_of(house, "mky_")
        (credential,) = await house.keys()
        assert word == "issued"
        assert told["keyCredentialId"] == credential["core"]["id"]
        assert (told["staffUserId"], told["scope"], told["kind"]) == (
            "usr_7",
            {"kind": "floor", "floor": "1"},
            "pin_code",
        )
        assert (told["validFrom"], told["validUntil"]) == (BEGINS, ENDS)
        # Heard twice, it is done once.
        await begun(house, seconds=30)
        assert len(await house.keys()) == 1
        await ended(house)
        assert await pins(house, "101", "102", "front") == [[], [], []]
        _, (word, over) = await events_of(house, "mky_")
        assert (word, over["trigger"], over["masterKeyId"]) == ("expired", "shift.ended", told["masterKeyId"])
        await ended(house, "evt_off_again")
        assert await words(house) == ["issued", "expired"]
        (issued,) = [data for word, data in await events_of(house, "key_") if word == "issued"]
        assert (issued["holderKind"], issued["metadata"]) == ("staff", {"kind": "staff_master"})

    play(tmp_path, scenario)


def test_a12_2_shift_that_nobody_ends_is_over_when_it_was_to_be_and_is_told(tmp_path):
    async def scenario(house):
        await begun(house)
        await until(house, BEGINS)
        assert all(await pins(house, "101", "front"))
        await until(house, ENDS)
        assert await pins(house, "101", "102", "front") == [[], [], []]
        _, (word, over) = await events_of(house, "mky_")
        assert (word, over["trigger"]) == ("expired", "window.ended")
        (key,) = await house.keys()
        assert (key["state"]["type"], key["state"]["reason"]) == ("revoked", "checkout")

    play(tmp_path, scenario)


def test_shift_that_ended_before_it_began_makes_no_key_ever(tmp_path):
    async def scenario(house):
        await ended(house)
        await begun(house)
        assert (await house.keys(), await words(house)) == ([], [])

    play(tmp_path, scenario)


def test_shift_that_is_told_of_anew_is_longer_and_keeps_its_pin(tmp_path):
    async def scenario(house):
        await begun(house)
        before = await pins(house, "101")
        later = "2026-03-02T13:00:00Z"
        await begun(house, "evt_on_2", time="2026-03-01T10:00:00Z", validUntil=later)
        assert await pins(house, "101") == before
        assert await windows(house, "101") == [
            (datetime.fromisoformat(BEGINS), datetime.fromisoformat(later))
        ]
        # What was told before that changes nothing any more.
        await begun(house, "evt_on_0", time="2026-03-01T08:00:00Z", scopes=["rooms:all"])
        assert await pins(house, "204") == [[]]
        assert len(await house.keys()) == 1

    play(tmp_path, scenario)


def test_shift_without_scopes_opens_the_least_of_its_role_and_one_nobody_knows_is_set_aside(tmp_path):
    async def scenario(house):
        await begun(house, scopes=[], role="gm")
        assert [len(each) for each in await pins(house, "101", "102", "203", "204", "front")] == [1] * 5
        await begun(house, "evt_2", "shift_2", scopes=[], role="wizard", staffUserId="usr_8")
        (note,) = house.quarantined()
        assert note["field"] == "scopes"
        assert len(await house.keys()) == 1

    play(tmp_path, scenario)


def test_b3_user_deactivated_revokes_every_key_of_the_person_and_no_shift_gives_another(tmp_path):
    async def scenario(house):
        await begun(house)
        await issue(house, scopes=["room:rmu_204"], until="2026-03-03T00:00:00Z")
        assert [len(each) for each in await pins(house, "101", "204")] == [1, 1]
        await tell(house, "melmastoon.iam.user.deactivated.v1", "evt_fired", userId="usr_7")
        assert await pins(house, "101", "102", "204", "front") == [[]] * 4
        ends = [told["trigger"] for word, told in await events_of(house, "mky_") if word == "expired"]
        assert ends == ["user.deactivated", "user.deactivated"]
        assert {key["state"]["reason"] for key in await house.keys()} == {"security"}
        await begun(house, "evt_again", "shift_2")
        assert len(await house.keys()) == 2

    play(tmp_path, scenario)


def test_a12_1_rooms_assigned_follow_open_tasks_to_other_rooms_with_the_same_pin(tmp_path):
    async def scenario(house):
        await begun(house, scopes=["rooms:assigned"])
        assert await house.keys() == []
        await task(house, "evt_t1")
        ((pin,),) = await pins(house, "102")
        assert await pins(house, "101", "front") == [[], [pin]]
        await task(house, "evt_t2", taskId="tsk_2", roomId="rmu_203")
        assert await pins(house, "102", "203", "204") == [[pin], [pin], []]
        done = {"time": "2026-03-01T10:00:00Z", "status": "done"}
        await task(house, "evt_t3", "housekeeping.task.transitioned", **done)
        assert await pins(house, "102", "203", "front") == [[], [pin], [pin]]
        # What is older than the last word of a task changes nothing.
        await task(house, "evt_t4", "housekeeping.task.transitioned", status="in_progress")
        assert await pins(house, "102") == [[]]
        assert await words(house) == ["issued"]
        await ended(house)
        assert await pins(house, "203", "front") == [[], []]

    play(tmp_path, scenario)


def test_task_that_passes_to_somebody_else_takes_its_room_along(tmp_path):
    async def scenario(house):
        await begun(house, scopes=["rooms:assigned"])
        await begun(
            house, "evt_on_2", "shift_2", staffUserId="usr_8", scopes=["rooms:assigned", "room:rmu_101"]
        )
        await task(house, "evt_w1", "maintenance.workorder.opened", workOrderId="wo_1", taskId=None)
        ((first,), (mine,)) = await pins(house, "101", "102")
        assert first != mine
        handed_on = {"time": "2026-03-01T10:00:00Z", "assigneeId": "usr_8", "workOrderId": "wo_1"}
        await task(house, "evt_w2", "maintenance.workorder.transitioned", taskId=None, **handed_on)
        assert await pins(house, "101", "102") == [[first], [first]]

    play(tmp_path, scenario)


async def revoked_by_hand(house, key):
    told = await words(house, "key_")
    assert told == ["requested", "pending", "issued", "suspended", "unsuspended", "updated"]
    assert await words(house) == ["issued"]
    assert await order(house, "revoke-master-key", staff="usr_7") == (200, {"revoked": [key]})
    assert await pins(house, "101", "102", "front") == [[]] * 3
    assert (await events_of(house, "mky_"))[-1][1]["trigger"] == "operator"


def test_a12_2_standing_key_rests_outside_its_week_and_wakes_inside_it_with_the_same_pin(tmp_path):
    """2026-03-01 is a Sunday; the week is on the clock of Kabul, four and a half hours ahead."""

    async def scenario(house):
        answer = await issue(house, week=["mon-fri 06:30-14:30"])
        ((pin,),) = await pins(house, "101")
        monday = (datetime.fromisoformat(BEGINS), datetime.fromisoformat(ENDS))
        assert await windows(house, "101") == [monday]
        assert await asked(house) == [ADD] * 3
        assert await opens(house, pin, "101", "102", "front") == [False] * 3
        await until(house, BEGINS)
        assert await opens(house, pin, "101", "102", "front", "204") == [True] * 3 + [False]
        await until(house, ENDS, seconds=600)
        assert await opens(house, pin, "101", "102", "front") == [False] * 3
        # Its lock ends it by itself: nothing is asked of the vendor to let it rest.
        assert await asked(house) == [ADD] * 3
        assert [key["state"]["type"] for key in await house.keys()] == ["suspended"]
        await until(house, "2026-03-03T02:00:00Z")
        assert await pins(house, "101", "102", "front") == [[pin]] * 3
        assert await opens(house, pin, "101", "102", "front") == [True] * 3
        tuesday = tuple(edge + timedelta(days=1) for edge in monday)
        assert await windows(house, "101") == [tuesday]
        # Of a new key each shift it would be six: one call at each lock moves it.
        assert await asked(house) == [ADD] * 3 + [CHANGE] * 3
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]
        await revoked_by_hand(house, answer["masterKey"])

    play(tmp_path, scenario)


@pytest.mark.soak
def test_standing_key_serves_a_shift_and_rests_when_it_ends_early(tmp_path):
    async def scenario(house):
        await issue(house, standing=True, scopes=["rooms:all"])
        assert await house.keys() == []  # no shift is known yet
        await begun(house)
        ((pin,),) = await pins(house, "204")
        await until(house, BEGINS)
        await ended(house)
        assert await pins(house, "101", "204", "front") == [[]] * 3
        assert [key["state"]["type"] for key in await house.keys()] == ["suspended"]
        assert await words(house) == ["issued"]
        shift = {"validFrom": "2026-03-03T02:00:00Z", "validUntil": "2026-03-03T10:00:00Z"}
        await begun(house, "evt_on_2", "shift_2", **shift)
        await until(house, shift["validFrom"])
        assert await pins(house, "101", "204") == [[pin]] * 2
        assert len(await house.keys()) == 1

    play(tmp_path, scenario)


def test_a12_3_manager_issues_a_key_once_under_one_order_and_in_their_own_name(tmp_path):
    async def scenario(house):
        body = {"until": "2026-03-02T10:00:00Z", "order": "01", "scopes": ["room:rmu_203"]}
        first = await issue(house, **body)
        assert (await issue(house, **body))["masterKey"] == first["masterKey"]
        assert [len(each) for each in await pins(house, "203", "204")] == [1, 0]
        rows = (await house.documents("outbox")).values()
        operators = {row["subject"].split(".")[-2]: row["audit"]["operatorId"] for row in rows}
        assert operators["issued"] == "usr_gm"
        status, answer = await order(
            house,
            "issue-master-key",
            **{**body, "order": "02", "property": "ppt_kabul", "staff": "usr_9"}
            | {"scopes": ["room:rmu_999"]},
        )
        assert (status, answer["error"]["field"]) == (400, "scopes")

    play(tmp_path, scenario)


def test_areas_lifts_and_doors_behind_the_house_open_by_their_scopes_alone(tmp_path):
    async def scenario(house):
        await house._change_device(
            "204", lambda lock: {**lock, "rooms": [], "areas": ["spa"], "label": "Spa"}
        )
        await house._change_device(
            "203", lambda lock: {**lock, "rooms": [], "back_of_house": True, "label": "Linen"}
        )
        await house._change_device("102", lambda lock: {**lock, "rooms": [], "floor": "1", "label": "Lift"})
        await begun(house, scopes=["areas:spa"])
        assert [len(each) for each in await pins(house, "101", "102", "203", "204")] == [0, 0, 0, 1]
        await ended(house)
        await begun(house, "evt_2", "shift_2", scopes=["back_of_house"])
        assert [len(each) for each in await pins(house, "101", "102", "203", "204")] == [0, 0, 1, 0]
        await ended(house, "evt_off_2", "shift_2")
        await begun(house, "evt_3", "shift_3", scopes=["room:rmu_101", "areas:all"])
        assert [len(each) for each in await pins(house, "101", "102", "203", "204")] == [1, 1, 0, 1]

    play(tmp_path, scenario)


def test_key_that_a_lock_refuses_is_requested_anew_within_its_shift(tmp_path):
    async def scenario(house):
        await begun(house, validFrom="2026-03-01T09:00:00Z", scopes=["room:rmu_101"])
        assert len(await house.keys()) == 1
        await ended(house)
        await house.fault("http_500", "keyboardPwd/add")
        await begun(house, "evt_2", "shift_2", validFrom="2026-03-01T09:00:00Z", scopes=["room:rmu_101"])
        await asyncio.sleep(900)
        assert [key["state"]["type"] for key in await house.keys()] == ["revoked", "failed"]
        await house.mend()
        await asyncio.sleep(1800)
        assert [key["state"]["type"] for key in await house.keys()] == ["revoked", "failed", "active"]
        assert not await house.documents("manual_tasks")
        assert await words(house) == ["issued", "expired", "issued"]

    play(tmp_path, scenario)
