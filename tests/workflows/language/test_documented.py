"""Cases written from the pages of Google's reference and from its public samples, one rule each."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "documented"
CASES = json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
async def test_documented_rule_holds(case, assert_case):
    """The workflow behaves as the page in `source` says."""
    await assert_case(case, FOLDER)


def test_cases_name_their_source_and_use_every_workflow():
    assert all(case["source"] for case in CASES)
    assert len({case["id"] for case in CASES}) == len(CASES)
    used = {case["file"] for case in CASES}
    assert used == {path.relative_to(FOLDER).as_posix() for path in FOLDER.glob("flows/*")}
