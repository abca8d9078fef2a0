"""The control plane's timeline: everything that happened, in order, from every account, without a secret."""

import asyncio
import json

import pytest

from infra.local.fleet import open_fleet
from infra.local.simulation.loop import run_virtually
from shared.domain.ids import TenantId, minted_at, ulid
from shared.ports.documents import Create, Ref
from shared.queries.timeline import UNHEARD
from tests.support.simulated import play, simulated_fleet
from tests.unit.shared.queries.kept_stay import CANARIES, INDEX, SILK, STAY, SUBJECT, KeptStay


async def _ask(on, identity, query=""):
    return await on.send(f"_cloud/timeline/{identity}{query}", caller="operator", method="GET")


def _told(home, about=lambda stay: STAY):
    async def scenario(on):
        stay = await KeptStay(on.fleet).keep()
        execution = await stay.run_saga()
        await on.fleet.sagas.ended(execution)
        status, answer = await _ask(on, about(stay))
        assert status == 200, answer
        return stay, execution, answer

    return play(home, scenario)


def _of(answer, source):
    return [(each["kind"], each["what"]) for each in answer["timeline"] if each["source"] == source]


def test_a_booking_is_told_from_every_account_in_order(tmp_path):
    stay, _, answer = _told(tmp_path)
    assert (answer["id"], answer["tenant"], answer["credentials"]) == (STAY, SILK, [stay.id])
    times = [each["at"] for each in answer["timeline"]]
    assert times == sorted(times)
    sources = {"booking", "event", "attempt", "saga", "vendor", "lock"}
    assert {each["source"] for each in answer["timeline"]} == sources


def test_events_heard_and_told_are_named_with_what_became_of_them(tmp_path):
    stay, _, answer = _told(tmp_path)
    assert _of(answer, "booking") == [
        ("applied", f"{SUBJECT} (evt_1, version 3, of 2026-03-01T08:59:59Z)"),
        ("ignored", f"{SUBJECT} (evt_2, of 2026-03-01T08:59:00Z): older than version 3"),
    ]
    heard = [each["at"] for each in answer["timeline"] if each["source"] == "booking"]
    assert heard == ["2026-03-01T09:00:00.000Z", "2026-03-01T09:00:09.000Z"]
    told = _of(answer, "event")
    assert [kind for kind, _ in told] == ["published", "published", "unpublished"]
    assert [what.split()[0] for _, what in told] == ["1.", "2.", "3."]
    assert stay.rows[2].event_id in told[2][1]


def test_attempts_are_told_with_their_problems(tmp_path):
    _, _, answer = _told(tmp_path)
    assert _of(answer, "attempt") == [
        ("refused", "attempt 1 of 6, pin_code at ttlock: VendorUnreachable"),
        ("made", "attempt 2 of 6, pin_code at ttlock"),
    ]


def test_locks_are_told_by_their_names_and_a_residue_with_its_end(tmp_path):
    _, _, answer = _told(tmp_path)
    until = "2026-03-02T10:00:00Z"
    assert _of(answer, "lock") == [
        ("intended", "pin_code at Front door: written down, to be placed"),
        ("intended", "pin_code at Room 101: written down, to be placed"),
        ("placed", "pin_code at Front door: placed (on_lock)"),
        ("placed", "pin_code at Room 101: placed (on_lock)"),
        ("residual", f"pin_code at Front door: residual (gateway_offline), may open until {until}"),
    ]


def test_a_call_is_told_when_it_was_answered_and_else_when_it_was_made(tmp_path):
    _, _, answer = _told(tmp_path)
    asked = [(each["at"][17:], each["what"]) for each in answer["timeline"] if each["source"] == "vendor"]
    said = "ttlock was asked to {} pin_code at Front door: {}"
    assert asked == [
        ("02.000Z", f"ttlock was to place pin_code at Front door: {UNHEARD}"),
        ("04.200Z", "ttlock keyboardPwd/add: 10004"),
        ("04.400Z", "ttlock keyboardPwd/add: yes"),
        ("04.500Z", said.format("place", "on_lock")),
        ("04.700Z", said.format("place", "on_lock")),
        ("06.500Z", said.format("remove", "gateway_offline")),
    ]


def test_what_is_to_go_still_tells_since_when_it_opened_the_door(tmp_path):
    _, _, answer = _told(tmp_path)
    (placed,) = (
        each for each in answer["timeline"] if each["what"] == "pin_code at Front door: placed (on_lock)"
    )
    assert placed["at"] == "2026-03-01T09:00:04.500Z"


