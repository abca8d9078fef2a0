"""The keys' checks: on real key files, tied to a real database."""

from contextlib import closing

import pytest

from infra.cli.address import FleetAddress
from infra.cli.doctor.finding import Verdict
from infra.cli.doctor.keys import check_keys
from infra.local.ambient import SystemEntropy
from infra.local.key_notes import SCHEMA, tie
from infra.local.keyring import Keyring
from infra.local.storage.database import open_database


@pytest.fixture
def at(tmp_path):
    return FleetAddress(tmp_path / "home")


@pytest.fixture
def home(at):
    at.home.mkdir(mode=0o700)
    return at.home


@pytest.fixture
def master(home):
    """A key file that sealed something in the database beside it."""
    ring = Keyring(home / "master.key", SystemEntropy()).id
    with closing(open_database(home / "fleet.db", SCHEMA, bytes)) as database:
        tie(ring, database.writer)
    return home / "master.key"


def _failing(at):
    found = check_keys(at)
    assert found.verdict is Verdict.FAILED
    return found


def test_keys_that_are_not_there_yet_are_noted(at):
    assert check_keys(at).verdict is Verdict.NOTE
    assert not at.home.exists()


def test_keys_for_their_owner_alone_are_well(at, home):
    (home / "identity.key").touch(0o600)
    found = check_keys(at)
    assert (found.verdict, found.detail) == (Verdict.OK, "identity.key for you alone")


def test_keys_that_the_database_needs_are_well(at, master):
    assert check_keys(at).verdict is Verdict.OK


def test_keys_that_others_may_read_fail_by_name(at, master):
    master.chmod(0o640)
    found = _failing(at)
    assert "master.key can be read" in found.detail
    assert f"chmod 600 {master}" in found.remedy


def test_keys_without_the_one_that_sealed_fail_with_the_way_out_and_make_none(at, master):
    master.unlink()
    found = _failing(at)
    assert "master.key is missing" in found.detail
    assert f"keyfleet up --accept-loss --home {at.home}" in found.remedy
    assert not master.exists()


def test_keys_are_missed_also_while_the_fleet_runs(at, master):
    master.unlink()
    with closing(open_database(at.home / "fleet.db", SCHEMA, bytes)):
        assert "master.key is missing" in _failing(at).detail


def test_keys_that_nothing_was_sealed_with_are_missed_with_a_warning(at, home):
    open_database(home / "fleet.db", SCHEMA, bytes).close()
    found = check_keys(at)
    assert found.verdict is Verdict.WARNING
    assert "the next keyfleet up makes another" in found.remedy


def test_keys_that_a_running_fleet_could_not_seal_with_fail(at, home):
    with closing(open_database(home / "fleet.db", SCHEMA, bytes)):
        assert "stop the fleet and start it" in _failing(at).remedy


def test_keys_that_are_damaged_fail_with_the_way_out(at, master):
    master.write_bytes(master.read_bytes()[:-4])
    found = _failing(at)
    assert found.detail == "master.key is damaged"
    assert found.remedy.endswith("after moving it away")


def test_keys_of_another_database_fail(at, master):
    master.unlink()
    Keyring(master, SystemEntropy())
    assert "is not the one that sealed" in _failing(at).detail


@pytest.mark.parametrize("name", ["identity.key", "master.key"])
def test_keys_that_cannot_be_read_fail_by_name(at, home, name):
    (home / name).mkdir(mode=0o700)
    found = _failing(at)
    assert f"cannot read {home / name}" in found.detail
    assert found.remedy
