"""A running home is copied as of one commit; what is not whole is put back nowhere."""

import asyncio
import json
import sqlite3

import pytest

from infra.local import backup
from infra.local.ambient import SystemEntropy
from infra.local.backup import BESIDE, DATABASE, FILES, NotCopied, NotWhole, back_up, proven, restore
from infra.local.fleet import open_fleet
from infra.local.home_witness import HomeWitness
from infra.local.keyring import Keyring
from infra.local.storage.connection import connect_to_look
from infra.local.world import FleetConfig
from shared.domain.secret import Secret
from shared.ledger.comparison import Occasion
from shared.ports.vault import SecretMissing
from tests.support.simulated import play

EARLY, LATE = Secret(b"early"), Secret(b"late")


def backed_up(place):
    """Copy a home between two secrets of a fleet that runs."""

    async def scenario(simulated):
        secrets = simulated.fleet.platform.secrets
        await secrets.add("lock-early", EARLY)
        back_up(place / "home", place / "backup")
        await secrets.add("lock-late", LATE)

    play(place / "home", scenario)


@pytest.fixture
def place(tmp_path):
    backed_up(tmp_path)
    return tmp_path


def test_what_was_kept_before_the_copy_is_read_after_it_and_nothing_since(place):
    restore(place / "backup", place / "scratch")
    assert HomeWitness(place / "scratch" / DATABASE).owed is Occasion.RESTORED

    async def read(simulated):
        secrets = simulated.fleet.platform.secrets
        assert (await secrets.latest("lock-early")).value == EARLY
        with pytest.raises(SecretMissing):
            await secrets.latest("lock-late")

    play(place / "scratch", read)


def test_keys_that_came_while_the_database_was_copied_are_in_the_backup_too(place, monkeypatch):
    looks = []

    def a_key_comes(database):
        if not looks:
            Keyring(place / "home" / "master.key", SystemEntropy()).newest("vendor-ref-late")
        looks.append(database)
        return connect_to_look(database)

    monkeypatch.setattr(backup, "connect_to_look", a_key_comes)
    back_up(place / "home", place / "second")
    assert len(looks) == 2
    assert Keyring(place / "second" / "master.key", SystemEntropy()).purposes["vendor-ref-late"] == 1
    proven(place / "second")


def test_nobody_else_may_read_a_backup(place):
    files = [*(place / "backup").iterdir()]
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert {file.name for file in files} == {*BESIDE, DATABASE, "manifest.json"}
    assert (place / "backup").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", [*BESIDE, DATABASE])
def test_a_file_that_changed_or_is_gone_is_named_and_no_home_made(place, name):
    file = place / "backup" / name
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    with pytest.raises(NotWhole, match=name):
        restore(place / "backup", place / "scratch")
    file.unlink()
    with pytest.raises(NotWhole, match="lacks a file"):
        restore(place / "backup", place / "scratch")
    assert not (place / "scratch").exists()


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ([], "has no files"),
        ("x", "has no files"),
        ({"files": []}, "has no files"),
        ({"files": {}}, "does not name fleet.mark, identity.key, people.key, master.key, fleet.db"),
    ],
)
def test_a_manifest_of_nothing_restores_nothing(place, manifest, said):
    (place / "backup" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(NotWhole, match=said):
        restore(place / "backup", place / "scratch")
    assert not (place / "scratch").exists()


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_the_manifest_does_not_name_is_missed(place, name):
    manifest = json.loads((place / "backup" / "manifest.json").read_text())
    del manifest["files"][name]
    (place / "backup" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(NotWhole, match=f"does not name {name}$"):
        restore(place / "backup", place / "scratch")


def test_a_manifest_brings_nothing_that_no_backup_makes(place):
    manifest = json.loads((place / "backup" / "manifest.json").read_text())
    (place / "evil_src").touch()
    digest_of_nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    manifest["files"]["../evil_src"] = digest_of_nothing
    (place / "backup" / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(NotWhole, match="evil_src"):
        restore(place / "backup", place / "deep" / "scratch")
    assert not (place / "deep").exists()


@pytest.mark.parametrize(
    "fault", [sqlite3.OperationalError("database or disk is full"), OSError(28, "full", "fleet.db")]
)
def test_a_copy_that_breaks_off_leaves_no_keys_behind(place, monkeypatch, fault):
    def full(_path):
        raise fault

    monkeypatch.setattr("infra.local.backup._digest", full)
    with pytest.raises(NotCopied, match="full"):
        back_up(place / "home", place / "half")
    assert not (place / "half").exists()


def test_a_restore_that_finds_its_place_taken_leaves_no_keys_behind(place):
    (place / "taken").write_text("a file")
    with pytest.raises(NotCopied):
        restore(place / "backup", place / "taken")
    assert [*place.glob("*.restoring")] == []


def test_a_restore_that_broke_off_is_begun_anew(place):
    (place / "scratch.restoring").mkdir()
    (place / "scratch.restoring" / DATABASE).write_bytes(b"half")
    assert restore(place / "backup", place / "scratch") == proven(place / "backup")


def test_a_restored_fleet_starts(place):
    restore(place / "backup", place / "scratch")

    async def started():
        async with open_fleet(FleetConfig(place / "scratch")) as fleet:
            return fleet.status()["refusing"]

    assert asyncio.run(started()) is None
