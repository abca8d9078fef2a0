"""The events' description is whole: every subject that travels, each with its schema."""

import json
from copy import deepcopy
from pathlib import Path

import pytest

from infra.codegen import asyncapi, llms_txt
from infra.codegen.openapi import described, operation_id
from shared.events.catalogue import CATALOGUE
from shared.events.subject import Direction

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def document():
    return asyncapi.asyncapi()


def test_every_subject_that_travels_has_a_channel_a_direction_and_a_schema_that_is_there(document):
    travelling = {row.name: row for row in CATALOGUE.values() if row.direction is not Direction.LOCAL}
    assert set(document["channels"]) == {*travelling, asyncapi.WEBHOOK}
    actions = {each["channel"]["$ref"]: each["action"] for each in document["operations"].values()}
    for name, row in travelling.items():
        wanted = "send" if row.direction is Direction.PRODUCED else "receive"
        assert actions[f"#/channels/{name}"] == wanted
        payload = document["components"]["messages"][name]["payload"]["$ref"]
        schema = json.loads((ROOT / "schemas" / payload).read_text(encoding="utf-8"))
        assert schema["title"] == name
    assert len(document["operations"]) == len(document["channels"]), "no two operations share a name"


def test_the_description_is_sound_and_a_broken_one_is_found_out(document):
    assert list(asyncapi.problems_of(document)) == []
    broken = deepcopy(document)
    broken["operations"]["tellWebhooks"]["channel"]["$ref"] = "#/channels/nowhere"
    del broken["components"]["messages"]["melmastoon.lock.credential.issued.v1"]
    found = " ".join(asyncapi.problems_of(broken))
    assert "no channel nowhere" in found
    assert "no message" in found
    assert "channels.webhook: no operation" in found


def _refs(node):
    if not isinstance(node, dict | list):
        return
    if isinstance(node, dict) and "$ref" in node:
        yield node["$ref"]
    for each in node.values() if isinstance(node, dict) else node:
        yield from _refs(each)


def test_every_reference_inside_leads_somewhere(document):
    inside = [each for each in _refs(document) if each.startswith("#/")]
    assert len(inside) > 100
    for ref in inside:
        at = document
        for part in ref.removeprefix("#/").split("/"):  # names of subjects hold dots, and no slashes
            at = at[part]


def test_a_model_is_told_of_every_route():
    told = llms_txt.page()
    for each in described():
        assert f"`{each.route.method} {each.route.path}` {operation_id(each.route)}" in told


def test_the_files_are_as_they_would_be_written_now():
    for module in (asyncapi, llms_txt):
        assert (ROOT / module.PAGE).read_text(encoding="utf-8") == module.generate()[module.PAGE]
