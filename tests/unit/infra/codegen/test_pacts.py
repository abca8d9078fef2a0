"""The contracts of C §16 name every subject, are kept by what we can read, and catch who breaks them."""

import copy
import json

import orjson
import pytest

from infra.codegen.pacts import ARCHIVE, NoExample, example, generate
from shared.domain.errors import InvalidInput
from shared.events.backoffice.catalogue import PRODUCER, TELEMETRY
from shared.events.backoffice.envelope import telemetry_model
from shared.events.backoffice.heard import MODELS, read_heard
from shared.events.backoffice.heard_subjects import HEARD
from shared.events.errors import EventError
from tests.support.pacts import interactions, mismatches

OF_TELEMETRY = interactions(f"{ARCHIVE}--{PRODUCER}")
HEARD_OF = {name: interactions(f"{PRODUCER}--{who}")[name] for name, who in HEARD.items()}
OTHER_KIND = [["of", "another", "kind"]]


def content(interaction):
    return copy.deepcopy(interaction["contents"]["content"])


def test_every_subject_that_is_told_or_heard_is_in_the_contract_of_its_two_sides():
    assert OF_TELEMETRY.keys() == TELEMETRY.keys()
    for text in generate().values():
        pact = json.loads(text)
        assert {pact["consumer"]["name"], pact["provider"]["name"]} & {PRODUCER}
        assert pact["metadata"] == {"pactSpecification": {"version": "4.0"}}
        heard = {each["description"] for each in pact["interactions"]}
        if pact["consumer"]["name"] == PRODUCER:
            assert heard == {name for name, who in HEARD.items() if who == pact["provider"]["name"]}


@pytest.mark.parametrize("subject", TELEMETRY)
def test_what_readers_of_telemetry_rely_on_is_an_event_that_we_could_tell(subject):
    found = OF_TELEMETRY[subject]
    told = content(found)
    if "decision" in told["payload"]:
        told["payload"]["decision"]["modifiedDelta"] = None  # many things or nothing: no rule says that
    assert telemetry_model(subject).model_validate_json(json.dumps(told))
    assert mismatches(content(found), found) == []
    with_more = content(found) | {"later": 1}
    with_more["payload"] |= {"addedByALaterRelease": "x"}
    assert mismatches(with_more, found) == []


@pytest.mark.parametrize("subject", HEARD)
def test_a_neighbour_that_keeps_its_contract_is_understood_whatever_else_it_says(subject):
    found = HEARD_OF[subject]
    said = content(found)
    said["data"]["addedByALaterRelease"] = {"x": 1}
    assert read_heard(orjson.dumps(said)).subject == subject
    assert mismatches(said, found) == []


@pytest.mark.parametrize("subject", HEARD)
def test_a_field_that_the_backoffice_cannot_do_without_is_in_the_contract(subject):
    found = HEARD_OF[subject]
    schema = MODELS[subject].model_json_schema(mode="validation")
    for name in schema.get("required", ()):
        said = content(found)
        del said["data"][name]
        with pytest.raises((EventError, InvalidInput)):
            read_heard(orjson.dumps(said))
        assert mismatches(said, found) == [f"$.data.{name}: missing"]


@pytest.mark.parametrize("subject", [*TELEMETRY, *HEARD])
def test_whoever_breaks_a_contract_is_caught_at_each_field(subject):
    found = OF_TELEMETRY.get(subject) or HEARD_OF[subject]
    for path in found["matchingRules"]["body"]:
        if "[*]" in path:
            continue
        *above, last = path.removeprefix("$.").split(".")
        removed, altered = content(found), content(found)
        for document in (removed, altered):
            place = document
            for name in above:
                place = place[name]
            place[last] = OTHER_KIND if document is altered else place[last]
            if document is removed:
                del place[last]
        assert mismatches(removed, found) == [f"{path}: missing"]
        takes_any = found["matchingRules"]["body"][path]["matchers"][0] == {"match": "type", "min": 0}
        assert mismatches(altered, found) or takes_any, path


def test_a_form_without_an_example_is_named():
    with pytest.raises(NoExample, match="never"):
        example({"type": "string", "pattern": "^never this$"})