@pytest.mark.parametrize("instant", [0, 1, 1_772_355_600_123, 2**48 - 1])
def test_an_id_tells_when_it_was_minted(instant):
    assert minted_at(f"grt_{ulid(instant, 7)}") == instant


def test_a_saga_is_told_step_by_step_with_calls_retries_and_its_end(tmp_path):
    stay, execution, answer = _told(tmp_path)
    saga = [each for each in answer["timeline"] if each["source"] == "saga"]
    assert {each["about"] for each in saga} == {execution}
    assert saga[0]["what"] == f"probe_platform {execution} started, generation 1, for {stay.id}"
    told = _of(answer, "saga")
    assert ("step", "visit") in told
    assert ("asked", "POST /probe-answer") in told
    assert ("answered", "POST /probe-answer: 503") in told
    assert [kind for kind, _ in told].count("retry") == 1
    assert told[-1] == ("succeeded", "probe_platform SUCCEEDED")


def test_a_step_is_told_at_the_time_its_cause_was_kept(tmp_path):
    _, _, answer = _told(tmp_path)
    at = {each["what"]: each["at"] for each in answer["timeline"] if each["source"] == "saga"}
    assert at["visit"] < at["hand_over"] < at["done"]
    assert at["done"] == at["probe_platform SUCCEEDED"]


def test_a_key_is_told_without_its_bookings_events(tmp_path):
    stay, _, answer = _told(tmp_path, about=lambda stay: stay.id)
    assert (answer["id"], answer["credentials"]) == (stay.id, [stay.id])
    assert _of(answer, "booking") == []
    assert len(_of(answer, "event")) == 3


def test_a_task_for_the_desk_is_told(tmp_path):
    async def scenario(on):
        stay = await KeptStay(on.fleet).keep()
        task = {"schema_version": 1, "reason": "vendor_unreachable", "raised_at": "2026-03-01T09:00:08Z"}
        await on.fleet.documents.tenant(SILK).commit([Create(Ref("manual_tasks", stay.id), task)])
        return (await _ask(on, STAY))[1]

    assert _of(play(tmp_path, scenario), "task") == [("raised", "a task for the desk: vendor_unreachable")]


def test_a_saga_that_another_fleet_went_on_with_says_so(tmp_path):
    async def main(clock):
        async with simulated_fleet(tmp_path, clock) as first:
            stay = await KeptStay(first.fleet).keep()
            execution = await stay.run_saga(wait_seconds=100)
            await asyncio.sleep(10)
        async with open_fleet(first.fleet.config, first.fleet.world) as second:
            first.fleet = second
            await second.sagas.ended(execution)
            return (await _ask(first, STAY))[1]

    told = _of(run_virtually(main, 0), "saga")
    kinds = [kind for kind, _ in told]
    assert kinds.count("resumed") == 1
    assert kinds.index("asked") < kinds.index("resumed") < kinds.index("succeeded")


def test_a_saga_under_way_is_told_as_far_as_it_is(tmp_path):
    async def scenario(on):
        stay = await KeptStay(on.fleet).keep()
        await stay.run_saga(wait_seconds=100)
        await asyncio.sleep(10)
        return (await _ask(on, stay.id))[1]

    told = _of(play(tmp_path, scenario), "saga")
    assert told[-1] == ("asked", "await callback, at most 300 s")
    assert "resumed" not in [kind for kind, _ in told]


def test_what_nobody_heard_of_is_not_found(tmp_path):
    status, answer = play(tmp_path, lambda on: _ask(on, "rsv_unheard_of"))
    assert status == 404
    assert "no booking and no key 'rsv_unheard_of'" in answer["error"]["detail"]


def test_an_id_that_two_tenants_have_needs_the_tenant(tmp_path):
    async def scenario(on):
        await KeptStay(on.fleet).keep()
        other = await KeptStay(on.fleet, TenantId("tnt_wool")).keep()
        return other, await _ask(on, STAY), await _ask(on, STAY, "?tenant=tnt_wool")

    other, (status, refused), (_, told) = play(tmp_path, scenario)
    assert status == 400
    assert "tnt_silk, tnt_wool" in refused["error"]["remedy"]
    assert told["credentials"] == [other.id]


@pytest.mark.parametrize("about", [lambda stay: STAY, lambda stay: stay.id], ids=["booking", "key"])
def test_no_timeline_shows_a_secret_or_the_index_of_one(tmp_path, about):
    _, _, answer = _told(tmp_path, about)
    said = json.dumps(answer)
    assert [canary for canary in (*CANARIES, INDEX) if canary in said] == []
