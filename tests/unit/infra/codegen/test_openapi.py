"""The API's description is valid, whole, and what the tables of routes say."""

from collections import Counter
from pathlib import Path

import pytest

from infra.codegen.openapi import ASKS, PAGE, described, generate, openapi, operation_id
from infra.manifest.load import load_manifest
from infra.manifest.triggers import ServiceTrigger
from shared.runtime.problems import CATALOGUE
from tests.support.examiners import openapi_validator

ROOT = Path(__file__).parents[4]
MAY_SAY = {
    "Revealed": "a PIN, to whom it is revealed",
    "SignedIn": "a guest's own session",
    "WebhookSecret": "what an address checks our signature with, once",
}


@pytest.fixture(scope="module")
def document():
    return openapi()


def test_the_description_is_valid_openapi(document):
    validator = openapi_validator()
    validator.OpenAPIV31SpecValidator(document).validate()


def test_every_function_that_people_call_is_in_it():
    functions = load_manifest().functions.values()
    called = [each for each in functions if each.deployable.people]
    # A service is an application of its own, and has no table of routes.
    people = {each.name for each in called if not isinstance(each.deployable.trigger, ServiceTrigger)}
    assert {each.function for each in described()} == people >= {"lock-api", "lock-reveal", "audit-api"}


def test_every_route_is_in_it_once_under_a_name_of_its_own(document):
    told = [each["operationId"] for path in document["paths"].values() for each in _operations(path)]
    assert sorted(told) == sorted(operation_id(each.route) for each in described())
    assert [name for name, count in Counter(told).items() if count > 1] == []


def test_every_operation_says_where_it_is_what_it_asks_for_and_what_may_go_wrong(document):
    statuses = {str(row.status) for row in CATALOGUE}
    for each in described():
        path = document["paths"][each.route.path]
        operation = path[each.route.method.lower()]
        assert path["servers"] == [{"url": f"/{each.function}"}]
        assert operation.get("x-permission") == (each.route.permission and str(each.route.permission))
        assert set(operation["responses"]) - {"304"} <= {str(each.route.status), *statuses}
        named = {parameter["name"] for parameter in operation["parameters"]}
        assert named >= set(each.route.parameters)
        takes_key = "Idempotency-Key" in named
        assert takes_key is (each.route.method != ASKS and each.route.remembered)
        assert ("If-Match" in named, "428" in operation["responses"]) == (each.route.method != ASKS,) * 2


def test_what_a_desktop_proves_itself_by_is_asked_for_wherever_it_has_signed_in(
    document,
):
    proof = {"backoffice-session", "backoffice-device"}
    asks = {
        operation["operationId"]
        for path in document["paths"].values()
        for operation in _operations(path)
        if {each["name"] for each in operation["parameters"] if each.get("required")} >= proof
    }
    at_desktops = {operation_id(each.route) for each in described() if each.function == "backoffice"}
    assert at_desktops - asks == {"openSession", "makeConsoleCode"}
    assert asks <= at_desktops


def test_nothing_that_opens_a_door_has_a_field_but_where_a_pin_is_revealed(document):
    names = {
        name.lower()
        for model, schema in document["components"]["schemas"].items()
        if model not in MAY_SAY
        for name in schema.get("properties", {})
    }
    assert names.isdisjoint({"pin", "artifact", "secret", "vendorref", "code_at_lock", "token"})


def test_the_file_is_as_it_would_be_written_now():
    assert (ROOT / PAGE).read_text(encoding="utf-8") == generate()[PAGE]


def _operations(path):
    return [each for name, each in path.items() if name != "servers"]
