"""The control plane's keys: whose, where, how they stand at each lock, and nothing that opens a door."""

import json

import pytest

from shared.domain.grant import name_at_vendor
from shared.domain.ids import TenantId
from tests.support.simulated import play
from tests.unit.shared.queries.kept_stay import CANARIES, FRONT_LOCK, INDEX, SILK, STAY, KeptStay

OTHER = TenantId("tnt_wool")


async def _ask(on, query=""):
    return await on.send(f"_cloud/credentials{query}", caller="operator", method="GET")


def _asked(home, query=""):
    async def scenario(on):
        stay = await KeptStay(on.fleet).keep()
        await KeptStay(on.fleet, OTHER).keep()
        status, answer = await _ask(on, query)
        assert status == 200, answer
        return stay, answer["credentials"]

    return play(home, scenario)


def test_a_key_is_shown_with_its_saga_and_its_times(tmp_path):
    stay, (key,) = _asked(tmp_path, "?tenant=tnt_silk")
    wanted = {
        "id": stay.id,
        "tenant": "tnt_silk",
        "property": "ppt_kabul",
        "reservation": STAY,
        "staff": None,
        "rooms": ["rmu_101"],
        "kind": "pin_code",
        "vendor": "ttlock",
        "state": "active",
        "saga": {"kind": "issue", "generation": 1, "execution": None, "tries": 1},
        "due_at": "2026-03-01T09:01:00.000Z",
        "attempts": 2,
        "events": 3,
        "unannounced": 1,
        "warnings": ["REVOKE_PENDING_AT_LOCK"],
    }
    assert {name: key[name] for name in wanted} == wanted
    assert key["window"] == {
        "from": "2026-03-01T10:00:00Z",
        "until": "2026-03-02T10:00:00Z",
        "zone": "Asia/Kabul",
    }
    assert key["effective"] == key["window"]


def test_a_key_is_shown_at_each_lock_with_the_end_of_its_exposure(tmp_path):
    _, (key,) = _asked(tmp_path, "?tenant=tnt_silk")
    shown = [(each["label"], each["state"], each["detail"], each["exposure_until"]) for each in key["grants"]]
    until = "2026-03-02T10:00:00Z"
    assert shown == [
        ("Front door", "residual", "gateway_offline", until),
        ("Room 101", "placed", "on_lock", until),
    ]
    assert key["grants"][0]["device"] == FRONT_LOCK
    assert {each["vendor_name"] for each in key["grants"]} == {name_at_vendor("cd" * 32)}


def test_a_key_is_shown_with_every_call_of_its_vendor_and_when_that_was_answered(tmp_path):
    _, (key,) = _asked(tmp_path, "?tenant=tnt_silk")
    front, room = key["grants"]
    at, answered_at = "2026-03-01T09:00:04.000Z", "2026-03-01T09:00:04.500Z"
    assert front["calls"][1] == {
        "at": at,
        "asked": "place",
        "answer": "on_lock",
        "answered_at": answered_at,
        "said": [
            {"at": "2026-03-01T09:00:04.200Z", "asked": "keyboardPwd/add", "answer": "10004"},
            {"at": "2026-03-01T09:00:04.400Z", "asked": "keyboardPwd/add", "answer": "yes"},
        ],
    }
    assert [each["answered_at"] for each in front["calls"][::3]] == [None, None]
    assert room["calls"] == []


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 2),
        (f"?reservation={STAY}", 2),
        ("?state=active&property=ppt_kabul", 2),
        ("?limit=1", 1),
        ("?tenant=tnt_wool", 1),
        ("?reservation=rsv_8", 0),
        ("?property=ppt_kabul&state=failed", 0),
        ("?state=failed", 0),
        ("?state=residual", 2),
        ("?state=residual&reservation=rsv_8", 0),
    ],
)
def test_keys_are_chosen_by_tenant_booking_property_and_state(tmp_path, query, count):
    _, keys = _asked(tmp_path, query)
    assert len(keys) == count


@pytest.mark.parametrize(("limit", "more"), [(1, True), (2, False), (3, False)])
def test_whether_there_are_more_keys_than_were_asked_for_is_told(tmp_path, limit, more):
    async def scenario(on):
        for tenant in (SILK, OTHER):
            await KeptStay(on.fleet, tenant).keep()
        return (await _ask(on, f"?limit={limit}"))[1]

    answer = play(tmp_path, scenario)
    assert (len(answer["credentials"]), answer["more"]) == (min(limit, 2), more)


@pytest.mark.parametrize(
    ("query", "problem", "remedy"),
    [
        ("?tenant=tnt_none", "no tenant 'tnt_none'", "name one of tnt_silk, tnt_wool"),
        ("?property=ppt_herat", "no property 'ppt_herat'", "name one of ppt_kabul"),
        ("?property=ppt_herat&tenant=tnt_wool&state=failed", "no property 'ppt_herat'", "name one of ppt_"),
    ],
)
def test_a_tenant_or_a_property_that_is_not_there_is_refused(tmp_path, query, problem, remedy):
    async def scenario(on):
        await KeptStay(on.fleet, OTHER).keep()
        return await _ask(on, query)

    status, answer = play(tmp_path, scenario)
    assert status == 404
    assert answer["error"]["detail"].startswith(f"{problem}: {remedy}")


def test_one_key_is_found_by_its_id_whosever_it_is(tmp_path):
    async def scenario(on):
        stays = [await KeptStay(on.fleet, tenant).keep() for tenant in (SILK, OTHER)]
        found = [(await _ask(on, f"?key={stay.id}"))[1]["credentials"] for stay in stays]
        elsewhere = (await _ask(on, f"?key={stays[0].id}&tenant=tnt_wool"))[1]["credentials"]
        nobodys = (await _ask(on, "?key=key_1"))[1]["credentials"]
        return stays, found, elsewhere, nobodys

    stays, found, elsewhere, nobodys = play(tmp_path, scenario)
    assert [[(key["tenant"], key["id"]) for key in keys] for keys in found] == [
        [(stay.tenant, stay.id)] for stay in stays
    ]
    assert (elsewhere, nobodys) == ([], [])


def test_a_state_that_no_key_can_have_is_refused_with_those_there_are(tmp_path):
    status, answer = play(tmp_path, lambda on: _ask(on, "?state=lost"))
    assert (status, answer["error"]["field"]) == (400, "state")
    assert "requested, pending, active" in answer["error"]["remedy"]


def test_no_key_and_no_grant_shows_a_secret_or_the_index_of_one(tmp_path):
    _, keys = _asked(tmp_path)
    said = json.dumps(keys)
    assert [canary for canary in (*CANARIES, INDEX) if canary in said] == []


def test_a_stay_s_keys_cost_the_same_reads_however_many_others_there_are(tmp_path):
    async def scenario(on):
        await KeptStay(on.fleet).keep()
        return [await _reads(on), *[await _with_another(on, number) for number in range(2)]]

    first, *others = play(tmp_path, scenario)
    assert others == [first, first]
    assert first <= 6


async def _with_another(on, number):
    await KeptStay(on.fleet, TenantId(f"tnt_other{number}")).keep()
    return await _reads(on)


async def _reads(on):
    before = on.fleet.counters["document_reads"]
    await _ask(on, f"?tenant=tnt_silk&reservation={STAY}")
    return on.fleet.counters["document_reads"] - before
