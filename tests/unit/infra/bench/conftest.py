"""The form of the document, and the least effort that still measures something."""

import pytest

from infra.bench.figures import Effort

NUMBER, FLAG = {"type": "number"}, {"type": ["boolean", "null"]}
NAMES = {"type": "array", "items": {"type": "string"}}
FIGURE = {
    "type": "object",
    "required": ["value", "unit", "better", "floor", "ok", "rounds"],
    "additionalProperties": False,
    "properties": {
        "value": NUMBER,
        "unit": {"type": "string", "minLength": 1},
        "better": {"enum": ["higher", "lower"]},
        "floor": {"type": ["number", "null"]},
        "ok": FLAG,
        "aim": NUMBER,
        "aim_reached": FLAG,
        "rounds": {"type": "array", "items": NUMBER, "minItems": 1},
        "raw": {
            "type": "object",
            "required": ["figure", "value", "ratio"],
            "additionalProperties": False,
            "properties": {
                "figure": {"type": "string", "pattern": "^raw[.]"},
                "value": NUMBER,
                "ratio": NUMBER,
            },
        },
    },
}
DOCUMENT = {
    "type": "object",
    "required": ["machine", "effort", "figures", "missed_floors", "absent", "untaken"],
    "additionalProperties": False,
    "properties": {
        "machine": {"type": "object", "minProperties": 1},
        "effort": {"type": "object", "required": ["rounds", "quick"]},
        "figures": {"type": "object", "additionalProperties": FIGURE},
        "missed_floors": NAMES,
        "absent": NAMES,
        "untaken": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


@pytest.fixture(scope="session")
def document_form():
    return DOCUMENT


@pytest.fixture(scope="session")
def least_effort():
    return Effort(
        rounds=1,
        seconds=0.05,
        publishes=10,
        messages=64,
        starts=1,
        idle_seconds=0.05,
        quick=True,
        keys_kept=200,
        keys_compared=80,
    )
