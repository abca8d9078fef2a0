"""Opening: a new database, an old one, one in use, and what is shown to nobody else."""

import os
import random
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import pytest

from infra.local.storage import connection as connection_module
from infra.local.storage import database as database_module
from infra.local.storage.database import Damaged, InUse, Newer, checksum, open_database
from tests.unit.infra.local.storage.damage import modes, take_image
from tests.unit.infra.local.storage.notebook import SCHEMA, keep, notes, open_notebook, running

HOLD = """
import sys
from pathlib import Path
from tests.unit.infra.local.storage.notebook import open_notebook
database = open_notebook(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""


async def test_what_was_written_is_there_when_it_is_opened_again(tmp_path):
    async with running(tmp_path) as engine:
        await engine.write(keep("a", "first"))
    assert notes(tmp_path) == {"a": "first"}


async def test_the_commit_number_goes_on_where_it_was(tmp_path):
    for expected in (0, 3, 6):
        async with running(tmp_path, threaded=False) as engine:
            assert engine._database.commit == expected
            await engine.write(keep(f"{expected}a"))
            await engine.write(keep(f"{expected}b"))


def test_a_database_keeps_its_id(tmp_path):
    ids = []
    for _ in range(2):
        database = open_notebook(tmp_path)
        ids.append(database.id)
        database.close()
    assert ids[0] == ids[1]


@pytest.mark.parametrize("step", ["connect", "create_tables", "write_meta"])
def test_a_first_start_that_dies_half_way_is_no_damage(tmp_path, monkeypatch, step):
    def dies_after(*arguments):
        do(*arguments)
        raise KeyboardInterrupt

    do = getattr(database_module, step)
    with monkeypatch.context() as patch:
        patch.setattr(database_module, step, dies_after)
        with pytest.raises(KeyboardInterrupt):
            open_notebook(tmp_path)
    assert notes(tmp_path) == {}


def test_a_second_opening_is_refused_with_a_remedy(tmp_path):
    database = open_notebook(tmp_path)
    with pytest.raises(InUse, match="stop it, or set KEYFLEET_HOME"):
        open_notebook(tmp_path)
    database.close()
    open_notebook(tmp_path).close()


def test_another_process_is_refused_until_it_may_have_it(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"open\n"
        with pytest.raises(InUse):
            open_notebook(tmp_path)
        other.kill()
    open_notebook(tmp_path).close()


@pytest.mark.parametrize("mode", ["NORMAL", "EXCLUSIVE"])
@pytest.mark.parametrize("accept_loss", [False, True])
def test_a_lock_of_another_program_is_not_taken_for_damage(tmp_path, monkeypatch, mode, accept_loss):
    monkeypatch.setattr(connection_module, "BUSY_SECONDS", 0.01)
    open_notebook(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "fleet.db", isolation_level=None)) as other:
        other.execute(f"PRAGMA locking_mode={mode}")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(InUse, match=r"another program has fleet\.db locked: end it"):
            open_notebook(tmp_path, accept_loss=accept_loss)
    assert notes(tmp_path) == {}


def test_a_table_added_by_a_later_version_is_no_damage(tmp_path):
    open_notebook(tmp_path).close()
    for _ in range(2):
        more = (*SCHEMA, "CREATE TABLE IF NOT EXISTS rooms (name TEXT PRIMARY KEY)")
        open_database(tmp_path / "fleet.db", more, random.Random(5).randbytes).close()
    assert notes(tmp_path) == {}


def test_nobody_else_may_read_the_files(tmp_path):
    database = open_notebook(tmp_path / "home")
    found = modes(tmp_path / "home")
    database.close()
    assert set(found.values()) == {0o600}
    assert "fleet.db-wal" in found
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_nobody_else_may_read_them_whatever_umask_and_folder_allow(tmp_path, umask):
    tmp_path.chmod(0o777)
    before = os.umask(umask)
    try:
        database = open_notebook(tmp_path)
    finally:
        os.umask(before)
    found = modes(tmp_path)
    database.close()
    assert found == dict.fromkeys(
        ("fleet.db", "fleet.db-shm", "fleet.db-wal", "fleet.lock", "fleet.mark"), 0o600
    )


async def test_files_that_were_left_open_to_others_are_shut(tmp_path):
    image = await take_image(tmp_path)
    image.restore()
    for path in image.folder.iterdir():
        path.chmod(0o666)
    database = open_notebook(image.folder)
    assert set(modes(image.folder).values()) == {0o600}
    database.close()


def test_the_reader_cannot_write(tmp_path):
    database = open_notebook(tmp_path)
    with pytest.raises(Exception, match="readonly"):
        database.reader.execute("DELETE FROM notes")
    database.close()


@pytest.mark.parametrize(("value", "expected"), [(None, 0), ("", 0), ("a", 3904355907), (b"a", 3904355907)])
def test_a_checksum_is_of_the_bytes(value, expected):
    assert checksum(value) == expected


def test_a_checksum_of_a_text_is_that_of_its_utf8():
    assert checksum("اتاق") == checksum("اتاق".encode())


@pytest.mark.parametrize("accept_loss", [False, True])
def test_what_a_newer_release_wrote_is_refused_and_left_as_it_is(tmp_path, monkeypatch, accept_loss):
    database = open_notebook(tmp_path)
    connection_module.keep_layout(database.writer)
    database.writer.create_function("unheard_of", 1, bool, deterministic=True)
    database.writer.execute("CREATE TABLE hereafter (value CHECK (unheard_of(value)))")
    database.close()
    before = (tmp_path / "fleet.db").read_bytes()
    monkeypatch.setattr(connection_module, "LAYOUT", connection_module.LAYOUT - 1)
    with pytest.raises(Newer, match=r"fleet.db was written by a newer release than this one"):
        open_notebook(tmp_path, accept_loss=accept_loss)
    assert (tmp_path / "fleet.db").read_bytes() == before


def test_a_mark_of_a_newer_release_that_is_damage_is_called_damage(tmp_path):
    database = open_notebook(tmp_path)
    database.writer.execute("PRAGMA ignore_check_constraints=ON")
    database.writer.execute("INSERT INTO meta VALUES ('layout', 77, 0)")
    database.close()
    with pytest.raises(Damaged, match="CHECK constraint failed in meta"):
        open_notebook(tmp_path)
