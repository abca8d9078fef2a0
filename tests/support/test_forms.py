"""What is drawn from a description is all that it allows, its edges foremost, and nothing beside it."""

import re
from random import Random

import orjson
import pytest
from jsonschema_rs import Draft202012Validator

from infra.codegen.openapi import PAGE
from tests.support.forms import STUMBLES, Form, Forms
from tests.support.patterns import drawn_from

DRAWS = 12
METHODS = {"get", "post", "put", "patch", "delete"}
PLACES = {"path": "path", "header": "headers", "query": "query"}
MODELS = {"components": {"schemas": {"Inner": {"type": "boolean"}}}}
EDGES = [
    ({"type": "integer", "minimum": 1, "maximum": 200}, {1, 200}),
    ({"type": "string", "enum": ["a", "b", "c"]}, {"a", "b", "c"}),
    ({"type": "string", "pattern": "^(true|false)$"}, {"true", "false"}),
    ({"type": "string", "pattern": "^[*]?$|^x{2,3}$"}, {"", "*", "xx", "xxx"}),
    ({"anyOf": [{"type": "boolean"}, {"enum": ["x"]}]}, {True, False, "x"}),
    ({"type": "string"}, {*STUMBLES}),
]


def forms(description=MODELS):
    return Forms(description, Random(1))


def test_every_request_is_one_that_the_description_allows():
    described = orjson.loads(PAGE.read_bytes())
    drawn, models = forms(described), {"components": described["components"]}

    def allowed(schema, values):
        validator = Draft202012Validator({**schema, **models}, validate_formats=True)
        return all(map(validator.is_valid, values))

    ours = [path for path in described["paths"].values() if path["servers"] == [{"url": "/lock-api"}]]
    assert len(ours) > 20
    for operation in (path[method] for path in ours for method in METHODS & path.keys()):
        asked = [drawn.draw(operation) for _ in range(DRAWS)]
        for each in operation.get("parameters", ()):
            places = [getattr(form, PLACES[each["in"]]) for form in asked]
            told = [place[each["name"]] for place in places if each["name"] in place]
            assert allowed(each["schema"], told)
            assert len(told) == DRAWS or not each.get("required")
        if "requestBody" in operation:
            (content,) = operation["requestBody"]["content"].values()
            assert allowed(content["schema"], [form.body for form in asked])


@pytest.mark.parametrize(("schema", "edges"), EDGES)
def test_every_edge_is_drawn(schema, edges):
    drawn = forms()
    assert edges <= {drawn.value(schema) for _ in range(3000)}


def test_shortest_and_longest_are_drawn():
    text = {"type": "string", "minLength": 2, "maxLength": 9}
    lists = {"type": "array", "items": text, "maxItems": 5}
    drawn = forms()
    assert {len(drawn.value(text)) for _ in range(999)} == {*range(2, 10)}
    assert {len(drawn.value(lists)) for _ in range(999)} == {*range(6)}


def test_what_may_be_missing_is_missing_alone_and_together():
    schema = {
        "type": "object",
        "properties": {each: {"$ref": "#/components/schemas/Inner"} for each in "abc"},
        "required": ["a"],
        "additionalProperties": False,
    }
    drawn = forms()
    told = {frozenset(drawn.value(schema)) for _ in range(200)}
    assert told == {frozenset(each) for each in ("a", "ab", "ac", "abc")}


def test_headers_are_lines_that_can_be_sent():
    drawn = forms()
    asked = {
        "parameters": [{"in": "header", "name": "If-Match", "required": True, "schema": {"type": "string"}}]
    }
    for _ in range(999):
        sent = drawn.draw(asked).headers["If-Match"]
        assert sent == sent.strip()
        assert re.fullmatch(r"[^\x00-\x1f\x7f]*", sent)
        assert sent.encode("latin-1").decode("latin-1") == sent


def test_a_request_without_anything_is_empty():
    assert forms().draw({}) == Form()


def test_a_keyword_that_nobody_knows_is_refused():
    with pytest.raises(AssertionError, match="multipleOf"):
        forms().value({"type": "integer", "multipleOf": 3})


@pytest.mark.parametrize(
    "pattern", ["^[^@ ]+@[^@ ]+$", "^#[0-9a-f]{6}$", r"^\+[1-9][0-9]{6,14}$", "^(a|bc)?[.]$"]
)
def test_what_is_drawn_of_a_pattern_matches_it(pattern):
    chance = Random(2)
    for _ in range(999):
        assert re.search(pattern, drawn_from(pattern, chance))
