"""Playing scenes: claims in order, until one does not hold."""

import pytest

from infra.cli.demo.claim import Claim, Proof
from infra.cli.demo.scene import Act, Scene, played
from infra.cli.demo.scenes import SCENES
from infra.cli.polling import OutOfPatience
from infra.cli.problems import Failed


def _raises(problem):
    def play(_stage):
        raise problem

    return play


def _scene(*plays):
    return Scene(
        "A scene", "It is played.", tuple(Act(f"act{n}", f"Act {n}.", play) for n, play in enumerate(plays))
    )


def _held(_stage):
    return Proof(True, {"n": 1})


def _not_held(_stage):
    return Proof(False, {"n": 0})


def test_scenes_are_announced_before_their_claims(stage):
    parts = list(played([_scene(_held), _scene(_held)], stage))
    assert [type(part) for part in parts] == [Scene, Claim, Scene, Claim]


def test_playing_stops_at_the_first_claim_that_does_not_hold(stage):
    parts = list(played([_scene(_held, _not_held, _held), _scene(_held)], stage))
    assert [part.held for part in parts if isinstance(part, Claim)] == [True, False]


@pytest.mark.parametrize(
    ("problem", "seen"),
    [
        (OutOfPatience("not within 5 s"), {"happened": "not within 5 s"}),
        (Failed("the disk is full", "make room"), {"happened": "the disk is full", "remedy": "make room"}),
    ],
)
def test_what_fails_or_does_not_come_in_time_did_not_hold(stage, problem, seen):
    _, claim = played([_scene(_raises(problem))], stage)
    assert (claim.held, claim.seen) == (False, seen)


def test_a_claim_says_how_long_it_took(stage):
    _, claim = played([_scene(lambda on: on.patience.pause(0.25) or Proof(True))], stage)
    assert claim.seconds == 0.25


def test_no_two_acts_have_the_same_name():
    names = [act.name for scene in SCENES for act in scene.acts]
    assert len(names) == len(set(names))
