"""The demo's acts against a fleet that does as it should, and against one that does not."""

import pytest

from infra.cli.control import ControlPlane
from infra.cli.demo import story
from infra.cli.demo.story import POLICY, Demo

LETTER = {"field": "tenantId", "reason": "unknown", "remedy": "onboard the tenant"}
POLICY_PATH = "/documents/tnt_silk/policies/tenant"


class FakeProcess:
    """A process that starts and dies as told."""

    def __init__(self, exit_status=-9, functions=("on-config-updated",)):
        self.pid, self._exit_status, self._functions = 41, exit_status, functions

    def start(self):
        self.pid += 1
        return {"functions": [{"name": name} for name in self._functions]}

    def kill(self):
        return self._exit_status


@pytest.fixture
def demo(fleet, patience):
    fleet.will("POST", "/publish", {"event_id": "evt_1"})
    fleet.will("POST", "/executions", {"execution": "01X"})
    return Demo(FakeProcess(), ControlPlane(fleet.place), patience, execution="01X")


def _document(fleet, path, data):
    fleet.will("GET", path, {"document": data, "version": 1})


def _execution(fleet, state="ACTIVE", steps=(), result=None):
    fleet.will("GET", "/executions/01X", {"state": state, "steps": list(steps), "result": result})


def test_start_needs_the_function_of_the_story(demo):
    assert story.start(demo).held
    demo.process = FakeProcess(functions=("another",))
    assert not story.start(demo).held


@pytest.mark.parametrize(("record", "held"), [({"name": "Silk Road"}, True), (None, False)])
def test_move_in_needs_the_tenants_record(fleet, demo, record, held):
    _document(fleet, "/documents/tnt_silk/tenant/record", record)
    assert story.move_in(demo).held is held


@pytest.mark.parametrize(
    ("kept", "held"),
    [
        ({"event_id": "evt_1", "settings": POLICY}, True),
        ({"event_id": "evt_1", "settings": {"pinDigits": 6}}, False),
        ({"event_id": "evt_sample", "settings": POLICY}, False),
        (None, False),
    ],
)
def test_publish_needs_the_policy_of_this_very_event(fleet, demo, kept, held):
    _document(fleet, POLICY_PATH, kept)
    assert story.publish(demo).held is held


def test_a_claim_whose_time_runs_out_says_so(fleet, demo):
    _document(fleet, POLICY_PATH, None)
    claim = story.publish(demo)
    assert claim.seen == {"happened": "not within 5 s"}
    assert claim.seconds == pytest.approx(5, abs=0.1)


def test_a_claim_about_a_fleet_that_answers_otherwise_does_not_hold(fleet, demo):
    fleet.will("POST", "/publish", {"error": {"detail": "the disk is full"}}, 507)
    claim = story.publish(demo)
    assert not claim.held
    assert "the disk is full" in claim.seen["happened"]


RETRY = {"kind": "retry", "what": "attempt 2"}
WAITING = {"kind": "asked", "what": "await callback, at most 300 s"}


@pytest.mark.parametrize(
    ("steps", "held"),
    [([RETRY, WAITING], True), ([WAITING], False), ([RETRY, RETRY, WAITING], False), ([RETRY], False)],
)
def test_start_saga_needs_one_retry_and_a_wait(fleet, demo, steps, held):
    _execution(fleet, steps=steps)
    assert story.start_saga(demo).held is held


@pytest.mark.parametrize(
    ("state", "exit_status", "held"), [("ACTIVE", -9, True), ("SUCCEEDED", -9, False), ("ACTIVE", 0, False)]
)
def test_kill_must_come_in_mid_saga_and_without_warning(fleet, demo, state, exit_status, held):
    _execution(fleet, state)
    demo.process = FakeProcess(exit_status)
    assert story.kill(demo).held is held


@pytest.mark.parametrize(
    ("state", "result", "held"),
    [
        ("SUCCEEDED", {"answer": "here"}, True),
        ("SUCCEEDED", {"superseded": True}, False),
        ("FAILED", None, False),
        ("ACTIVE", None, False),
    ],
)
def test_resume_needs_the_sagas_own_result(fleet, demo, state, result, held):
    _execution(fleet, state, result=result)
    assert story.resume(demo).held is held


@pytest.mark.parametrize(("visits", "held"), [(2, True), (3, False)])
def test_a_repeated_call_is_noticed(fleet, demo, visits, held):
    _document(fleet, "/documents/tnt_platform/probes/demo", {"visits": visits})
    assert story.count_visits(demo).held is held


@pytest.mark.parametrize(("settings", "held"), [(POLICY, True), ({}, False)])
def test_a_lost_policy_is_noticed(fleet, demo, settings, held):
    _document(fleet, POLICY_PATH, {"settings": settings})
    assert story.policy_survived(demo).held is held


def test_refuse_needs_a_refusal_that_names_the_field(fleet, demo):
    assert not story.refuse(demo).held
    fleet.will("POST", "/publish", {"error": {"detail": "no"}}, 400)
    assert not story.refuse(demo).held
    fleet.will("POST", "/publish", {"error": {"detail": "data.propertyId: wrong"}}, 400)
    assert story.refuse(demo).held


@pytest.mark.parametrize(
    ("letters", "held"),
    [([LETTER], True), ([], False), ([LETTER, LETTER], False), ([{**LETTER, "field": "data"}], False)],
)
def test_quarantine_needs_this_one_letter_and_no_other(fleet, demo, letters, held):
    fleet.will("GET", "/dead-letters", {"messages": letters})
    assert story.quarantine(demo).held is held
