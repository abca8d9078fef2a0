"""The control plane: tokens, refusals that say what to do, and what each route gives."""

import asyncio
from datetime import timedelta

import pytest

from infra.local import fleet
from infra.local.control.bodies import LARGEST
from tests.support.simulated import play

EVENT = {
    "subject": "melmastoon.tenant.config_updated.v1",
    "tenant": "tnt_silk",
    "data": {"keyKindPolicy": {"pinDigits": 7}},
}
ROUTES = [
    ("GET", "status"),
    ("GET", "attention"),
    ("POST", "publish"),
    ("GET", "dead-letters"),
    ("POST", "dead-letters/replay"),
    ("POST", "dead-letters/discard"),
    ("GET", "executions"),
    ("POST", "executions"),
    ("GET", "executions/x"),
    ("POST", "executions/x/cancel"),
    ("GET", "schedules"),
    ("POST", "schedules/probe-start/run"),
    ("GET", "credentials"),
    ("GET", "timeline/rsv_1"),
    ("GET", "keys"),
    ("POST", "keys"),
    ("GET", "documents/tnt_silk/policies/tenant"),
    ("POST", "callbacks/x/y"),
]


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_route_demands_a_token_and_the_right_caller(tmp_path, method, path):
    async def scenario(on):
        nobody, _ = await on.send(f"_cloud/{path}", method=method)
        stranger, _ = await on.send(f"_cloud/{path}", method=method, caller="workflow-probe-platform")
        elsewhere, _ = await on.send(f"_cloud/{path}", method=method, caller="operator", audience="http://x")
        return nobody, stranger, elsewhere

    assert play(tmp_path, scenario) == (401, 403, 401)


def _post(on, path, body):
    return on.send(f"_cloud/{path}", body, caller="operator")


def _get(on, path):
    return on.send(f"_cloud/{path}", caller="operator", method="GET")


def test_a_published_event_is_acted_upon(tmp_path):
    async def scenario(on):
        status, answer = await _post(on, "publish", EVENT)
        await asyncio.sleep(10)
        return status, answer, (await _get(on, "documents/tnt_silk/policies/tenant"))[1]

    status, answer, found = play(tmp_path, scenario)
    assert status == 200
    assert answer["topic"] == EVENT["subject"]
    assert answer["listeners"] == ["on-config-updated"]
    assert found["document"]["settings"] == {"pinDigits": 7}
    assert found["document"]["event_id"] == answer["event_id"]


def test_a_failed_execution_is_counted_and_logged(tmp_path, monkeypatch):
    monkeypatch.setattr(fleet, "LATELY", timedelta(seconds=90))

    async def scenario(on):
        await _post(on, "executions", {"workflow": "probe_platform", "argument": {}})
        await asyncio.sleep(60)
        _, status = await _get(on, "status")
        async with on.unscheduled():
            await asyncio.sleep(3600)
        _, later = await _get(on, "status")
        return status["failed_executions"], later["failed_executions"], on.log.getvalue()

    now, later, lines = play(tmp_path, scenario)
    assert (now, later) == (1, 0)
    assert "an execution failed" in lines


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        ({}, "subject"),
        ({**EVENT, "subject": "melmastoon.tenant.config_updatet.v1"}, "did you mean"),
        ({**EVENT, "subject": "melmastoon.lock.credential.issued.local.v1"}, "sync"),
        ({"subject": EVENT["subject"], "tenant": "tnt_silk"}, "data"),
        ({"subject": EVENT["subject"], "data": {}}, "tenant"),
        ({**EVENT, "tenant": "sparrow"}, "tenantId"),
        ({**EVENT, "data": {"keyKindPolicy": {"pinDigits": 2**60}}}, "exactly"),
        ({**EVENT, "data": {"propertyId": "sparrow"}}, "data.propertyId"),
        ({**EVENT, "event": {"subject": "melmastoon.iam.user.deactivated.v1"}}, ""),
    ],
)
def test_a_bad_publish_is_refused_by_field_and_publishes_nothing(tmp_path, body, said):
    async def scenario(on):
        status, answer = await _post(on, "publish", body)
        await asyncio.sleep(10)
        return status, answer, on.fleet.counters["publishes"], (await _get(on, "dead-letters"))[1]

    status, answer, publishes, parked = play(tmp_path, scenario)
    assert status == 400
    assert said in str(answer["error"])
    assert "sparrow" not in str(answer)
    assert publishes == 0
    assert parked == {"messages": []}


