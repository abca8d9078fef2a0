"""The page of what the trial found names a test that there is, or an issue, for each finding."""

import ast
import re

import pytest

from tests.architecture.tree import ROOT

PAGE = (ROOT / "infra/docs/trial.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([A-Z0-9][A-Z0-9., ]*) \| .+ \| (.+) \|$", re.MULTILINE)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
ISSUE = re.compile(r"issue (\d+)")
FINDINGS = {
    *(f"2.{number}" for number in range(1, 16)),
    *(f"ES{number}" for number in range(1, 7)),
    *(f"EL{number}" for number in range(1, 8)),
    "ED1",
    *(f"EC{number}" for number in range(1, 7)),
    *(f"H{number}" for number in range(1, 7)),
    *(f"M{number}" for number in range(2, 7)),
    "L1",
    "L2",
    *(f"3.{number}" for number in range(1, 12)),
    *(f"6.{number}" for number in (7, 8, 10, 11, 16, 18, 25, 26, 27, 33, 34, 35, 36)),
    *(f"S{number}" for number in range(1, 13)),
    *(f"SL{number}" for number in range(1, 16)),
    *(f"9.{number}" for number in range(1, 13)),
}
"""All that were numbered: by the trial's two parts, fresh eyes, the security review, and the issue itself."""
ROWS = {finding: held for names, held in ROW.findall(PAGE) for finding in names.split(", ")}
NAMED = sorted({(file, test) for held in ROWS.values() for file, test in TEST.findall(held)})


def test_every_numbered_finding_is_on_the_page_once():
    assert set(ROWS) == FINDINGS
    assert sum(len(names.split(", ")) for names, _ in ROW.findall(PAGE)) == len(FINDINGS)


@pytest.mark.parametrize("finding", sorted(ROWS))
def test_finding_is_held_by_a_test_or_owned_by_an_issue(finding):
    assert TEST.search(ROWS[finding]) or ISSUE.search(ROWS[finding])


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_test_that_the_page_names_is_there(file, test):
    module = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    defined = {
        node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert test in defined
