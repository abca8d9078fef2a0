"""Contracts read back: whether a message is what its reader relies on, by Pact's rules for messages."""

import json
import re
from numbers import Real
from pathlib import Path

SCHEMAS = Path("schemas/pacts")
KINDS = {
    "integer": lambda value, _: type(value) is int,
    "number": lambda value, _: isinstance(value, Real) and not isinstance(value, bool),
    "boolean": lambda value, _: isinstance(value, bool),
    "null": lambda value, _: value is None,
}


def interactions(name):
    """Return a contract's messages by their subjects."""
    pact = json.loads((SCHEMAS / f"{name}.json").read_text())
    return {each["description"]: each for each in pact["interactions"]}


def mismatches(message, interaction):
    """Say where a message is not what its reader relies on; what more it has is nobody's business."""
    rules = interaction["matchingRules"]["body"]
    return list(_compared(message, interaction["contents"]["content"], "$", rules))


def _compared(actual, expected, path, rules):
    rule = rules.get(re.sub(r"\[\d+\]", "[*]", path))
    if rule is not None and not _matches(actual, expected, rule):
        yield f"{path}: {actual!r} is not as {rule['matchers']}"
    elif isinstance(expected, dict) and isinstance(actual, dict):
        for name in expected:
            if name in actual:
                yield from _compared(actual[name], expected[name], f"{path}.{name}", rules)
            else:
                yield f"{path}.{name}: missing"
    elif isinstance(expected, list) and isinstance(actual, list):
        for number, each in enumerate(actual):
            yield from _compared(each, expected[0] if expected else each, f"{path}[{number}]", rules)
    elif rule is None and actual != expected:
        yield f"{path}: {actual!r} instead of {expected!r}"


def _matches(actual, expected, rule):
    found = [_match(actual, expected, each) for each in rule["matchers"]]
    return any(found) if rule["combine"] == "OR" else all(found)


def _match(actual, expected, matcher):
    match matcher["match"]:
        case "regex":
            return isinstance(actual, str) and re.search(matcher["regex"], actual) is not None
        case "equality":
            return actual == expected
        case "type":
            return type(actual) is type(expected)
        case kind:
            return KINDS[kind](actual, expected)
