"""keyfleet schedule list and run."""

import pytest

SWEEP = {
    "name": "sweep-due",
    "cron": "* * * * *",
    "zone": "Etc/UTC",
    "calls": "http://127.0.0.1:8787/sweep-due",
    "last_run": "2026-05-01T10:00:00+00:00",
    "last_outcome": "answered 200",
    "next_run": "2026-05-01T10:01:00+00:00",
}
PROBE = {**SWEEP, "name": "probe-start", "last_run": None, "last_outcome": None}


@pytest.mark.parametrize("command", [("schedule", "list"), ("schedules",)])
def test_schedule_list_says_when_each_runs_how_it_went_and_what_it_calls(fleet, ask, command):
    fleet.will("GET", "/schedules", {"schedules": [SWEEP, PROBE]})
    _, sweep, probe = ask(*command).stdout.splitlines()
    last, following = "2026-05-01 10:00:00", "2026-05-01 10:01:00"
    said = f"sweep-due * * * * * (Etc/UTC) {last} answered 200 {following} {SWEEP['calls']}"
    assert " ".join(sweep.split()) == said
    assert "not yet" in probe


def test_schedule_list_as_json_is_what_the_fleet_says(fleet, facts):
    fleet.will("GET", "/schedules", {"schedules": [SWEEP]})
    assert facts("schedules") == {"schedules": [SWEEP]}


@pytest.mark.parametrize(("succeeded", "exit_code"), [(True, 0), (False, 1)])
def test_schedule_run_runs_one_now_and_exits_as_that_went(fleet, ask, facts, succeeded, exit_code):
    ran = {"ran": "probe-start", "succeeded": succeeded, "outcome": "answered somehow"}
    fleet.will("POST", "/schedules/probe-start/run", ran)
    assert facts("schedule", "run", "probe-start", exit_code=exit_code) == ran
    assert ask("schedule", "run", "probe-start").stdout == "probe-start ran: answered somehow.\n"


def test_schedule_run_of_an_unknown_one_is_refused_with_the_names_the_fleet_gives(fleet, ask):
    said = "no schedule 'nope': name one of probe-start, sweep"
    fleet.will("POST", "/schedules/nope/run", {"error": {"detail": said}}, 404)
    result = ask("schedule", "run", "nope")
    assert result.exit_code == 2
    assert result.stderr == "error: no schedule 'nope'\n  fix: name one of probe-start, sweep\n"