def test_an_event_of_an_unknown_tenant_is_quarantined_and_can_be_replayed(tmp_path):
    async def scenario(on):
        await _post(on, "publish", {**EVENT, "tenant": "tnt_stranger"})
        await asyncio.sleep(10)
        (letter,) = (await _get(on, "dead-letters"))[1]["messages"]
        replayed = await _post(on, "dead-letters/replay", {"ids": [letter["id"]]})
        await asyncio.sleep(10)
        (again,) = (await _get(on, "dead-letters"))[1]["messages"]
        discarded = await _post(on, "dead-letters/discard", {"ids": [again["id"]]})
        return letter, replayed, discarded, (await _get(on, "dead-letters"))[1]

    letter, replayed, discarded, left = play(tmp_path, scenario)
    assert letter["field"] == "tenantId"
    assert (letter["subject"], letter["tenant"]) == (EVENT["subject"], "tnt_stranger")
    assert letter["event_id"].startswith("evt_")
    assert letter["subscription"] == "on-config-updated"
    assert "onboard the tenant" in letter["remedy"]
    assert replayed == (200, {"replayed": 1})
    assert discarded == (200, {"discarded": 1})
    assert left == {"messages": []}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("dead-letters/replay", {}, 400),
        ("dead-letters/replay", {"ids": ["x"]}, 400),
        ("dead-letters/discard", {"all": True}, 400),
        ("dead-letters/discard", {"ids": ["9" * 20]}, 400),
        ("dead-letters/replay", {"all": True, "topic": ["x"]}, 400),
        ("dead-letters/replay", {"all": True, "topic": EVENT["subject"]}, 400),
        ("executions", {"workflow": "nothing"}, 404),
        ("executions", {"workflow": "probe_platform", "argument": []}, 400),
        ("executions", {"workflow": "probe_platform", "argument": {"x": "y" * 40_000}}, 400),
        ("executions/nobody/cancel", {}, 404),
        ("schedules/nobody/run", {}, 404),
    ],
)
def test_other_bad_requests_are_refused_too(tmp_path, path, body, status):
    async def scenario(on):
        return await _post(on, path, body)

    got, answer = play(tmp_path, scenario)
    assert got == status
    assert set(answer) == {"error"}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("executions?limit=x", 400),
        ("executions?workflow=sparrow", 404),
        ("dead-letters?topic=sparrow", 400),
        ("credentials?tenant=tnt_nobody", 404),
        ("executions/nobody", 404),
        ("documents/sparrow/a/b", 400),
        ("nothing", 404),
    ],
)
def test_bad_questions_are_refused_too(tmp_path, path, status):
    async def scenario(on):
        return await _get(on, path)

    got, answer = play(tmp_path, scenario)
    assert got == status
    assert "sparrow" not in str(answer).replace("no workflow 'sparrow'", "")


@pytest.mark.parametrize("topic", ["melmastoon.lock.quarantine.v1", "melmastoon.lock.dead_letter.v1"])
def test_a_topic_on_which_nothing_waits_is_no_mistake(tmp_path, topic):
    assert play(tmp_path, lambda on: _get(on, f"dead-letters?topic={topic}")) == (200, {"messages": []})


def test_a_workflow_that_never_ran_is_no_mistake(tmp_path):
    assert play(tmp_path, lambda on: _get(on, "executions?workflow=work_on_key")) == (200, {"executions": []})


def test_an_execution_can_be_started_seen_and_cancelled(tmp_path):
    async def scenario(on):
        argument = {"probe": "p", "wait_seconds": 600}
        _, started = await _post(on, "executions", {"workflow": "probe_platform", "argument": argument})
        await asyncio.sleep(30)
        _, shown = await _get(on, f"executions/{started['execution']}")
        await _post(on, f"executions/{started['execution']}/cancel", {})
        _, listed = await _get(on, "executions?workflow=probe_platform&state=CANCELLED")
        return shown, listed["executions"]

    shown, (listed,) = play(tmp_path, scenario)
    assert shown["state"] == "ACTIVE"
    assert shown["argument"] == {"probe": "p", "wait_seconds": 600}
    assert [step["what"] for step in shown["steps"] if step["kind"] == "step"][-1] == "wait"
    assert listed["id"] == shown["id"]


def test_cancelling_what_had_ended_says_so(tmp_path):
    async def scenario(on):
        _, started = await _post(on, "executions", {"workflow": "probe_platform", "argument": {"probe": "p"}})
        await asyncio.sleep(60)
        return await _post(on, f"executions/{started['execution']}/cancel", {})

    status, answer = play(tmp_path, scenario)
    assert status == 409
    assert answer["error"]["kind"] == "AlreadyEnded"


