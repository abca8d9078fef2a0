"""Terraform itself plans every environment and example: all that the fleet asks for, and no more."""

import json
from pathlib import Path

import pytest

from infra.codegen.fleet_plan import fleet_plan
from infra.terraform.inventory import inventory
from infra.terraform.plan import cells
from infra.terraform.rules import amiss
from shared.events.catalogue import CATALOGUE, topics
from shared.events.subject import Direction
from shared.gcp.settings import GoogleSettings
from shared.runtime.google import deployed_of_environment
from tests.terraform.installed import ENVIRONMENTS, EXAMPLES

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]
FLEET = fleet_plan()
BESIDE = json.loads(Path(__file__).with_name("beside.json").read_text())
"""What each folder makes that no table has rows for, by module, type and name."""
FIRST = "environments/dev"
FOLDERS = [*ENVIRONMENTS, *EXAMPLES]


@pytest.fixture(params=FOLDERS)
def folder(request):
    return request.param


def test_each_row_of_each_table_is_made_once_in_each_cell(folder, planned):
    for cell in cells(planned(folder)):
        for place, rows in inventory(FLEET).items():
            assert cell.at(place).keys() == rows, place


def test_what_no_table_has_rows_for_is_what_was_agreed(folder, planned):
    tables = inventory(FLEET).keys()
    made = {each.place for cell in cells(planned(folder)) for each in cell.made} - tables
    assert sorted(made) == BESIDE[folder]


def test_nothing_is_amiss(folder, planned):
    assert [said for cell in cells(planned(folder)) for said in amiss(cell)] == []


def test_a_function_reads_in_its_environment_where_it_is_and_who_it_is(folder, planned):
    for cell in cells(planned(folder)):
        for name in cell.functions:
            told = {**cell.told(name), "K_SERVICE": name}
            settings, deployed = GoogleSettings.from_environment(told), deployed_of_environment(told)
            assert (settings.project, settings.region) == (cell.project, cell.region)
            assert deployed.audience == settings.url_of(name) == told["KEYFLEET_AUDIENCE"]
            assert settings.emulators == {}


def test_a_function_s_accounts_are_named_as_the_code_names_them(dev):
    settings = GoogleSettings.from_environment(dev.told("sweep-due"))
    accounts = dev.at("module.accounts.google_service_account.this")
    assert {each.values["email"] for each in accounts.values()} >= {
        settings.email_of(settings.tasks_account),
        settings.email_of("workflow-work-on-key"),
    }


def test_every_subject_travels_and_none_that_we_consume_is_lost(dev):
    there = dev.at("module.topics.google_pubsub_topic.this").keys()
    subscribed = {
        each.values["topic"].rpartition("/")[2]
        for each in dev.at("module.triggers.google_pubsub_subscription.this").values()
    }
    for row in CATALOGUE.values():
        assert {*topics(row)} <= there
        if row.direction is Direction.CONSUMED:
            assert {*topics(row)} <= subscribed


def test_only_the_adapter_of_a_vendor_and_its_receiver_read_its_accounts(dev):
    readers = {
        (each.values["member"].partition(":")[2].partition("@")[0], each.values["role"].rpartition(".")[2])
        for each in dev.of("google_project_iam_member")
        if "secretmanager" in each.values["role"]
    }
    named = FLEET["secrets"].values()
    assert {reader for reader, _ in readers} == {each["function"] for each in named}
    of_vendors = {each["function"] for each in named if each["begins"].startswith("lock-")}
    adapters = {name for name, each in FLEET["functions"].items() if each["adapter"]}
    assert of_vendors == adapters | {name for name in FLEET["functions"] if name.startswith("webhook-")}
    assert {right for _, right in readers} == {"secretAccessor", "secretVersionManager", "viewer"}
    # An adapter takes its own vendor's next account into use (decision 0160); nobody else writes one.
    assert {writer for writer, right in readers if right == "secretVersionManager"} == adapters


def test_what_data_rests_in_withstands_a_mistake_only_where_guests_are(planned):
    (cell,) = cells(planned(FIRST))
    databases = cell.at("module.storage.google_firestore_database.this")
    assert {each.values["delete_protection_state"] for each in databases.values()} == {
        "DELETE_PROTECTION_DISABLED"
    }


def test_production_keeps_its_data_its_records_and_its_guests_where_they_are(planned):
    europe, gulf = cells(planned("environments/prod"))
    assert (europe.region, gulf.region) == ("europe-west6", "me-central1")
    for cell in (europe, gulf):
        (records,) = cell.at("module.storage.google_storage_bucket.this").values()
        assert records.block("retention_policy") == {"is_locked": True, "retention_period": 2557 * 86400}
        assert {each.values["delete_protection_state"] for each in cell.of("google_firestore_database")} == {
            "DELETE_PROTECTION_ENABLED"
        }
        text = json.dumps([dict(each.values) for each in cell.made])
        assert (gulf if cell is europe else europe).region not in text


@pytest.mark.parametrize("folder", ["environments/stage"])
def test_adapters_alone_leave_by_the_fixed_addresses(folder, planned):
    (cell,) = cells(planned(folder))
    leaving = {
        name
        for name, each in cell.functions.items()
        if each.block("service_config")["vpc_connector_egress_settings"] == "ALL_TRAFFIC"
    }
    assert leaving == {name for name, each in FLEET["functions"].items() if each["adapter"]}


@pytest.mark.parametrize("module", ["modules/ci", "modules/cell"])
def test_terraform_s_own_tests_pass(module, workspace):
    workspace.init(module)
    done = workspace.run(module, "test")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 failed" in done.stdout


@pytest.mark.parametrize(
    "module",
    ["modules/ci", *ENVIRONMENTS, *EXAMPLES],
)
def test_terraform_finds_nothing_invalid(module, workspace):
    workspace.init(module)
    done = workspace.run(module, "validate")
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_are_as_terraform_lays_them_out(workspace):
    done = workspace.run(".", "fmt", "-check", "-recursive", "-diff")
    assert done.returncode == 0, done.stdout
