"""keyfleet demo: telling the story, and the verdict on it."""

import json
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from infra.cli.demo import play
from infra.cli.demo.claim import Proof
from infra.cli.demo.scene import Act, Scene
from infra.cli.main import app

SLEPT = {
    "at": "2026-05-01T10:00:00.5Z",
    "source": "saga",
    "kind": "asked",
    "about": "01X0001",
    "what": "sleep 4 s",
}
STEP = SLEPT | {"kind": "step", "what": "planned_what"}


@pytest.fixture
def tell(monkeypatch, fleet, stage):
    """Run the command with acts that hold or do not, on the fake stage."""
    fleet.will(
        "GET",
        "/timeline/rsv_demo?tenant=tnt_silk",
        {"timeline": [{"branch": "", **SLEPT}, {"branch": "", **STEP}]},
    )
    stage.counts.update(deliveries=104, kills=2, attempts=2, keys=1, locks=3, events=5)

    def run(*held, options=()):
        acts = [
            Act(f"act{n}", f"Claim {n}.", lambda _, each=each: Proof(each)) for n, each in enumerate(held)
        ]

        @contextmanager
        def a_stage(_patience, _platform):
            yield stage

        monkeypatch.setattr(play, "SCENES", (Scene("One scene", "It is played.", tuple(acts)),))
        monkeypatch.setattr(play, "staged", a_stage)
        return CliRunner().invoke(app, ["demo", *options])

    return run


def test_a_demo_whose_claims_all_hold_ends_well(tell):
    result = tell(True, True)
    assert result.exit_code == 0
    assert "One scene\nIt is played.\n  ✓ Claim 0. (" in result.stdout
    assert "✓ All 2 claims hold" in result.stdout
    assert "104 deliveries, 2 kill -9, 2 attempts at the vendor, 1 key, 3 locks, 5 events." in result.stdout


def test_a_demo_retells_the_stay_without_the_names_of_steps(tell):
    said = tell(True).stdout
    assert "10:00:00.500  saga    → sleep 4 s" in said
    assert "planned_what" not in said


def test_a_claim_that_does_not_hold_ends_the_demo_and_is_its_verdict(tell):
    result = tell(True, False, True)
    assert result.exit_code == 1
    assert "✗ Claim 1. It was not so" in result.stdout
    assert "Claim 2." not in result.stdout
    assert "The fleet's last words were:\nfleet started" in result.stderr


def test_a_demo_that_proves_nothing_is_no_success(tell, monkeypatch):
    monkeypatch.setattr(play, "played", lambda scenes, stage: iter(()))
    result = tell(True)
    assert (result.exit_code, "Nothing was proven" in result.stdout) == (1, True)


def test_a_demo_without_a_timeline_still_has_a_verdict(tell, fleet):
    fleet.will("GET", "/timeline/rsv_demo?tenant=tnt_silk", {"error": {"detail": "nothing heard"}}, 404)
    result = tell(False)
    assert result.exit_code == 1
    assert "as it happened" not in result.stdout


@pytest.mark.parametrize("held", [True, False])
def test_a_demo_prints_its_facts_for_scripts(tell, held):
    facts = json.loads(tell(True, held, options=["--json"]).stdout)
    assert (facts["held"], facts["counts"]["kills"], len(facts["timeline"])) == (held, 2, 2)
    claim = facts["claims"][0]
    assert (claim["name"], claim["text"], claim["held"]) == ("act0", "Claim 0.", True)
