"""keyfleet demo: telling the story, and the verdict on it."""

import json
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from infra.cli.demo import play
from infra.cli.demo.claim import Claim
from infra.cli.demo.story import ACTS
from infra.cli.main import app
from infra.cli.place import Place

STEPS = [{"kind": "step", "branch": "", "what": "visit", "line": 9}]


class FakeStory:
    """Claims without a fleet behind them."""

    def __init__(self, claims):
        self._claims, self.history, self.execution, self.told = claims, {"steps": STEPS}, "01X", 0

    def acts(self):
        for claim in self._claims:
            self.told += 1
            yield claim


@pytest.fixture
def tell(monkeypatch, tmp_path):
    def run(*held, options=()):
        claims = [Claim(f"claim{n}", f"Claim {n}.", each, 0.5, {"n": n}) for n, each in enumerate(held)]
        story = FakeStory(claims)

        @contextmanager
        def a_fleet(_patience):
            yield Place(tmp_path), story

        monkeypatch.setattr(play, "_a_fleet", a_fleet)
        return CliRunner().invoke(app, ["demo", *options]), story

    return run


def test_demo_whose_claims_all_hold_ends_well(tell):
    result, _ = tell(*[True] * len(ACTS))
    assert result.exit_code == 0
    assert "✓ Claim 0. (0.50 s)" in result.stdout
    assert "visit  line 9" in result.stdout
    assert f"✓ All {len(ACTS)} claims hold" in result.stdout


def test_demo_stops_at_the_first_claim_that_does_not_hold(tell):
    result, story = tell(True, False, True)
    assert (result.exit_code, story.told) == (1, 2)
    assert "✗ Claim 1. (0.50 s)\n    seen instead: {'n': 1}" in result.stdout
    assert "✗ Claim 1. It was not so" in result.stdout


def test_demo_that_breaks_off_is_no_success(tell):
    assert tell(True)[0].exit_code == 1


@pytest.mark.parametrize("held", [True, False])
def test_demo_prints_its_facts_for_scripts(tell, held):
    result, _ = tell(*[True] * (len(ACTS) - 1), held, options=["--json"])
    facts = json.loads(result.stdout)
    assert (facts["held"], facts["execution"], facts["steps"]) == (held, "01X", STEPS)
    assert facts["claims"][0] == {
        "name": "claim0",
        "text": "Claim 0.",
        "held": True,
        "seconds": 0.5,
        "seen": {"n": 0},
    }
