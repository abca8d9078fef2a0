"""keyfleet schedule run."""


def test_schedule_run_runs_one_now(fleet, facts):
    fleet.will("POST", "/schedules/probe-start/run", {"ran": "probe-start"})
    assert facts("schedule", "run", "probe-start") == {"ran": "probe-start"}


def test_schedule_run_of_an_unknown_one_is_refused(fleet, ask):
    fleet.will("POST", "/schedules/nope/run", {"error": {"detail": "no schedule 'nope'"}}, 404)
    result = ask("schedule", "run", "nope")
    assert result.exit_code == 2
    assert "no schedule 'nope'" in result.stderr
