"""keyfleet doctor: the report as a whole."""

import json

import pytest

from infra.cli.address import FleetAddress
from infra.local.server import free_port
from infra.local.storage.database import open_database

CHECKS = [
    "python",
    "disk",
    "clock",
    "home",
    "keys",
    "database",
    "losses",
    "manifest",
    "workflows",
    "fleet",
    "dead letters",
    "executions",
    "failed keys",
    "stays",
    "arrivals",
    "residual access",
    "audit log",
    "keys at locks",
    "lost keys",
    "emulators",
]


def test_doctor_makes_every_check_in_order(fleet, facts):
    fleet.will("GET", "/status", {"parked": 0})
    report = facts("doctor")
    assert [check["check"] for check in report["checks"]] == CHECKS
    assert report["healthy"] is True


def test_doctor_exits_with_1_when_a_check_fails_and_names_the_remedy(fleet, ask):
    fleet.will("GET", "/status", {"parked": 0})
    (fleet.place.home / "identity.key").chmod(0o644)
    result = ask("doctor")
    assert result.exit_code == 1
    assert "✗ keys: identity.key can be read by others\n  fix: chmod 600" in result.stdout
    assert "of 20 checks failed" in result.stdout


def test_doctor_before_the_first_start_finds_nothing_wrong_and_makes_nothing(run, tmp_path):
    result = run("doctor", "--home", str(tmp_path / "home"), "--port", "1", "--json")
    assert (result.exit_code, json.loads(result.stdout)["healthy"]) == (0, True)
    assert list(tmp_path.iterdir()) == []


def test_doctor_before_the_first_start_does_not_say_that_all_is_well(run, tmp_path):
    said = run("doctor", "--home", str(tmp_path / "home"), "--port", "1").stdout
    assert said.endswith("Nothing is wrong, and no fleet runs here yet.\n")


def test_doctor_of_a_fleet_that_died_warns_and_exits_as_every_command_does_without_it(run, tmp_path):
    open_database(tmp_path / "fleet.db", (), bytes).close()
    place = ("--home", str(tmp_path), "--port", str(free_port()))
    told, report = run("doctor", *place), json.loads(run("doctor", *place, "--json").stdout)
    assert told.exit_code == 3
    assert f"! fleet: not running, though {tmp_path} holds its database" in told.stdout
    assert f"  fix: keyfleet up{FleetAddress(tmp_path, int(place[-1])).flags}\n" in told.stdout
    assert (report["healthy"], report["running"]) == (False, False)


@pytest.mark.parametrize("started_before", [True, False])
def test_doctor_asked_to_probe_a_fleet_that_is_not_there_says_so_as_every_command_does(
    run, tmp_path, started_before
):
    if started_before:
        open_database(tmp_path / "fleet.db", (), bytes).close()
    place = FleetAddress(tmp_path, free_port())
    told = run("doctor", "--probe", "--home", str(place.home), "--port", str(place.port))
    assert told.exit_code == 3
    assert f"! probe: not sent: no fleet answers in {place.home}\n" in told.stdout
    assert "✗" not in told.stdout


def test_doctor_asked_to_probe_still_exits_with_1_when_a_check_fails(run, tmp_path):
    (tmp_path / "fleet.db").write_bytes(b"no database")
    place = ("--home", str(tmp_path), "--port", str(free_port()))
    assert run("doctor", "--probe", *place).exit_code == 1


def test_doctor_that_finds_more_wrong_than_a_missing_fleet_says_that(run, tmp_path):
    (tmp_path / "fleet.db").write_bytes(b"no database")
    assert run("doctor", "--home", str(tmp_path), "--port", str(free_port())).exit_code == 1


def test_doctor_that_only_warns_exits_with_0_and_says_so(fleet, ask):
    fleet.will("GET", "/status", {"parked": 2})
    result = ask("doctor")
    assert result.exit_code == 0
    assert "! dead letters: 2 set aside" in result.stdout
    assert "No check failed; 1 warning" in result.stdout


def test_doctor_does_not_say_that_all_is_well_while_a_guest_has_no_key_or_a_lock_keeps_one(fleet, ask):
    fleet.will("GET", "/status", {"parked": 0})
    fleet.will(
        "GET",
        "/attention",
        {
            "failed_keys": 1,
            "residual_locks": 1,
            "keyless_stays": ["rsv_7"],
            "keys_at_the_door": ["key_7"],
            "strange_keys": 1,
            "lost_keys": ["key_8"],
        },
    )
    result = ask("doctor")
    assert result.exit_code == 1
    assert "✗ failed keys: 1 key failed" in result.stdout
    assert "✗ residual access: at 1 lock" in result.stdout
    assert "✗ arrivals: not made yet, and its guest is here" in result.stdout
    assert "✗ stays: without any key: rsv_7" in result.stdout
    assert "✗ keys at locks: 1 key may open a lock, and nobody knows whose" in result.stdout
    assert "✗ lost keys: gone from their locks, and not placed again: key_8" in result.stdout
    assert "its guest is here or comes within two hours: key_7" in result.stdout
    assert "6 of 20 checks failed." in result.stdout


def test_doctor_probes_only_when_asked(fleet, facts):
    fleet.will("GET", "/status", {"parked": 0})
    fleet.will("POST", "/executions", {"execution": "01X"})
    fleet.will("GET", "/executions/01X", {"id": "01X", "state": "SUCCEEDED"})
    facts("doctor")
    assert ("GET", "/executions/01X", None) not in fleet.asked
    assert facts("doctor", "--probe")["checks"][-1]["check"] == "probe"
