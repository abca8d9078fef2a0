"""keyfleet schedule run."""


def test_schedule_run_runs_one_now(fleet, facts):
    fleet.will("POST", "/schedules/probe-start/run", {"ran": "probe-start"})
    assert facts("schedule", "run", "probe-start") == {"ran": "probe-start"}


def test_schedule_run_of_an_unknown_one_is_refused_with_the_names_the_fleet_gives(fleet, ask):
    said = "no schedule 'nope': there are probe-start, sweep"
    fleet.will("POST", "/schedules/nope/run", {"error": {"detail": said}}, 404)
    result = ask("schedule", "run", "nope")
    assert result.exit_code == 2
    assert said in result.stderr
