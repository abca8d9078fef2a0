"""A damaged or shortened database is found before anything is served, and said in plain words."""

import random
import re

import pytest

from infra.local.storage.database import Damaged
from infra.local.storage.mark import Mark
from tests.unit.infra.local.storage.damage import FILES, TEXT, flipped, take_image
from tests.unit.infra.local.storage.notebook import notes, open_notebook

CASES = 150


@pytest.fixture
async def image(tmp_path):
    """Everything is in the log."""
    return await take_image(tmp_path)


@pytest.fixture
async def settled(tmp_path):
    """Everything is in the main file."""
    return await take_image(tmp_path, checkpointed=True)


def test_what_a_killed_process_left_opens_whole(image):
    image.restore()
    assert image.finding() is None


def test_a_settled_database_opens_whole(settled):
    settled.restore(fleet_db_wal=None)
    assert settled.finding() is None


def test_a_log_cut_anywhere_is_found(image):
    chance, log = random.Random(1), image.content["fleet.db-wal"]
    for place in sorted(chance.sample(range(len(log)), CASES)):
        image.restore(fleet_db_wal=log[:place])
        assert re.search(r"shortened: \d+ acknowledged", image.finding() or "found nothing"), place


def test_a_bit_flipped_anywhere_in_the_log_is_found(image):
    chance, log = random.Random(2), image.content["fleet.db-wal"]
    harmless = 0
    for place in sorted(chance.sample(range(len(log)), CASES)):
        image.restore(fleet_db_wal=flipped(log, place, chance.randrange(8)))
        harmless += image.finding() is None  # which has compared every note
    assert harmless <= CASES * 0.05


def test_a_lost_log_is_found(image):
    image.restore(fleet_db_wal=None)
    assert "acknowledged group commits are missing" in image.finding()


def test_a_main_file_cut_anywhere_is_found(settled):
    chance, main = random.Random(3), settled.content["fleet.db"]
    for place in sorted(chance.sample(range(len(main)), CASES)):
        settled.restore(fleet_db=main[:place], fleet_db_wal=None)
        assert settled.finding(), place


def test_a_bit_flipped_anywhere_in_the_main_file_is_found_or_does_no_harm(settled):
    chance, main = random.Random(4), settled.content["fleet.db"]
    harmless = 0
    for place in sorted(chance.sample(range(len(main)), 2 * CASES)):
        settled.restore(fleet_db=flipped(main, place, chance.randrange(8)), fleet_db_wal=None)
        harmless += settled.finding() is None  # which has compared every note
    assert harmless <= 2 * CASES * 0.7, "the rest of each page is empty, and nobody reads it"


@pytest.mark.parametrize("name", ["000", "017", "039"])
def test_a_changed_payload_is_found_by_its_checksum(settled, name):
    place = settled.content["fleet.db"].index(TEXT[name].encode()) + 20
    settled.restore(fleet_db=flipped(settled.content["fleet.db"], place), fleet_db_wal=None)
    assert settled.finding() == "fleet.db is damaged: CHECK constraint failed in notes"


@pytest.mark.parametrize("table", ["notes", "meta"])
def test_a_bit_flipped_anywhere_in_the_description_of_a_table_is_found(settled, table):
    main = settled.content["fleet.db"]
    begin = main.index(b"CREATE TABLE " + table.encode())
    chance = random.Random(5)
    for place in range(
        begin, begin + len("CREATE TABLE notes ( name TEXT PRIMARY KEY, payload TEXT NOT NULL")
    ):
        settled.restore(fleet_db=flipped(main, place, chance.randrange(8)), fleet_db_wal=None)
        assert "fleet.db is damaged" in (settled.finding() or "found nothing"), place


def test_a_changed_index_is_found(settled):
    first = settled.content["fleet.db"].index(b"note 7 ")
    second = settled.content["fleet.db"].index(b"note 7 ", first + 1)
    for place in (first, second):
        settled.restore(fleet_db=flipped(settled.content["fleet.db"], place + 5), fleet_db_wal=None)
        assert "fleet.db is damaged" in settled.finding()


def test_a_file_that_is_no_database_is_found(image):
    image.restore(fleet_db=b"not a database at all" * 400, fleet_db_wal=None)
    assert image.finding() == "fleet.db is damaged: file is not a database"


@pytest.mark.parametrize("left", [None, b""])
def test_a_missing_or_empty_database_is_found(image, left):
    image.restore(fleet_db=left, fleet_db_wal=None)
    assert image.finding() == "fleet.db is gone or empty, but 40 group commits were acknowledged"


@pytest.mark.parametrize("left", [None, b""])
def test_a_missing_mark_is_found(image, left):
    image.restore(fleet_mark=left)
    assert "mark beside fleet.db is missing" in image.finding()


def test_an_unreadable_mark_is_found(image):
    image.restore(fleet_mark=b"\xff" * 56)
    assert image.finding() == "the high-water mark beside fleet.db cannot be read"


def test_the_mark_of_another_database_is_found(image):
    image.restore()
    mark = Mark(image.folder / "fleet.mark")
    mark.reset(b"another database", 1)
    mark.close()
    assert image.finding() == "the database is not the one its high-water mark belongs to"


def test_an_older_copy_of_the_database_is_found(image):
    older = image.content["fleet.db-wal"][: len(image.content["fleet.db-wal"]) // 2]
    image.restore(fleet_db_wal=older)
    assert "shortened" in image.finding()


def test_damage_stays_damage_and_is_left_as_it_was_found(image):
    image.restore(fleet_db_wal=flipped(image.content["fleet.db-wal"], 50_000))
    before = image.files()
    first = image.finding()
    assert first is not None
    assert image.files() == before
    assert image.finding() == first


def test_damage_names_what_can_be_done(image):
    image.restore(fleet_mark=None)
    with pytest.raises(Damaged, match=r"Restore the last backup, or accept the loss with `keyfleet up"):
        open_notebook(image.folder)


@pytest.mark.parametrize("left", [("fleet.mark",), ("fleet.mark", "fleet.db")])
def test_a_beginning_that_was_interrupted_is_begun_again(tmp_path, left):
    database = open_notebook(tmp_path)
    database.close()
    mark = Mark(tmp_path / "fleet.mark")
    mark.reset(database.id, 0)
    mark.close()
    for name in set(FILES) - set(left):
        (tmp_path / name).unlink(missing_ok=True)
    if "fleet.db" in left:
        (tmp_path / "fleet.db").write_bytes(b"")
    assert notes(tmp_path) == {}
