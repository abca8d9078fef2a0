"""After somebody accepted the loss: what can be read is kept, and so is the damaged file."""

import os
import stat
from contextlib import closing
from pathlib import Path

import pytest

from infra.local.storage.connection import connect, connect_to_look, create_tables
from infra.local.storage.database import Damaged
from infra.local.storage.salvage import salvage
from tests.unit.infra.local.storage.damage import TEXT, flipped, modes, take_image
from tests.unit.infra.local.storage.notebook import SCHEMA, keep, notes, open_notebook, running

NOTES = SCHEMA[0].removesuffix(" WITHOUT ROWID")


@pytest.fixture
async def image(tmp_path):
    return await take_image(tmp_path)


@pytest.fixture
async def settled(tmp_path):
    return await take_image(tmp_path, checkpointed=True)


def accept(image):
    """Accept the loss, and return the notes that are left; they must open without accepting from then on."""
    left = notes(image.folder, accept_loss=True)
    assert notes(image.folder) == left
    return left


def damage_payload(image, name):
    """Lay out an image in which one note's payload is changed."""
    place = image.content["fleet.db"].index(TEXT[name].encode()) + 20
    image.restore(fleet_db=flipped(image.content["fleet.db"], place), fleet_db_wal=None)


def test_an_undamaged_database_loses_nothing(image):
    image.restore()
    assert accept(image) == TEXT


def test_a_shortened_database_keeps_its_beginning(image):
    log = image.content["fleet.db-wal"]
    image.restore(fleet_db_wal=log[: len(log) // 2])
    left = accept(image)
    assert left.items() <= TEXT.items()
    assert list(left) == list(TEXT)[: len(left)]
    assert len(left) > 10


@pytest.mark.parametrize("mark", [None, b"\xff" * 56])
def test_a_lost_mark_loses_no_note(image, mark):
    image.restore(fleet_mark=mark)
    assert accept(image) == TEXT


def test_a_changed_note_is_left_out_and_the_others_are_kept(settled):
    damage_payload(settled, "017")
    assert accept(settled) == {name: text for name, text in TEXT.items() if name != "017"}


def test_what_lies_on_both_sides_of_a_broken_page_is_kept(settled):
    main = bytearray(settled.content["fleet.db"])
    page = main.index(TEXT["017"].encode()) // 4096 * 4096
    main[page : page + 4096] = b"\xff" * 4096
    settled.restore(fleet_db=bytes(main), fleet_db_wal=None)
    left = accept(settled)
    assert left.items() <= TEXT.items()
    assert {"000", "039"} <= left.keys()
    assert len(left) >= 25


def test_a_file_that_is_no_database_leaves_an_empty_one(image):
    image.restore(fleet_db=b"not a database at all" * 400, fleet_db_wal=None)
    assert accept(image) == {}


def test_a_missing_database_is_begun_anew(image):
    image.restore(fleet_db=None, fleet_db_wal=None)
    assert accept(image) == {}


def test_the_damaged_file_is_kept_beside_the_new_one(settled):
    damage_payload(settled, "017")
    damaged = (settled.folder / "fleet.db").read_bytes()
    accept(settled)
    assert (settled.folder / "fleet.db.damaged-1").read_bytes() == damaged


def test_a_salvaged_database_is_nobody_elses_to_read(settled, monkeypatch):
    drafts = []
    rename = Path.rename

    def noting(path, target):
        drafts.append(stat.S_IMODE(path.stat().st_mode))
        return rename(path, target)

    damage_payload(settled, "017")
    before = os.umask(0o000)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(Path, "rename", noting)
            accept(settled)
    finally:
        os.umask(before)
    assert set(drafts) == {0o600}
    assert set(modes(settled.folder).values()) == {0o600}


def test_a_second_salvage_keeps_the_first_ones_file(settled):
    main = settled.content["fleet.db"]
    damaged = [flipped(main, main.index(TEXT[name].encode()) + 20) for name in ("017", "018")]
    settled.restore()
    for content in damaged:
        (settled.folder / "fleet.db-wal").unlink(missing_ok=True)
        (settled.folder / "fleet.db").write_bytes(content)
        accept(settled)
    assert [(settled.folder / f"fleet.db.damaged-{number}").read_bytes() for number in (1, 2)] == damaged


async def test_a_salvaged_database_takes_new_notes(settled):
    damage_payload(settled, "017")
    async with running(settled.folder, accept_loss=True) as engine:
        await engine.write(keep("017", "anew"))
    assert notes(settled.folder) == TEXT | {"017": "anew"}


@pytest.mark.parametrize("nth", [1, 2, 3, 4])
def test_a_salvage_that_was_interrupted_is_finished_by_the_next(settled, monkeypatch, nth):
    damage_payload(settled, "017")
    (settled.folder / "fleet.db-wal").write_bytes(b"")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", dies_at(nth, Path.rename))
        with pytest.raises(KeyboardInterrupt):
            open_notebook(settled.folder, accept_loss=True)
    with pytest.raises(Damaged):
        open_notebook(settled.folder)
    assert accept(settled) == {name: text for name, text in TEXT.items() if name != "017"}


def dies_at(nth, rename):
    """Return a rename that dies instead, the nth time."""
    calls = iter(range(1, 99))

    def dying(path, target):
        if next(calls) == nth:
            raise KeyboardInterrupt
        return rename(path, target)

    return dying


@pytest.mark.parametrize("kept", [" WITHOUT ROWID", ""], ids=["without", "with"])
@pytest.mark.parametrize("anew", [" WITHOUT ROWID", ""], ids=["without", "with"])
def test_rows_survive_a_release_that_keeps_them_another_way(tmp_path, kept, anew):
    path = tmp_path / "fleet.db"
    with closing(connect(path)) as old:
        create_tables(old, (NOTES + kept,))
        for name, text in TEXT.items():
            keep(name, text)(old)
    salvage(path, (NOTES + anew,))
    with closing(connect_to_look(path)) as new:
        assert dict(new.execute("SELECT name, payload FROM notes").fetchall()) == TEXT


@pytest.mark.parametrize("name", ["id", "commit"])
async def test_a_fleet_starts_though_it_lost_which_database_or_commit_it_was_at(tmp_path, name):
    async with running(tmp_path) as engine:
        await engine.write(keep("a"))
    with closing(connect(tmp_path / "fleet.db")) as connection:
        connection.execute("PRAGMA ignore_check_constraints=ON")
        connection.execute("UPDATE meta SET crc = crc + 1 WHERE name = ?", (name,))
    assert list(notes(tmp_path, accept_loss=True)) == ["a"]
    async with running(tmp_path) as engine:
        await engine.write(keep("b"))
    assert list(notes(tmp_path)) == ["a", "b"]
