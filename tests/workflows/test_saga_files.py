"""The two saga files, operation by operation: what is answered decides what is called next, and when."""

import pytest

from infra.local.workflows.program import load
from infra.local.workflows.runner import run_program
from infra.manifest.load import ROOT
from shared.ledger.entry import Work
from shared.usecases.begin_saga import WORKFLOWS

FLEET = "https://fleet.test"
SAGA = {"tenant": "tnt_silk", "saga_id": "key_1", "generation": 2}
EXECUTION = "run-1"
SOURCES = {name: (ROOT / "workflows" / f"{name}.yaml").read_bytes() for name in WORKFLOWS.values()}

pytestmark = pytest.mark.parametrize("workflow", SOURCES)


def attempt(vendor="ttlock"):
    return {"outcome": "attempt", "adapter": f"adapter-{vendor}", "after_seconds": 0, "warnings": []}


def said(outcome, after=0):
    return {"outcome": outcome, "after_seconds": after, "warnings": []}


async def run(workflow, planned, **made):
    """Run a saga: what the ledger plans in turn, and what each adapter then makes of it, in turn."""
    answers = {"next-attempt": planned, **{f"adapter-{vendor}": each for vendor, each in made.items()}}
    stubs = [
        {"method": "POST", "url": f"{FLEET}/{path}", "responses": list(map(_answer, each))}
        for path, each in answers.items()
    ]
    return await run_program(
        load(SOURCES[workflow], f"{workflow}.yaml"),
        SAGA,
        http_stubs=stubs,
        virtual_clock=True,
        environment={"FLEET_URL": FLEET, "GOOGLE_CLOUD_WORKFLOW_EXECUTION_ID": EXECUTION},
    )


def _answer(body):
    return body if "status" in body or "fault" in body else {"status": 200, "body": body}


def paths(ran):
    return [call["url"].removeprefix(f"{FLEET}/") for call in ran["calls"]]


@pytest.mark.parametrize("outcome", ["done", "failed", "superseded"])
async def test_a_saga_ends_without_a_call_when_the_ledger_says_that_nothing_is_left(workflow, outcome):
    ran = await run(workflow, [said(outcome)])
    assert (ran["state"], ran["result"]["outcome"]) == ("SUCCEEDED", outcome)
    assert paths(ran) == ["next-attempt"]
    assert ran["sleeps"] == []


@pytest.mark.parametrize("outcome", ["done", "failed", "superseded"])
async def test_a_saga_ends_with_what_the_adapter_made_of_it(workflow, outcome):
    ran = await run(workflow, [attempt()], ttlock=[said(outcome)])
    assert (ran["state"], ran["result"]["outcome"]) == ("SUCCEEDED", outcome)
    assert paths(ran) == ["next-attempt", "adapter-ttlock"]
    assert ran["sleeps"] == []


async def test_a_retry_rests_as_long_as_the_ledger_says_and_plans_anew(workflow):
    made = [said("retry", 4.25), said("retry", 12), said("done")]
    ran = await run(workflow, [attempt()], ttlock=made)
    assert paths(ran) == ["next-attempt", "adapter-ttlock"] * 3
    assert ran["sleeps"] == [4.25, 12]
    assert ran["result"]["outcome"] == "done"


async def test_the_next_attempt_may_be_another_vendor_s(workflow):
    ran = await run(workflow, [attempt(), attempt("mock")], ttlock=[said("next")], mock=[said("done")])
    assert paths(ran) == ["next-attempt", "adapter-ttlock", "next-attempt", "adapter-mock"]
    assert sum(ran["sleeps"]) == 0


async def test_an_execution_that_is_superseded_while_it_rests_makes_no_further_attempt(workflow):
    ran = await run(workflow, [attempt(), said("superseded")], ttlock=[said("retry", 30)])
    assert paths(ran) == ["next-attempt", "adapter-ttlock", "next-attempt"]
    assert ran["result"]["outcome"] == "superseded"


async def test_every_call_says_which_execution_of_which_generation_it_is_and_nothing_else(workflow):
    ran = await run(workflow, [attempt()], ttlock=[said("retry"), said("done")])
    assert {tuple(sorted(call["body"].items())) for call in ran["calls"]} == {
        tuple(sorted({**SAGA, "execution": EXECUTION}.items()))
    }


async def test_every_call_proves_who_calls_to_whom_it_calls_and_waits_for_a_bounded_time(workflow):
    ran = await run(workflow, [attempt()], ttlock=[said("done")])
    for call in ran["calls"]:
        assert call["auth"] == {"type": "OIDC", "audience": call["url"]}
    assert [call["timeout"] for call in ran["calls"]] == [60, 120]


@pytest.mark.parametrize("trouble", [{"status": 503}, {"status": 429}, {"fault": "timeout"}])
async def test_a_step_that_is_turned_away_is_asked_again_by_the_same_execution(workflow, trouble):
    ran = await run(workflow, [trouble, attempt()], ttlock=[trouble, trouble, said("done")])
    assert paths(ran) == ["next-attempt"] * 2 + ["adapter-ttlock"] * 3
    assert ran["result"]["outcome"] == "done"


@pytest.mark.parametrize("status", [400, 403, 404, 500])
async def test_a_step_that_breaks_ends_the_execution_for_the_sweeper_to_find(workflow, status):
    ran = await run(workflow, [attempt()], ttlock=[{"status": status}])
    assert ran["state"] == "FAILED"
    assert paths(ran) == ["next-attempt", "adapter-ttlock"]


async def test_a_step_that_is_always_turned_away_ends_the_execution_after_some_tries(workflow):
    ran = await run(workflow, [{"status": 503}])
    assert ran["state"] == "FAILED"
    assert 2 <= len(ran["calls"]) <= 10


def test_each_kind_of_work_has_its_file(workflow):
    assert set(WORKFLOWS) == set(Work)
    assert load(SOURCES[workflow], f"{workflow}.yaml")
