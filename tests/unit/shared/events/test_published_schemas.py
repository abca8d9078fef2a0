"""Models and JSON Schemas tell one contract twice: instances of either must satisfy the other."""

import copy
from functools import cache
from typing import Any

import pytest
import rfc8785
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator

from infra.codegen.event_schemas import schema_of
from shared.events.catalogue import CATALOGUE
from shared.events.codec import parse, require_publishable
from shared.events.errors import InvalidEvent
from shared.events.subject import Direction
from shared.events.wire import write_instant

# Rules between fields that JSON Schema cannot say.
BEYOND_SCHEMA = {
    "the window does not end after it starts",
    "neither validFrom, validUntil nor rooms is given",
    "its tenantId differs from the envelope's",
}

produced = [name for name, row in CATALOGUE.items() if row.direction is Direction.PRODUCED]
relaxed = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@cache
def schema(subject: str) -> dict[str, Any]:
    return schema_of(CATALOGUE[subject])


@cache
def validator(subject: str) -> Draft202012Validator:
    return Draft202012Validator(schema(subject), validate_formats=True)


instants = st.datetimes(timezones=st.timezones()).filter(lambda moment: 1000 < moment.year < 9999)


def strategy(node: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Instances of the part of JSON Schema our generator writes."""
    if "$ref" in node:
        return strategy(root["$defs"][node["$ref"].removeprefix("#/$defs/")], root)
    for keyword in ("oneOf", "anyOf"):
        if keyword in node:
            return st.one_of([strategy(branch, root) for branch in node[keyword]])
    if "const" in node:
        return st.just(node["const"])
    if "enum" in node:
        return st.sampled_from(node["enum"])
    return TYPES[node.get("type", "any")](node, root)


def objects(node: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    fields = {name: strategy(field, root) for name, field in node.get("properties", {}).items()}
    required = set(node.get("required", ()))
    return st.fixed_dictionaries(
        {name: field for name, field in fields.items() if name in required},
        optional={name: field for name, field in fields.items() if name not in required},
    )


def arrays(node: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    least = node.get("minItems", 0)
    return st.lists(strategy(node["items"], root), min_size=least, max_size=least + 2)


def strings(node: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    if node.get("format") == "date-time":
        return instants.map(lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)).map(
            write_instant
        )
    if "pattern" in node:
        return st.from_regex(node["pattern"], fullmatch=True)
    return st.text(min_size=node.get("minLength", 0), max_size=node.get("maxLength", 20))


def integers(node: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    return st.integers(node.get("minimum"), node.get("maximum"))


def numbers(node: dict[str, Any], root: dict[str, Any]) -> st.SearchStrategy[Any]:
    return st.floats(node.get("minimum"), node.get("maximum"), allow_nan=False)


TYPES = {
    "object": objects,
    "array": arrays,
    "string": strings,
    "integer": integers,
    "number": numbers,
    "boolean": lambda node, root: st.booleans(),
    "null": lambda node, root: st.none(),
    "any": lambda node, root: st.none() | st.integers(0, 9) | st.text(max_size=5),
}


def refused_for(document: Any) -> set[str]:
    try:
        parse(document, exact=True)
    except InvalidEvent as error:
        return {problem.problem for problem in error.problems}
    return set()


def test_example_validates_against_the_schema_of_its_subject(produced_example, document):
    subject, payload = produced_example
    validator(subject).validate(document(subject, payload))


def test_consumed_example_fits_our_consumer_contract(consumed_example, document):
    subject, payload = consumed_example
    validator(subject).validate(document(subject, payload | {"new": 1}, region="me-central1"))


def test_local_example_validates_against_its_schema(local_example, document):
    subject, payload = local_example
    validator(subject).validate(document(subject, payload))


@pytest.mark.parametrize("subject", CATALOGUE)
def test_what_the_schema_allows_the_model_reads(subject):
    root = schema(subject)
    rules_hold = validator(subject).is_valid

    @relaxed
    @given(strategy(root, root).filter(rules_hold))
    def agree(instance):
        assert refused_for(instance) <= BEYOND_SCHEMA

    agree()


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in a document but the document itself."""
    steps = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [found for step, value in steps for found in [(*path, step), *places(value, (*path, step))]]


junk = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        101,
        1.5,
        2**53,
        "",
        "x",
        "é\n",
        "2026-02-30T10:00:00Z",
        [],
        [1],
        {},
        {"a": 1},
        "granted",
    ]
)


def bent(document: dict[str, Any], path: tuple[Any, ...], how: str, value: Any) -> dict[str, Any]:
    """The document with one value replaced, removed, or joined by a stranger."""
    changed = copy.deepcopy(document)
    *outer, last = path
    parent = changed
    for step in outer:
        parent = parent[step]
    if how == "replace":
        parent[last] = value
    elif how == "remove":
        del parent[last]
    elif isinstance(parent, dict):
        parent["stranger"] = value
    return changed


def publishable(document: Any) -> bool:
    try:
        require_publishable(rfc8785.dumps(document))
    except (InvalidEvent, rfc8785.CanonicalizationError):
        return False
    return True


@pytest.mark.parametrize("subject", produced)
def test_what_the_model_lets_us_publish_the_schema_allows(subject, document):
    whole = document(subject)

    @settings(relaxed, max_examples=120)
    @given(st.sampled_from(places(whole)), st.sampled_from(["replace", "remove", "join"]), junk)
    def agree(path, how, value):
        changed = bent(whole, path, how, value)
        valid = validator(subject).is_valid(changed)
        assert valid or not publishable(changed)
        assert not valid or refused_for(changed) <= BEYOND_SCHEMA

    assert publishable(whole)
    agree()


@pytest.mark.parametrize("subject", CATALOGUE)
def test_schema_names_itself_by_its_subject(subject):
    root = schema(subject)
    assert root["$id"] == f"https://schemas.melmastoon.ghasi.io/lock/{subject}.json"
    assert root["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert root["properties"]["subject"] == {"const": subject}
    assert root["description"]
