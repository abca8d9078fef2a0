"""The adapter's papers are complete: fourteen points, each settled or explained; a runbook with its parts."""

import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from shared.vendors import ttlock

FOLDER = Path(ttlock.__file__).parent
POINTS = (
    *("sdk_evaluation", "security_review", "capability_mapping", "adapter", "webhook_receiver", "registered"),
    *("sandbox_tests", "contract_tests", "staging_e2e", "hardware_in_the_loop", "runbook", "cost_model"),
    *("production_canary", "documentation"),
)
SECTIONS = (
    *("What it speaks", "Onboarding a property", "Rotating credentials", "Common errors"),
    *("What cannot be undone", "Known issues", "Escalation"),
)


@pytest.fixture(scope="module")
def quality():
    return YAML(typ="safe", pure=True).load((FOLDER / "quality.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def runbook():
    return (FOLDER / "RUNBOOK.md").read_text(encoding="utf-8")


def test_quality_settles_the_fourteen_points_of_the_checklist(quality):
    assert tuple(quality["points"]) == POINTS
    assert {point["status"] for point in quality["points"].values()} <= {"done", "todo", "exempt"}


@pytest.mark.parametrize("point", POINTS)
def test_quality_says_where_or_why(quality, point):
    entry = quality["points"][point]
    if entry["status"] == "done":
        assert all((FOLDER.parents[2] / path).exists() for path in entry["see"])
    else:
        assert len(entry["why"].split()) > 5


def test_runbook_has_its_sections(runbook):
    assert tuple(re.findall(r"^## (.+)$", runbook, re.MULTILINE)) == SECTIONS


def test_runbook_explains_every_cause_an_operator_can_meet(runbook):
    from shared.vendors.ttlock.errors import REFUSALS

    told = set(re.findall(r"`([a-z_]+)`", runbook))
    assert {meaning.cause for meaning in REFUSALS.table.values()} - told == set()
