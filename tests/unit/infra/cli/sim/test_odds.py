"""Simulated doors whose clock is not their fleet's: said wherever somebody looks, with what mends it."""

import pytest

from infra.cli.address import FleetAddress
from infra.cli.doctor.doors import check_doors
from infra.cli.doctor.finding import Verdict


@pytest.fixture
def beside_a_fleet(simulator):
    """The doors stand at a noon that is long past; their home's fleet goes by the machine's clock."""
    (simulator.home / "fleet.db").touch()
    return FleetAddress(simulator.home, simulator.port - 1)


@pytest.fixture
def with_the_fleet(beside_a_fleet, ask, facts):
    """The same doors, moved to where the fleet is."""
    from infra.local.home_clock import HomeClock

    ask("clock", "--to", HomeClock.of(beside_a_fleet.home).now().isoformat())
    return beside_a_fleet


@pytest.mark.parametrize("command", ["clock", "state"])
def test_the_simulator_says_so_and_how_to_mend_it(beside_a_fleet, ask, command):
    said = ask(command).stdout
    assert "The fleet's clock is " in said
    assert f"keyfleet clock --by 0s{beside_a_fleet.flags} sets the doors by the fleet" in said


def test_doctor_fails_for_it(beside_a_fleet):
    (finding,) = check_doors(beside_a_fleet)
    assert finding.verdict is Verdict.FAILED
    assert "behind the fleet's" in finding.detail
    assert "keyfleet clock --by 0s" in finding.remedy


def test_doors_that_have_the_fleets_time_are_well(with_the_fleet, ask):
    (finding,) = check_doors(with_the_fleet)
    assert finding.verdict is Verdict.OK
    assert "The fleet's clock" not in ask("state").stdout


def test_doors_without_a_fleet_agree_with_themselves(simulator, ask):
    assert "The fleet's clock" not in ask("clock").stdout


def test_where_no_doors_were_ever_started_nothing_is_said(tmp_path):
    assert list(check_doors(FleetAddress(tmp_path, 1))) == []
