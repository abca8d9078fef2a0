"""The doors tell: each act holds when it should, and not otherwise."""

import pytest

from infra.cli.demo import scenes_heard as acts
from infra.cli.demo.doors import BOOKED
from infra.cli.polling import OutOfPatience


def attempt(label, opened=True, key="key_1"):
    refused = None if opened else "unknown_credential"
    return {"label": label, "opened": opened, "key": key, "refused": refused}


OPENED = [attempt(name) for name in BOOKED]
REFUSED = attempt("Room 203", opened=False, key=None)


@pytest.mark.parametrize(
    ("attempts", "held"),
    [
        ([*OPENED, REFUSED], True),
        (OPENED, False),
        ([*OPENED, OPENED[0], REFUSED], False),
        ([*OPENED[1:], attempt("Room 203"), REFUSED], False),
    ],
)
def test_each_door_must_tell_of_the_key_once_and_of_who_was_refused(stage, told, fleet, attempts, held):
    fleet.serves("hear-doors", {"execution": "x"})
    fleet.will("GET", "/attempts?tenant=tnt_silk", {"attempts": attempts})
    assert acts.heard(stage).held is held
    assert sum(path == "/hear-doors" for _, path, _ in fleet.asked) == 2


def test_doors_that_tell_nothing_are_waited_for(stage, told, fleet):
    fleet.serves("hear-doors", {"execution": "x"})
    fleet.will("GET", "/attempts?tenant=tnt_silk", {"attempts": [REFUSED]})
    with pytest.raises(OutOfPatience):
        acts.heard(stage)


def test_the_key_must_be_used_at_each_door(stage, told):
    grants = [{"label": name, "state": "placed", "detail": "used"} for name in BOOKED]
    told.keys(told.key(grants=grants))
    assert acts.used(stage).held
    told.keys(told.key(grants=[*grants[1:], {**grants[0], "detail": "on_lock"}]))
    with pytest.raises(OutOfPatience):
        acts.used(stage)
