"""Each file that a saga may run, operation by operation: what is answered decides what is next, and when."""

import pytest

from infra.local.workflows.program import load
from infra.local.workflows.runner import run_program
from infra.manifest.load import ROOT
from shared.keywork.start import WORKFLOW, WORKFLOWS

FLEET = "https://fleet.test"
SAGA = {"tenant": "tnt_silk", "saga_id": "key_1", "generation": 2, "adapter": "adapter-ttlock"}
EXECUTION = "run-1"
SOURCES = {name: (ROOT / "workflows" / f"{name}.yaml").read_bytes() for name in WORKFLOWS}

pytestmark = pytest.mark.parametrize("workflow", SOURCES)


def said(outcome, after=0, whom="ttlock"):
    more = {"adapter": f"adapter-{whom}"} if outcome in ("retry", "next") else {}
    return {"outcome": outcome, "after_seconds": after, "warnings": [], **more}


async def run(workflow, **made):
    """Run a saga: what each adapter makes of it, in turn."""
    stubs = [
        {"method": "POST", "url": f"{FLEET}/adapter-{vendor}", "responses": list(map(_answer, each))}
        for vendor, each in made.items()
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


def asked(ran):
    return [call["url"].removeprefix(f"{FLEET}/adapter-") for call in ran["calls"]]


@pytest.mark.parametrize("outcome", ["done", "failed", "superseded"])
async def test_a_saga_ends_with_what_the_adapter_made_of_it(workflow, outcome):
    ran = await run(workflow, ttlock=[said(outcome)])
    assert (ran["state"], ran["result"]["outcome"]) == ("SUCCEEDED", outcome)
    assert (asked(ran), ran["sleeps"]) == (["ttlock"], [])


async def test_a_retry_rests_as_long_as_the_ledger_says_and_asks_again(workflow):
    ran = await run(workflow, ttlock=[said("retry", 4.25), said("retry", 12), said("done")])
    assert (asked(ran), ran["sleeps"]) == (["ttlock"] * 3, [4.25, 12])
    assert ran["result"]["outcome"] == "done"


async def test_whom_the_ledger_names_is_asked_next(workflow):
    ran = await run(workflow, ttlock=[said("next", whom="mock"), said("done")], mock=[said("next")])
    assert asked(ran) == ["ttlock", "mock", "ttlock"]
    assert sum(ran["sleeps"]) == 0


async def test_an_execution_that_is_superseded_while_it_rests_makes_no_further_attempt(workflow):
    ran = await run(workflow, ttlock=[said("retry", 30), said("superseded")])
    assert (asked(ran), ran["result"]["outcome"]) == (["ttlock"] * 2, "superseded")


async def test_every_call_says_which_execution_of_which_generation_it_is_and_nothing_else(workflow):
    ran = await run(workflow, ttlock=[said("retry"), said("done")])
    assert [call["body"] for call in ran["calls"]] == [{**SAGA, "execution": EXECUTION}] * 2


async def test_every_call_proves_who_calls_to_whom_it_calls_and_waits_for_a_bounded_time(workflow):
    ran = await run(workflow, ttlock=[said("next", whom="mock")], mock=[said("done")])
    for call in ran["calls"]:
        assert call["auth"] == {"type": "OIDC", "audience": call["url"]}
    assert [call["timeout"] for call in ran["calls"]] == [140, 140]


@pytest.mark.parametrize("trouble", [{"status": 503}, {"status": 429}, {"fault": "timeout"}])
async def test_a_step_that_is_turned_away_is_asked_again_by_the_same_execution(workflow, trouble):
    ran = await run(workflow, ttlock=[trouble, trouble, said("done")])
    assert (asked(ran), ran["result"]["outcome"]) == (["ttlock"] * 3, "done")


@pytest.mark.parametrize("status", [400, 403, 404, 500])
async def test_a_step_that_breaks_ends_the_execution_for_the_sweeper_to_find(workflow, status):
    ran = await run(workflow, ttlock=[{"status": status}])
    assert (ran["state"], asked(ran)) == ("FAILED", ["ttlock"])


async def test_a_step_that_is_always_turned_away_ends_the_execution_after_some_tries(workflow):
    ran = await run(workflow, ttlock=[{"status": 503}])
    assert ran["state"] == "FAILED"
    assert 2 <= len(ran["calls"]) <= 10


def test_executions_in_flight_end_as_those_begun_now_would(workflow):
    """Whatever the file's name, the adapter of this release is asked in the same way."""
    _, found, now = SOURCES[WORKFLOW].partition(b"main:")
    assert found
    assert SOURCES[workflow].endswith(found + now)
