"""The night of the audit log, call by call: who fails is passed over, and who is behind is asked again."""

import pytest

from infra.local.workflows.program import load
from infra.local.workflows.runner import run_program
from infra.manifest.load import ROOT

FLEET, DATE = "https://fleet.test", "2026-11-18"
SOURCE = (ROOT / "workflows" / "anchor_day.yaml").read_bytes()
SEEN = ["audit.example/cell\n1\nAAAA\n"]


def answers(tenants=("tnt_a", "tnt_b"), tenant=None, cell=None, witness=None):
    """Return what each function answers, in turn."""
    closed = {"date": DATE, "behind": False}
    return {
        "audit-witness": [{"seen": SEEN}, *(witness or [{"date": DATE, "witnesses": ["bucket"]}])],
        "anchor-tenants": [{"tenants": [*tenants]}],
        "anchor-tenant": tenant or [closed] * 9,
        "anchor-cell": cell or [{"date": DATE, "open": []}],
    }


async def run(**functions):
    stubs = [
        {"method": "POST", "url": f"{FLEET}/{name}", "responses": [_answer(each) for each in told]}
        for name, told in answers(**functions).items()
    ]
    return await run_program(
        load(SOURCE, "anchor_day.yaml"),
        {"date": DATE},
        http_stubs=stubs,
        virtual_clock=True,
        environment={"FLEET_URL": FLEET, "GOOGLE_CLOUD_WORKFLOW_EXECUTION_ID": "run-1"},
    )


def _answer(body):
    return body if "status" in body or "fault" in body else {"status": 200, "body": body}


def asked(ran, name=""):
    calls = [(call["url"].removeprefix(f"{FLEET}/"), call["body"]) for call in ran["calls"]]
    return [body for function, body in calls if function == name] if name else [each for each, _ in calls]


async def test_tenants_come_before_the_cell_and_the_witness_before_and_after_both():
    ran = await run()
    assert ran["state"] == "SUCCEEDED", ran
    assert asked(ran) == [
        "audit-witness",
        "anchor-tenants",
        "anchor-tenant",
        "anchor-tenant",
        "anchor-cell",
        "audit-witness",
    ]
    assert ran["result"] == {"date": DATE, "open": [], "witnesses": ["bucket"]}


async def test_what_the_witness_remembers_goes_to_whoever_signs_the_cell():
    ran = await run()
    assert [each["seen"] for each in asked(ran, "anchor-tenants") + asked(ran, "anchor-cell")] == [SEEN] * 2


async def test_a_tenant_that_is_behind_is_asked_until_it_is_not():
    behind, closed = {"date": DATE, "behind": True}, {"date": DATE, "behind": False}
    ran = await run(tenants=["tnt_a"], tenant=[behind, behind, closed])
    assert len(asked(ran, "anchor-tenant")) == 3


@pytest.mark.parametrize("failure", [{"status": 500, "body": "crash"}, {"status": 400, "body": {}}])
async def test_a_tenant_that_fails_keeps_nobody_from_being_closed(failure):
    ran = await run(tenants=["tnt_a"], tenant=[failure])
    assert (ran["state"], asked(ran)[-2:]) == ("SUCCEEDED", ["anchor-cell", "audit-witness"])


async def test_a_tenant_in_passing_trouble_is_tried_again():
    ran = await run(tenants=["tnt_a"], tenant=[{"status": 503, "body": {}}, {"date": DATE, "behind": False}])
    assert len(asked(ran, "anchor-tenant")) == 2


async def test_a_cell_that_is_behind_its_witness_closes_nobodys_day():
    stubs = answers()
    stubs["anchor-tenants"] = [{"status": 500, "body": "crash"}]
    ran = await run_program(
        load(SOURCE, "anchor_day.yaml"),
        {"date": DATE},
        http_stubs=[
            {"method": "POST", "url": f"{FLEET}/{name}", "responses": [_answer(each) for each in told]}
            for name, told in stubs.items()
        ],
        virtual_clock=True,
        environment={"FLEET_URL": FLEET, "GOOGLE_CLOUD_WORKFLOW_EXECUTION_ID": "run-1"},
    )
    assert (ran["state"], asked(ran)) == ("FAILED", ["audit-witness", "anchor-tenants"])


async def test_a_witness_in_passing_trouble_is_asked_again_and_the_cell_stands():
    ran = await run(witness=[{"status": 503, "body": {}}, {"date": DATE, "witnesses": []}])
    assert ran["result"]["witnesses"] == []
