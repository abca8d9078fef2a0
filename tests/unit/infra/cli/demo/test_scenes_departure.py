"""The guest leaves: each act holds when it should, and not otherwise."""

import pytest

from infra.cli.demo import scenes_departure as acts
from infra.cli.demo.doors import BOOKED
from infra.cli.polling import OutOfPatience


def _event(number, what, kind="published"):
    return "event", kind, f"{number}. melmastoon.lock.credential.{what}.v1 (evt_{number})"


EVENTS = [_event(number, what) for number, what in enumerate(acts.TOLD, 1)]


@pytest.mark.parametrize(("emptied", "exit_status", "held"), [(1, -9, True), (2, -9, False), (1, 0, False)])
def test_the_second_kill_must_come_when_one_lock_has_forgotten(stage, emptied, exit_status, held):
    stage.fleet.exit_status = exit_status
    for name in BOOKED[:emptied]:
        stage.doors.doors[name] = stage.doors.door(1, 0)
    assert acts.leave(stage).held is held


def test_the_second_kill_waits_for_a_lock_to_forget(stage):
    with pytest.raises(OutOfPatience):
        acts.leave(stage)


@pytest.mark.parametrize(
    ("reason", "oks", "held"),
    [
        ("checkout", [True] * 3, True),
        ("checkout", [True, False, True], False),
        ("cancellation", [True] * 3, False),
    ],
)
def test_the_revocation_must_be_settled_at_every_lock(stage, told, reason, oks, held):
    told.keys(told.key(state="revoked", reason=reason))
    settlement = [{"ok": ok} for ok in oks]
    told.document("credentials", "key_1", {"credential": {"state": {"settlement": settlement}}})
    assert acts.settle(stage).held is held


def test_a_key_that_is_not_yet_settled_is_waited_for(stage, told):
    told.keys(told.key(state="revoked", due_at="2026-05-01T00:00:10Z"))
    with pytest.raises(OutOfPatience):
        acts.settle(stage)


def test_the_doors_must_have_forgotten_the_pin(stage):
    assert not acts.shut(stage).held
    for name in BOOKED:
        stage.doors.doors[name] = stage.doors.door(1, 0)
    assert acts.shut(stage).held


@pytest.mark.parametrize(
    "events",
    [
        EVENTS[:4],
        [EVENTS[1], EVENTS[0], *EVENTS[2:]],
        [*EVENTS[:4], _event(6, "revoke_settled")],
        [*EVENTS[:4], _event(5, "revoke_settled", "unpublished")],
    ],
)
def test_events_must_be_five_without_a_gap_each_published(stage, told, events):
    told.timeline(*EVENTS)
    assert acts.told(stage).held
    told.timeline(*events)
    assert not acts.told(stage).held


@pytest.fixture
def quiet(fleet, stage, told):
    """A fleet that tells no secret to anybody."""
    told.timeline(*EVENTS)
    told.execution("SUCCEEDED")
    fleet.will("GET", "/dead-letters", {"messages": []})
    for number in range(1, 6):
        told.document("outbox", f"key_1.{number:06d}", {"sequence": number})
    return stage


def test_silence_is_proven_where_everything_was_searched(quiet):
    proof = acts.silent(quiet)
    assert proof.held
    assert all(proof.seen["searched"].values())


@pytest.mark.parametrize("secret", ["48291357", "sim-secret", "sim-password"])
def test_a_secret_in_a_log_is_found(quiet, secret):
    quiet.vendor.words = f"careless: {secret}"
    proof = acts.silent(quiet)
    assert (proof.held, proof.seen["found_in"]) == (False, ["logs"])
    assert secret not in f"{proof.seen}{proof.detail}"


def test_a_pin_in_an_event_is_found(quiet, told):
    told.document("outbox", "key_1.000003", {"data": {"pin": quiet.pin.reveal()}})
    assert acts.silent(quiet).seen["found_in"] == ["events"]
