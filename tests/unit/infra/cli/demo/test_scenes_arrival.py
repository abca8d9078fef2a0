"""A booking on a bad day: each act holds when it should, and not otherwise."""

import pytest

from infra.cli.demo import scenes_arrival as acts
from infra.cli.demo.doors import BOOKED
from infra.cli.polling import OutOfPatience

POLICY = {"preferredKinds": ["pin_code", "rfid_card"], "pinDigits": 8}
REFUSED = ("attempt", "refused", "attempt 1 of 6: VENDOR_UNREACHABLE")
RESTS = ("saga", "asked", "sleep 4.1 s")
RESUMED = ("saga", "resumed", "a fleet started")


@pytest.mark.parametrize(("record", "held"), [({"name": "Silk Road"}, True), (None, False)])
def test_start_needs_the_hotel_to_have_moved_in(stage, told, record, held):
    told.document("tenant", "record", record)
    assert acts.start(stage).held is held


@pytest.mark.parametrize("settings", [POLICY, {"pinDigits": 6}])
def test_the_policy_must_be_what_was_published(stage, told, settings):
    told.document("policies", "tenant", {"event_id": "evt_1", "settings": settings})
    assert acts.wish(stage).held is (settings == POLICY)


def test_the_policy_of_another_event_is_waited_past(stage, told):
    told.document("policies", "tenant", {"event_id": "evt_0", "settings": POLICY})
    with pytest.raises(OutOfPatience):
        acts.wish(stage)


class Intake:
    """A control plane that takes events, and whose fleet has handled them at the second look."""

    def __init__(self, keys=1, **after):
        now = {"counters": {"acks": 101}, "backlog": {}, "parked": 0} | after
        self._statuses, self._keys, self.events = [{"counters": {"acks": 1}}, now], [{}] * keys, []

    def get(self, *path, **query):
        if path != ("status",):
            return {"credentials": self._keys}
        return self._statuses.pop(0) if len(self._statuses) > 1 else self._statuses[0]

    def post(self, *path, body):
        self.events.append(body["event"]["id"])


@pytest.mark.parametrize(
    ("keys", "parked", "held"), [(1, 0, True), (2, 0, False), (1, 1, False), (0, 0, False)]
)
def test_a_hundred_deliveries_must_make_one_key_and_leave_nothing_aside(stage, keys, parked, held):
    stage.control = Intake(keys, parked=parked)
    assert acts.deliver(stage).held is held
    assert stage.control.events == ["evt_rsv_demo_confirmed"] * 100
    assert stage.counts["deliveries"] == 100
    assert stage.doors.troubles == ["offline"]


@pytest.mark.parametrize(("waiting", "acks"), [({"on-booking-confirmed": 1}, 101), ({}, 100)])
def test_deliveries_are_waited_for_until_all_are_taken(stage, waiting, acks):
    stage.control = Intake(backlog=waiting, counters={"acks": acks})
    with pytest.raises(OutOfPatience):
        acts.deliver(stage)


@pytest.mark.parametrize(
    ("with_a_pin", "lines", "held"),
    [
        (1, (REFUSED, RESTS), True),
        (0, (REFUSED, RESTS), False),
        (3, (REFUSED, RESTS), False),
        (1, (RESTS,), False),
    ],
)
def test_a_half_made_key_needs_a_refusal_and_one_door_with_a_pin(stage, told, with_a_pin, lines, held):
    told.timeline(*lines)
    for name in BOOKED[with_a_pin:]:
        stage.doors.doors[name] = stage.doors.door(1, 0)
    assert acts.half_made(stage).held is held


def test_a_saga_that_does_not_rest_is_waited_for(stage, told):
    told.timeline(REFUSED, ("saga", "asked", "POST /adapter-ttlock"))
    with pytest.raises(OutOfPatience):
        acts.half_made(stage)


@pytest.mark.parametrize(("exit_status", "held"), [(-9, True), (0, False)])
def test_kill_must_come_without_warning(stage, told, exit_status, held):
    told.execution("ACTIVE")
    stage.fleet.exit_status = exit_status
    assert acts.kill(stage).held is held
    assert (stage.execution, stage.counts["kills"]) == ("01X", 1)


def test_kill_needs_a_saga_to_interrupt(fleet, stage):
    fleet.will("GET", "/executions?state=ACTIVE&workflow=work_on_key", {"executions": []})
    assert not acts.kill(stage).held


@pytest.mark.parametrize(("lines", "held"), [((RESUMED,), True), ((RESUMED, RESUMED), False)])
def test_resume_needs_one_other_process_that_took_the_saga_up(stage, told, lines, held):
    told.timeline(*lines)
    stage.doors.trouble("keyboardPwd/add", "http_500")
    assert acts.resume(stage).held is held
    assert stage.doors.troubles == []


def test_a_saga_that_nobody_takes_up_is_waited_for(stage, told):
    told.timeline(RESTS)
    with pytest.raises(OutOfPatience):
        acts.resume(stage)


@pytest.mark.parametrize(
    ("saga", "held"),
    [
        ({"execution": "01X", "generation": 1}, True),
        ({"execution": "01Y", "generation": 1}, False),
        ({"execution": "01X", "generation": 2}, False),
    ],
)
def test_the_key_must_come_of_the_very_saga_that_was_interrupted(stage, told, saga, held):
    told.execution("SUCCEEDED")
    told.keys(told.key(saga=saga))
    assert acts.issued(stage).held is held


@pytest.mark.parametrize("unfinished", [{"state": "pending"}, {"due_at": "2026-05-01T00:03:00Z"}])
def test_a_key_that_is_not_yet_active_and_told_is_waited_for(stage, told, unfinished):
    told.execution("SUCCEEDED")
    told.keys(told.key(**unfinished))
    with pytest.raises(OutOfPatience):
        acts.issued(stage)


def test_the_key_is_shown_without_its_pin(stage, told):
    told.execution("SUCCEEDED")
    detail = acts.issued(stage).detail
    assert "PIN •••••••• at Front door, Room 101, Room 102" in detail
    assert stage.pin.reveal() not in detail


def test_the_times_of_a_key_are_said_to_be_those_of_utc(stage, told):
    told.execution("SUCCEEDED")
    detail = acts.issued(stage).detail
    assert "from 2026-05-01 01:00:00 UTC until 2026-05-03 01:00:00 UTC" in detail
    assert "the hotel keeps the time of Asia/Kabul" in detail
