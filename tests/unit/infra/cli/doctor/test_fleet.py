"""The fleet's checks, against a fake control plane and the real files."""

import socket

import pytest

from infra.cli.address import FleetAddress
from infra.cli.doctor.finding import Verdict
from infra.cli.doctor.fleet import (
    Answering,
    check_arrivals,
    check_by_probe,
    check_executions,
    check_failed_keys,
    check_letters,
    check_manifest,
    check_port,
    check_residues,
    check_stays,
    check_workflows,
    listen_in,
)
from infra.local.storage.database import open_database
from infra.manifest.load import ManifestRefused
from tests.unit.infra.cli.conftest import WELL

EXECUTION = {"id": "01X", "state": "SUCCEEDED"}


def _port(at):
    return check_port(at, listen_in(at))


def test_port_where_the_fleet_answers_is_well(fleet):
    fleet.will("GET", "/status", {"parked": 0})
    assert _port(fleet.place).verdict is Verdict.OK


def test_port_that_is_free_is_noted_with_the_way_to_start(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found = _port(FleetAddress(tmp_path, probe.getsockname()[1]))
    assert found.verdict is Verdict.NOTE
    assert "keyfleet up" in found.detail


def test_port_that_is_free_while_the_home_is_open_elsewhere_is_warned_of_without_starting_another(tmp_path):
    database = open_database(tmp_path / "fleet.db", (), bytes)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found = _port(FleetAddress(tmp_path, probe.getsockname()[1]))
    database.close()
    assert found.verdict is Verdict.WARNING
    assert "keyfleet up" not in found.detail + found.remedy
    assert "--port" in found.remedy


def test_port_of_another_homes_fleet_fails(fleet):
    fleet.will("GET", "/status", {"error": {"detail": "signature"}}, 401)
    found = _port(fleet.place)
    assert (found.verdict, bool(found.remedy)) == (Verdict.FAILED, True)


def test_port_where_something_else_listens_fails(fleet):
    fleet.will("GET", "/status", b"<html></html>")
    assert "is no fleet" in _port(fleet.place).detail


@pytest.mark.parametrize(("parked", "verdict"), [(0, Verdict.OK), (3, Verdict.WARNING)])
def test_letters_that_wait_are_warned_of(fleet, parked, verdict):
    fleet.will("GET", "/status", {"parked": parked})
    assert check_letters(fleet.place, listen_in(fleet.place)).verdict is verdict


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        ({"failed_executions": 0}, Verdict.OK),
        ({"failed_executions": 2}, Verdict.WARNING),
        ({}, Verdict.NOTE),
    ],
)
def test_executions_that_failed_of_late_are_warned_of(fleet, status, verdict):
    fleet.will("GET", "/status", status)
    found = check_executions(fleet.place, listen_in(fleet.place))
    assert found.verdict is verdict
    assert ("keyfleet workflow list --state FAILED" in found.remedy) is (verdict is Verdict.WARNING)


ARRIVALS = "keyfleet timeline KEY{} says what its vendor said last, then as"


@pytest.mark.parametrize(
    ("check", "named", "found", "remedy"),
    [
        (check_failed_keys, "failed_keys", 2, "keyfleet credentials --state failed{}, then as"),
        (check_residues, "residual_locks", 2, "keyfleet residue list{}, then as"),
        (check_stays, "keyless_stays", ["rsv_7"], "keyfleet timeline STAY{} says why, then as"),
        (check_arrivals, "keys_at_the_door", ["key_7"], ARRIVALS),
    ],
)
def test_what_somebody_must_see_to_fails_with_the_way_to_see_it(fleet, check, named, found, remedy):
    fleet.will("GET", "/status", {})
    well = check(fleet.place, listen_in(fleet.place))
    fleet.will("GET", "/attention", {**WELL, named: found})
    failed = check(fleet.place, listen_in(fleet.place))
    assert (well.verdict, well.remedy) == (Verdict.OK, "")
    assert failed.verdict is Verdict.FAILED
    assert failed.remedy.startswith(f"{remedy.format(fleet.place.flags)} infra/runbooks/lock/key-")


@pytest.mark.parametrize("check", [check_failed_keys, check_residues, check_stays, check_arrivals])
def test_what_somebody_must_see_to_is_known_to_a_running_fleet_alone(tmp_path, check):
    assert check(FleetAddress(tmp_path), Answering(False)).verdict is Verdict.NOTE


def test_manifest_and_workflows_of_this_repository_are_well():
    assert check_manifest().verdict is Verdict.OK
    assert check_workflows().verdict is Verdict.OK


def test_manifest_that_cannot_be_deployed_fails(monkeypatch):
    def refuse():
        raise ManifestRefused("functions/x/fleet.yaml: functions.x: field required")

    monkeypatch.setattr("infra.manifest.load.load_manifest", refuse)
    found = check_manifest()
    assert (found.verdict, bool(found.remedy)) == (Verdict.FAILED, True)
    assert "functions/x/fleet.yaml" in found.detail


def test_workflows_that_cannot_be_deployed_fail(monkeypatch):
    monkeypatch.setattr("infra.local.wiring.workflow_sources", lambda _: {"issue": "main: {steps: 1}"})
    found = check_workflows()
    assert (found.verdict, bool(found.remedy)) == (Verdict.FAILED, True)
    assert "workflows/issue.yaml:1" in found.detail


def test_probe_that_comes_through_is_well(fleet, patience):
    fleet.will("POST", "/executions", {"execution": "01X"})
    fleet.will("GET", "/executions/01X", EXECUTION)
    assert check_by_probe(fleet.place, patience, "p").verdict is Verdict.OK
    assert fleet.asked[0][2] == {
        "workflow": "probe_platform",
        "argument": {"probe": "p", "wait_seconds": 1},
    }


@pytest.mark.parametrize("state", ["FAILED", "CANCELLED", "ACTIVE"])
def test_probe_that_does_not_come_through_fails_and_says_where_to_look(fleet, patience, state):
    fleet.will("POST", "/executions", {"execution": "01X"})
    fleet.will("GET", "/executions/01X", {**EXECUTION, "state": state})
    found = check_by_probe(fleet.place, patience, "p")
    assert found.verdict is Verdict.FAILED
    assert "keyfleet workflow show 01X" in found.remedy


def test_probe_without_a_fleet_fails(tmp_path, patience):
    found = check_by_probe(FleetAddress(tmp_path), patience, "p")
    assert (found.verdict, bool(found.remedy)) == (Verdict.FAILED, True)