@pytest.mark.parametrize("workflow", ["work_on_key", "issue_key", "revoke_key", "probe_platform"])
def test_a_start_without_what_the_workflow_needs_is_refused_and_starts_nothing(tmp_path, workflow):
    async def scenario(on):
        refused = await _post(on, "executions", {"workflow": workflow})
        return refused, (await _get(on, "executions"))[1]

    (status, answer), kept = play(tmp_path, scenario)
    needed = {"probe_platform": "args"}.get(workflow, "saga")
    assert (status, answer["error"]["field"]) == (400, "argument")
    assert answer["error"]["problem"] == f"{workflow} does not run without {needed}"
    assert ("sweep-due" in answer["error"]["remedy"]) == (needed == "saga")
    assert kept == {"executions": []}


def test_a_start_of_what_the_ledger_starts_is_warned_of(tmp_path):
    async def scenario(on):
        _, of_ledger = await _post(on, "executions", {"workflow": "work_on_key", "argument": {}})
        _, probe = await _post(on, "executions", {"workflow": "probe_platform", "argument": {}})
        return of_ledger["warnings"], probe["warnings"]

    (warning,), none = play(tmp_path, scenario)
    assert "work_on_key is started by the ledger" in warning
    assert none == []


def test_a_schedule_that_is_run_by_hand_says_how_that_went(tmp_path):
    async def scenario(on):
        return await _post(on, "schedules/sweep-due/run", {})

    assert play(tmp_path, scenario) == (
        200,
        {"ran": "sweep-due", "succeeded": True, "outcome": "answered 200"},
    )


def test_schedules_are_listed_with_what_they_call_and_how_they_went(tmp_path):
    async def scenario(on):
        before = (await _get(on, "schedules"))[1]["schedules"]
        await asyncio.sleep(61)
        return before, (await _get(on, "schedules"))[1]["schedules"], on.fleet.config.base_url

    before, after, url = play(tmp_path, scenario)
    named = {each["name"]: each for each in after}
    sweep, probe, night = (named[each] for each in ("sweep-due", "probe-start", "anchor-due"))
    (before,) = [each for each in before if each["name"] == "sweep-due"]
    assert (sweep["name"], sweep["cron"], sweep["zone"]) == ("sweep-due", "* * * * *", "Etc/UTC")
    assert (sweep["calls"], sweep["last_outcome"]) == (f"{url}/sweep-due", "answered 200")
    assert (before["last_run"], before["last_outcome"]) == (None, None)
    assert before["next_run"] == sweep["last_run"] < sweep["next_run"]
    assert (probe["cron"], night["cron"]) == ("7 * * * *", "0 2 * * *")


def test_the_status_tells_functions_backlog_and_counters(tmp_path):
    async def scenario(on):
        await _post(on, "publish", EVENT)
        await asyncio.sleep(10)
        return (await _get(on, "status"))[1]

    status = play(tmp_path, scenario)
    assert {"name": "probe-reply", "public": False, "callers": ["cloud-tasks"]} in status["functions"]
    assert status["backlog"] == {}
    assert status["counters"]["function_calls"] == 1


@pytest.mark.parametrize("path", ["publish", "keys", "executions", "dead-letters/replay"])
def test_ec3_a_body_that_nobody_needs_is_refused_in_words_and_not_kept(tmp_path, path):
    async def scenario(on):
        return await on.send(f"_cloud/{path}", b" " * (LARGEST + 1), caller="operator")

    status, answer = play(tmp_path, scenario)
    assert status == 400
    assert answer["error"]["problem"] == f"longer than {LARGEST} bytes"


def test_s5_keys_are_listed_and_worked_on(tmp_path):
    async def scenario(on):
        _, before = await on.send("_cloud/keys", caller="operator", method="GET")
        rotated = await on.send("_cloud/keys", {"do": "rotate", "purpose": "secrets"}, caller="operator")
        resealed = await on.send("_cloud/keys", {"do": "reseal"}, caller="operator")
        retired = await on.send("_cloud/keys", {"do": "retire", "purpose": "secrets"}, caller="operator")
        wrong = await on.send("_cloud/keys", {"do": "eat"}, caller="operator")
        return before, rotated, resealed, retired, wrong

    before, rotated, resealed, retired, wrong = play(tmp_path, scenario)
    assert before["purposes"]["secrets"] == {"newest": 1, "sealed": {"1": 1}}
    assert rotated == (200, {"did": "rotate", "purposes": {"secrets": {"version": 2}}})
    assert resealed[1]["purposes"]["secrets"] == {"resealed": 1}
    assert retired[1]["purposes"]["secrets"] == {"retired": [1]}
    assert (wrong[0], wrong[1]["error"]["field"]) == (400, "do")
