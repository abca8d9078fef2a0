"""The home's checks: on folders and files of every kind, and on a real database, whole and damaged."""

from pathlib import Path

import pytest

from infra.cli.address import FleetAddress
from infra.cli.doctor.finding import Verdict
from infra.cli.doctor.home import check_database, check_home, check_losses, check_room
from infra.local.storage import connection
from infra.local.storage.database import open_database


@pytest.fixture
def at(tmp_path):
    return FleetAddress(tmp_path / "home")


@pytest.fixture
def home(at):
    at.home.mkdir(mode=0o700)
    return at.home


@pytest.fixture
def database(home):
    return open_database(home / "fleet.db", (), bytes)


def test_home_that_is_not_there_yet_is_noted(at):
    assert check_home(at).verdict is Verdict.NOTE
    assert check_database(at, running=False).verdict is Verdict.NOTE
    assert not at.home.exists()


def test_home_of_ones_own_is_well(at, home):
    assert check_home(at).verdict is Verdict.OK


def test_home_open_to_others_is_warned_of(at, home):
    home.chmod(0o755)
    found = check_home(at)
    assert (found.verdict, found.remedy) == (Verdict.WARNING, f"chmod 700 {home}")


def test_home_that_is_no_folder_fails(at):
    at.home.touch()
    found = check_home(at)
    assert (found.verdict, bool(found.remedy)) == (Verdict.FAILED, True)


def test_home_that_cannot_be_made_fails():
    found = check_home(FleetAddress(Path("/proc/keyfleet/home")))
    assert (found.verdict, bool(found.remedy)) == (Verdict.FAILED, True)


def test_home_is_left_as_it_was(home, at):
    check_home(at)
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("running", [True, False])
def test_database_that_others_may_read_fails_by_name(at, database, running):
    database.close()
    (at.home / "fleet.db").chmod(0o644)
    found = check_database(at, running=running)
    assert (found.verdict, found.detail) == (Verdict.FAILED, "fleet.db can be read by others")
    assert found.remedy == f"chmod 600 {at.home / 'fleet.db'}"


def test_database_that_is_whole_is_well_and_left_closed(at, database):
    database.close()
    assert check_database(at, running=False).verdict is Verdict.OK
    assert check_database(at, running=False).verdict is Verdict.OK


def test_database_of_a_running_fleet_is_left_alone(at, database):
    assert check_database(at, running=True).verdict is Verdict.OK
    database.close()


def test_database_that_somebody_else_has_open_is_warned_of(at, database):
    found = check_database(at, running=False)
    assert found.verdict is Verdict.WARNING
    assert "KEYFLEET_PORT" in found.remedy
    database.close()


def test_database_that_is_shortened_fails_with_the_way_out(at, database):
    database.mark.reset(database.id, 5)
    database.close()
    found = check_database(at, running=False)
    assert found.verdict is Verdict.FAILED
    assert "5 acknowledged group commits" in found.detail
    assert "keyfleet up --accept-loss" in found.remedy


def test_database_that_is_gone_fails(at, database):
    database.mark.reset(database.id, 5)
    database.close()
    (at.home / "fleet.db").unlink()
    assert check_database(at, running=False).verdict is Verdict.FAILED


def test_a_loss_that_was_accepted_is_told_until_its_note_is_gone(tmp_path):
    place = FleetAddress(tmp_path, 8787)
    assert check_losses(place).verdict is Verdict.OK
    note = tmp_path / "accepted-losses.jsonl"
    note.write_text('{"at": "2026-05-01T12:00:00+00:00", "finding": "shortened", "kept_as": null}\n')
    finding = check_losses(place)
    assert finding.verdict is Verdict.WARNING
    assert str(note) in finding.remedy


def test_a_running_fleet_whose_last_commit_found_no_room_is_not_well():
    assert list(check_room(None)) == []
    (found,) = check_room("nothing was written: disk I/O error")
    assert (found.verdict, bool(found.remedy)) == (Verdict.FAILED, True)
    assert "disk I/O error" in found.detail


def test_a_database_of_a_newer_release_fails_and_nobody_is_told_to_lose_it(at, database, monkeypatch):
    connection.keep_layout(database.writer)
    database.close()
    monkeypatch.setattr(connection, "LAYOUT", connection.LAYOUT - 1)
    found = check_database(at, running=False)
    assert (found.verdict, found.detail) == (
        Verdict.FAILED,
        "fleet.db was written by a newer release than this one",
    )
    assert "accept-loss" not in found.remedy
    assert "put back the copy" in found.remedy
