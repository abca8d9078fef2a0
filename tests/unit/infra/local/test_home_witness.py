"""A home's database is known for the file that was closed there, or for a copy that was put back."""

import os
import shutil

import pytest

from infra.cli.address import FleetAddress
from infra.cli.doctor.finding import Verdict
from infra.cli.doctor.home import check_database
from infra.local.home_witness import NOTE, HomeWitness
from infra.local.storage.database import open_database
from shared.ledger.comparison import Occasion


@pytest.fixture
def database(tmp_path):
    """A database that was opened and closed once."""
    home = tmp_path / "home"
    home.mkdir()
    file = home / "fleet.db"
    file.write_bytes(b"kept")
    witness = HomeWitness(file)
    witness.opened()
    witness.closed()
    return file


def copied(database, how):
    """Put the home away as a backup, go on for a while, and put the backup back."""
    home = database.parent
    backup = home.with_name("backup")
    shutil.copytree(home, backup)
    database.write_bytes(b"kept since")
    how(backup, home)


def in_place(backup, home):
    for file in backup.iterdir():
        (home / file.name).write_bytes(file.read_bytes())


def as_a_whole(backup, home):
    shutil.rmtree(home)
    shutil.copytree(backup, home)


def by_its_name(backup, home):
    shutil.rmtree(home)
    backup.rename(home)


def test_a_database_that_was_closed_here_is_no_copy(database):
    assert HomeWitness(database).owed is None


def test_a_home_without_a_note_says_nothing(tmp_path):
    (tmp_path / "fleet.db").write_bytes(b"of an earlier release")
    assert HomeWitness(tmp_path / "fleet.db").owed is None
    assert HomeWitness(tmp_path / "none.db").owed is None


@pytest.mark.parametrize("how", [in_place, as_a_whole, by_its_name])
def test_a_copy_that_was_put_back_is_known_for_one(database, how):
    copied(database, how)
    assert HomeWitness(database).owed is Occasion.RESTORED


def test_a_home_that_a_crash_left_is_no_copy_and_its_copy_is_one(database):
    HomeWitness(database).opened()
    database.write_bytes(b"written after")
    assert HomeWitness(database).owed is None
    copied(database, as_a_whole)
    spare = database.with_name("spare")
    spare.write_bytes(b"takes the number that was free")
    database.rename(spare)
    database.write_bytes(spare.read_bytes())
    assert HomeWitness(database).owed is Occasion.RESTORED


def test_a_home_whose_fleet_died_in_its_first_start_is_no_copy(tmp_path):
    file = tmp_path / "fleet.db"
    HomeWitness(file).opened()
    file.write_bytes(b"made, and its fleet died before it noted which file")
    assert HomeWitness(file).owed is None


def test_a_database_that_was_lost_and_made_anew_is_no_less_a_copy_after_a_crash(database):
    lost = database.rename(database.with_name("lost"))
    HomeWitness(database).opened()
    database.write_bytes(lost.read_bytes())
    assert HomeWitness(database).owed is Occasion.RESTORED


def test_what_is_owed_outlives_a_crash_until_it_is_paid(database):
    copied(database, as_a_whole)
    HomeWitness(database).opened()
    again = HomeWitness(database)
    assert again.owed is Occasion.RESTORED
    again.paid()
    again.closed()
    assert HomeWitness(database).owed is None


def test_a_restored_ledger_stays_one_though_its_doors_are_new(database):
    copied(database, as_a_whole)
    witness = HomeWitness(database)
    witness.owe(Occasion.EMPTIED)
    assert witness.owed is Occasion.RESTORED


def test_a_note_that_is_damaged_says_nothing_and_is_private(database):
    note = database.with_name(NOTE)
    assert note.stat().st_mode & 0o777 == 0o600
    for damage in (b"{", b"[]", b"\xff", b'{"file": null, "owed": "nonsense"}'):
        note.write_bytes(damage)
        HomeWitness(database)


def test_a_disk_without_room_for_the_note_keeps_nobody_from_working(database, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    HomeWitness(database).opened()


def test_a_database_that_a_doctor_looked_through_is_no_copy_and_a_copy_stays_one(tmp_path):
    file = tmp_path / "home" / "fleet.db"
    open_database(file, (), os.urandom).close()
    witness = HomeWitness(file)
    witness.opened()
    witness.closed()
    assert check_database(FleetAddress(file.parent), running=False).verdict is Verdict.OK
    assert HomeWitness(file).owed is None
    as_a_whole(shutil.copytree(file.parent, tmp_path / "backup"), file.parent)
    assert check_database(FleetAddress(file.parent), running=False).verdict is Verdict.OK
    assert HomeWitness(file).owed is Occasion.RESTORED
