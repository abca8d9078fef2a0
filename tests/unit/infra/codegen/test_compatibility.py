import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonsubschema import isSubschema

from infra.codegen.compatibility import RELEASED, breaking_changes, problems, release
from shared.events.catalogue import subjects
from shared.events.subject import Direction

ROOT = Path(__file__).parents[4]
REVOKED = "melmastoon.lock.credential.revoked.v1.json"

Schema = dict[str, Any]

ORDER: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "kind"],
    "properties": {
        "id": {"type": "string"},
        "kind": {"type": "string", "enum": ["pin", "card"]},
        "note": {"type": "string", "maxLength": 20},
        "rooms": {"type": "array", "items": {"$ref": "#/$defs/Room"}},
        "count": {"type": "integer", "minimum": 0},
        "target": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "$defs": {
        "Room": {
            "type": "object",
            "additionalProperties": False,
            "required": ["number"],
            "properties": {"number": {"type": "integer"}, "floor": {"type": "string"}},
        }
    },
}


def changed(change: Callable[[Schema], object]) -> list[str]:
    current = copy.deepcopy(ORDER)
    change(current)
    return breaking_changes(ORDER, current)


def room(schema: Schema) -> Schema:
    return schema["$defs"]["Room"]


@pytest.mark.parametrize(
    "change",
    [
        lambda schema: None,
        lambda schema: schema["properties"].update(added={"type": "string"}),
        lambda schema: room(schema)["properties"].update(view={"enum": ["sea", "yard"]}),
        lambda schema: schema.update(title="An order", description="Said better", **{"$comment": "new"}),
        lambda schema: schema["properties"]["note"].update(description="Said better", default="x"),
        lambda schema: schema["required"].reverse(),
        lambda schema: schema["properties"]["kind"]["enum"].reverse(),
        lambda schema: schema["properties"]["rooms"].update(items=schema["$defs"].pop("Room")),
    ],
    ids=["nothing", "field", "field inside", "words", "annotations", "order", "order of values", "inlined"],
)
def test_additive_and_cosmetic_changes_pass(change):
    assert changed(change) == []


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda schema: schema["properties"].pop("note"), "note was removed"),
        (lambda schema: room(schema)["properties"].pop("floor"), "rooms[].floor was removed"),
        (lambda schema: schema["required"].append("note"), "(document) now requires note"),
        (lambda schema: schema["required"].remove("id"), "(document) no longer requires id"),
        (lambda schema: room(schema)["required"].append("floor"), "rooms[] now requires floor"),
        (lambda schema: schema["properties"]["kind"]["enum"].append("qr"), "kind gained the value 'qr'"),
        (lambda schema: schema["properties"]["kind"]["enum"].remove("card"), "kind lost the value 'card'"),
        (lambda schema: schema["properties"]["kind"].pop("enum"), "kind no longer lists its values"),
        (lambda schema: schema["properties"]["id"].update(enum=["a"]), "id lists its values"),
        (lambda schema: schema["properties"]["id"].update(type="integer"), "id changed its type"),
        (lambda schema: schema["properties"]["id"].update(pattern="^a"), "id changed its pattern"),
        (lambda schema: schema["properties"]["note"].update(maxLength=30), "note changed its maxLength"),
        (lambda schema: schema["properties"]["note"].pop("maxLength"), "note changed its maxLength"),
        (lambda schema: schema["properties"]["count"].update(minimum=1), "count changed its minimum"),
        (lambda schema: schema["properties"]["target"]["anyOf"].pop(), "target changed its anyOf"),
        (
            lambda schema: schema["properties"]["target"]["anyOf"][0].update(type="integer"),
            "target changed its type",
        ),
        (lambda schema: schema["properties"]["rooms"].pop("items"), "rooms changed its items"),
        (lambda schema: schema.pop("additionalProperties"), "(document) changed its additionalProperties"),
        (lambda schema: schema.update({"if": {}, "then": {}}), "(document) changed its if"),
    ],
)
def test_any_other_change_is_named_by_its_field(change, complaint):
    assert complaint in changed(change)


def test_a_new_field_may_not_be_required():
    def add(schema: Schema) -> None:
        schema["properties"]["added"] = {"type": "string"}
        schema["required"].append("added")

    assert changed(add) == ["(document) now requires added"]


# The oracle knows subschemas and no readers who look past strangers; for it, those allow more properties.
scalars = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": "integer", "minimum": 1},
        {"type": "string", "enum": ["a", "b"]},
        {"type": "string", "enum": ["a", "b", "c"]},
        {"type": "boolean"},
    ]
)


@st.composite
def contracts(draw: st.DrawFn) -> Schema:
    fields = draw(st.dictionaries(st.sampled_from("xyz"), scalars, min_size=1))
    required = draw(st.lists(st.sampled_from(sorted(fields)), unique=True))
    closed = {"type": "object", "additionalProperties": False, "properties": fields}
    return closed | ({"required": required} if required else {})


def as_reader(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "additionalProperties"}


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Schema, Schema]:
    """A contract, and either another one or itself with optional fields added."""
    released = draw(contracts())
    other = draw(contracts())
    grown = {**released, "properties": {**other["properties"], **released["properties"]}}
    return released, draw(st.sampled_from([other, grown]))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(pairs())
def test_what_passes_is_readable_in_both_directions_by_an_independent_judge(pair):
    released, current = pair
    if not breaking_changes(released, current):
        assert isSubschema(current, as_reader(released))
        assert isSubschema(released, as_reader(current))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(pairs())
def test_what_the_independent_judge_finds_unreadable_never_passes(pair):
    released, current = pair
    if not isSubschema(current, as_reader(released)):
        assert breaking_changes(released, current)


@pytest.fixture
def frozen(tmp_path) -> Path:
    """A repository whose releases are the committed ones."""
    (tmp_path / RELEASED).mkdir(parents=True)
    for path in (ROOT / RELEASED).glob("*.json"):
        (tmp_path / RELEASED / path.name).write_text(path.read_text())
    return tmp_path


def rewrite(root: Path, name: str, change: Callable[[Schema], object]) -> None:
    path = root / RELEASED / name
    schema = json.loads(path.read_text())
    change(schema)
    path.write_text(json.dumps(schema))


def test_committed_releases_are_kept(frozen):
    assert problems(frozen) == []


def test_every_produced_subject_is_released():
    committed = {path.name for path in (ROOT / RELEASED).glob("*.json")}
    assert committed == {f"{row.name}.json" for row in subjects(Direction.PRODUCED)}
    assert {path.name for path in release()} == committed


def test_broken_release_names_file_field_and_remedy(frozen):
    rewrite(
        frozen, REVOKED, lambda schema: schema["$defs"]["CredentialRevokedV1"]["required"].remove("vendor")
    )
    expected = (
        f"schemas/released/{REVOKED}: data now requires vendor. Publish it as a new version of the subject"
    )
    assert problems(frozen) == [expected]


def test_released_subject_that_vanished_is_a_problem(frozen):
    (frozen / RELEASED / "melmastoon.lock.gone.gone.v1.json").write_text("{}")
    assert any(
        re.search(r"gone\.v1\.json: a released subject is no longer", text) for text in problems(frozen)
    )


def test_consumed_contracts_are_outside_the_gate():
    assert not [path for path in release() if "reservation" in path.name]
