"""keyfleet status."""

from tests.unit.infra.cli.conftest import WELL

STATUS = {
    "base_url": "http://127.0.0.1:8787",
    "cell": "local",
    "functions": [
        {"name": "probe-answer", "public": False, "callers": ["workflow-probe-platform"]},
        {"name": "guest-page", "public": True, "callers": []},
    ],
    "backlog": {"on-config-updated": 0},
    "parked": 0,
    "executions": 1,
    "counters": {},
}


def test_status_prints_what_the_fleet_says(fleet, facts):
    fleet.will("GET", "/status", STATUS)
    assert facts("status") == {**STATUS, **WELL}


def test_trial_m4_status_of_a_fleet_whose_database_was_deleted_says_so_first_and_fails(fleet, ask):
    fleet.will("GET", "/status", {**STATUS, "refusing": "/hotel/fleet.db"})
    result = ask("status")
    assert result.exit_code == 1
    assert "/hotel/fleet.db is gone, or is another file: the fleet takes nothing any more" in result.stdout
    assert "files-gone.md" in result.stdout.splitlines()[1]
    fleet.will("GET", "/status", {**STATUS, "refusing": None})
    assert ask("status").exit_code == 0


def test_status_of_a_fleet_whose_last_commit_found_no_room_says_so_first_and_fails(fleet, ask):
    fleet.will("GET", "/status", {**STATUS, "no_room": "nothing was written: disk I/O error"})
    result = ask("status")
    assert result.exit_code == 1
    assert "No event is taken and no key changes: nothing was written" in result.stdout.splitlines()[1]


def test_status_ends_with_what_waits_and_shows_functions_and_who_may_call_them_where_asked(fleet, ask):
    fleet.will("GET", "/status", STATUS)
    assert "workflow-probe-platform" not in ask("status").stdout
    said = ask("status", "--functions").stdout
    assert "workflow-probe-platform" in said
    assert "anybody" in said
    assert "No message waits." in said
    assert "No message was set aside." in said


def test_status_points_at_what_waits_and_what_was_set_aside(fleet, ask):
    fleet.will("GET", "/status", {**STATUS, "backlog": {"on-config-updated": 4, "idle": 0}, "parked": 2})
    said = ask("status").stdout
    assert "on-config-updated" in said
    assert "idle" not in said
    assert "Set aside: 2 messages, see keyfleet dead-letter list" in said


def test_status_points_at_executions_that_failed_and_tasks_that_wait(fleet, ask):
    fleet.will("GET", "/status", {**STATUS, "failed_executions": 1, "tasks_waiting": 3})
    said = ask("status").stdout
    assert "Failed within 24 h: 1 execution, see keyfleet workflow list" in said
    assert "--state FAILED" in said
    assert "Tasks waiting: 3" in said


def test_status_does_not_mention_what_there_is_none_of(fleet, ask):
    fleet.will("GET", "/status", {**STATUS, "failed_executions": 0, "tasks_waiting": 0})
    said = ask("status").stdout
    assert "Failed" not in said
    assert "Tasks" not in said
    assert "should be gone" not in said


def test_status_says_how_many_keys_are_yet_to_be_made(fleet, ask):
    fleet.will("GET", "/status", STATUS)
    assert "Yet to be made" not in ask("status").stdout
    fleet.will("GET", "/attention", {**WELL, "waiting_keys": 2})
    said = f"2 keys, see keyfleet credentials{fleet.place.flags} --state pending, or requested\n"
    assert f"Yet to be made: {said}" in ask("status").stdout


def test_status_points_at_keys_that_failed_and_at_locks_that_keep_what_should_be_gone(fleet, ask):
    fleet.will("GET", "/status", STATUS)
    fleet.will(
        "GET", "/attention", {"failed_keys": 1, "residual_locks": 2, "keyless_stays": ["rsv_7", "rsv_8"]}
    )
    said = ask("status").stdout
    assert "Failed, and still wanted: 1 key, see keyfleet credentials --state failed" in said
    assert "Without any key since they were changed: rsv_7, rsv_8, see keyfleet timeline STAY" in said
    assert "What should be gone may open: 2 locks, see keyfleet residue list" in said


def test_status_counts_what_is_kept_for_functions_to_come_apart_from_what_was_set_aside(fleet, ask):
    fleet.will("GET", "/status", {**STATUS, "kept": 3})
    said = ask("status").stdout
    assert "Kept for functions to come: 3 messages" in said
    assert "No message was set aside." in said


def test_status_says_first_what_needs_hands_and_what_it_is_made_of_last(fleet, ask):
    fleet.will("GET", "/status", {**STATUS, "parked": 2, "failed_executions": 1})
    fleet.will("GET", "/attention", {**WELL, "keys_at_the_door": ["key_1"], "residual_locks": 1})
    said = ask("status", "--functions").stdout
    marks = ("here or comes", "may open", "Failed within", "Set aside", "under way", "who may call")
    places = [said.index(mark) for mark in marks]
    assert places == sorted(places)
