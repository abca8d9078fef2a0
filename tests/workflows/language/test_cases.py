"""The conformance cases handed to this project, and the rules beyond them."""

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

CASES = Path(__file__).parent / "cases"


def _cases() -> list[Any]:
    documents = [json.loads((CASES / "cases.json").read_text(encoding="utf-8"))]
    documents.append(YAML(typ="safe", pure=True).load(CASES / "rules.yaml"))
    return [pytest.param(case, id=case["id"]) for document in documents for case in document["cases"]]


@pytest.mark.parametrize("case", _cases())
async def test_case_gives_what_the_documentation_says(case, assert_case):
    """Every expectation of the case holds."""
    await assert_case(case, CASES)
