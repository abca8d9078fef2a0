"""One clock for a sandbox: the fleet, its simulated doors and the commands about both (trial 2.9)."""

from datetime import datetime

import pytest


def _apart(clock):
    return abs(
        (datetime.fromisoformat(clock["now"]) - datetime.fromisoformat(clock["doors"]["now"])).total_seconds()
    )


def test_it_is_moved_for_fleet_and_doors_and_stays_moved_over_a_start(fleet):
    with fleet.up("--sample", "--simulators"):
        moved = fleet.ask("clock", "--by", "2d")
        assert (moved["ahead_seconds"], _apart(moved) < 5) == (172_800, True)
        assert fleet.ask("trigger", "stay.booked")["outcome"]["keys"][0]["state"] == "active"
    with fleet.up("--sample", "--simulators"):
        again = fleet.ask("clock")
        assert (again["ahead_seconds"], _apart(again) < 5) == (172_800, True)
        assert fleet.ask("trigger", "stay.checked_out")["outcome"]["keys"][0]["state"] == "revoked"


def test_what_waits_for_an_instant_sees_that_it_has_come(fleet):
    with fleet.up("--sample"):
        argument = '{"probe": "p-waits", "wait_seconds": 300}'
        execution = fleet.ask("workflow", "start", "probe_platform", "--args", argument)["execution"]
        assert fleet.ask("workflow", "show", execution)["state"] == "ACTIVE"
        # An hour each time, for it may not have begun to wait yet.
        fleet.until(lambda: fleet.ask("clock", "--by", "1h") and _ended(fleet, execution))


def _ended(fleet, execution):
    active = fleet.ask("workflow", "list", "--state", "ACTIVE")["executions"]
    return execution not in [each["id"] for each in active]


@pytest.mark.parametrize("options", [("--by", "1h"), ("--to", "2999-01-01")])
def test_a_fleet_that_serves_no_sample_goes_by_the_machines_clock_and_says_how_to_have_another(
    fleet, options
):
    with fleet.up():
        error = fleet.ask("clock", *options, exit_code=2)["error"]
    assert "by the machine's clock" in error["message"]
    assert "up --sample --simulators" in error["remedy"]
