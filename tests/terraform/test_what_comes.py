"""What will be added is deployed without an edit of a module: a service, a queue, a reader, a vendor."""

import json

import pytest

from infra.codegen.fleet_plan import fleet_plan
from infra.terraform.inventory import inventory
from infra.terraform.plan import cells
from infra.terraform.rules import amiss
from tests.terraform.installed import variables_of

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]
FOLDER = "examples/minimal"


def added():
    """Return the plan with one of each thing that there was none of, or that somebody will bring."""
    plan = json.loads(json.dumps(fleet_plan()))
    model = plan["functions"]["probe-reply"]
    service = {"kind": "service", "trigger": "service", "account": "edge-rooms", "entry_point": "edge_rooms"}
    told = {**model["environment"], "KEYFLEET_PEOPLE": "true"}
    plan["functions"]["edge-rooms"] = {**model, **service, "open_to_all": True, "environment": told}
    plan["functions"]["queue-rooms"] = {**model, "account": "queue-rooms", "entry_point": "queue_rooms"}
    plan["functions"]["adapter-acme"] = {
        **plan["functions"]["adapter-mock"],
        "adapter": "acme",
        "account": "adapter-acme",
        "entry_point": "adapter_acme",
    }
    plan["queues"]["queue-rooms"] = {
        **plan["queues"]["probe-reply"],
        "function": "queue-rooms",
        "max_retry_seconds": 60,
    }
    plan["identities"] |= {
        name: {"kind": "function"} for name in ("edge-rooms", "queue-rooms", "adapter-acme")
    }
    plan["invokers"]["queue-rooms/cloud-tasks"] = {"function": "queue-rooms", "caller": "cloud-tasks"}
    secret = {"account": "adapter-acme", "role": "roles/secretmanager.secretAccessor", "on": "secret"}
    plan["grants"]["adapter-acme/secrets"] = {**secret, "target": "lock-acme-*-api"}
    bucket = {
        "account": "edge-rooms",
        "role": "roles/storage.objectViewer",
        "on": "bucket",
        "target": "records",
    }
    plan["grants"]["edge-rooms/records"] = bucket
    plan["keys"]["guest-artifact-acme"] = {
        "rotated_every_days": 90,
        "openers": ["adapter-acme"],
        "sealers": ["edge-rooms"],
    }
    return plan


@pytest.fixture(scope="module")
def other(workspace, once):
    plan = added()
    (cell,) = cells(once("what-comes", lambda: _planned(workspace, plan)))
    return plan, cell


def _planned(workspace, plan):
    """Plan with what comes, and put back what was there."""
    file = workspace.root / "terraform/fleet.json"
    before = file.read_text()
    file.write_text(json.dumps(plan))
    try:
        return workspace.plan(FOLDER, *variables_of(FOLDER), *("-var=region=europe-west6",))
    finally:
        file.write_text(before)


def test_each_thing_that_comes_is_made(other):
    plan, cell = other
    assert {place: cell.at(place).keys() for place in inventory(plan)} == inventory(plan)


def test_nothing_about_it_is_amiss(other):
    _, cell = other
    assert amiss(cell) == []


def test_a_service_is_told_its_audience_and_runs_as_itself(other):
    _, cell = other
    service = cell.services["edge-rooms"]
    told = cell.told("edge-rooms")
    assert service.values["custom_audiences"] == [told["KEYFLEET_AUDIENCE"]]
    assert told["KEYFLEET_AUDIENCE"].endswith(".cloudfunctions.net/edge-rooms")
    assert told["FUNCTION_TARGET"] == "edge_rooms"
    assert service.block("template")["service_account"].startswith("edge-rooms@")
    assert "uvicorn main:app" in service.block("build_config")["environment_variables"]["GOOGLE_ENTRYPOINT"]


def test_only_the_new_vendor_s_adapter_reads_its_secrets(other):
    _, cell = other
    reading = [
        each for each in cell.of("google_project_iam_member") if "lock-acme-" in str(each.values["condition"])
    ]
    assert [each.values["member"].partition("@")[0] for each in reading] == ["serviceAccount:adapter-acme"]
