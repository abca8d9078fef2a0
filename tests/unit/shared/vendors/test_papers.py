"""Every adapter's papers are complete: fourteen points, settled or explained; a runbook with its parts."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from shared import vendors
from shared.vendor_kit.registry import installed_vendors

FOLDER = Path(vendors.__file__).parent
VENDORS = [code.replace("-", "_") for code in installed_vendors() if code != "mock"]
POINTS = (
    *("sdk_evaluation", "security_review", "capability_mapping", "adapter", "webhook_receiver", "registered"),
    *("sandbox_tests", "contract_tests", "staging_e2e", "hardware_in_the_loop", "runbook", "cost_model"),
    *("production_canary", "documentation"),
)
SECTIONS = (
    *("What it speaks", "Onboarding a property", "Rotating credentials", "Common errors"),
    *("What cannot be undone", "Known issues", "Escalation"),
)


@pytest.fixture(params=VENDORS)
def vendor(request):
    return request.param


@pytest.fixture
def quality(vendor):
    text = (FOLDER / vendor / "quality.yaml").read_text(encoding="utf-8")
    return YAML(typ="safe", pure=True).load(text)


@pytest.fixture
def runbook(vendor):
    return (FOLDER / vendor / "RUNBOOK.md").read_text(encoding="utf-8")


def test_quality_settles_the_fourteen_points_of_the_checklist(quality):
    assert tuple(quality["points"]) == POINTS
    assert {point["status"] for point in quality["points"].values()} <= {"done", "todo", "exempt"}


@pytest.mark.parametrize("point", POINTS)
def test_quality_says_where_or_why(quality, point):
    entry = quality["points"][point]
    if entry["status"] == "done":
        assert all((FOLDER.parents[1] / path).exists() for path in entry["see"])
    else:
        assert len(entry["why"].split()) > 5


def test_runbook_has_its_sections(runbook):
    assert tuple(re.findall(r"^## (.+)$", runbook, re.MULTILINE)) == SECTIONS


def test_runbook_explains_every_cause_an_operator_can_meet(runbook, vendor):
    refusals = import_module(f"shared.vendors.{vendor}.errors").REFUSALS
    told = set(re.findall(r"`([a-z_]+)`", runbook))
    assert {meaning.cause for meaning in refusals.table.values()} - told == set()
