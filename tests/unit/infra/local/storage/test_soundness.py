"""What was looked through need not be again, unless the machine went down or somebody wrote to it."""

import asyncio
import os
import time
from datetime import timedelta

import orjson
import pytest

from infra.local.ambient import SystemClock
from infra.local.storage import database as database_module
from infra.local.storage import soundness
from infra.local.storage.database import Damaged
from tests.unit.infra.local.storage.notebook import keep, running

FILLING = "x" * 3000


@pytest.fixture
def looked(monkeypatch):
    """Note how often a file is looked through."""
    looks, look = [], database_module._look

    def noted(path):
        looks.append(path.name)
        return look(path)

    monkeypatch.setattr(database_module, "_look", noted)
    return looks


async def killed(folder, *, rest=0.06):
    """Write, fold in, let a clock tick, write on, and be killed: nothing is closed in good order."""
    async with running(folder) as engine:
        for number in range(40):
            await engine.write(keep(f"{number} {FILLING}"))
        await engine.fold()
        time.sleep(rest)  # noqa: ASYNC251 - the file's clock is the machine's
        await engine.write(keep("after"))
        engine._database.sound.forget = lambda: None
        kept = {path: path.read_bytes() for path in folder.glob("*.sound")}
        return folder / "fleet.db", kept


async def notes(folder):
    async with running(folder) as engine:
        return len(engine.read("SELECT 1 FROM notes"))


def note_for(database):
    """Write a note of the file as it is now, as the process would that was killed."""
    sound = soundness.Soundness(database)
    sound.looked()
    sound.written()
    sound._owed_since -= 1
    sound.settle()


async def test_a_killed_process_leaves_a_note_of_what_it_looked_through(tmp_path):
    _, kept = await killed(tmp_path)
    assert len(kept) == 1


async def test_no_note_is_left_before_the_clock_has_ticked(tmp_path, monkeypatch):
    monkeypatch.setattr(soundness, "TICK_SECONDS", 3600)
    _, kept = await killed(tmp_path)
    assert kept == {}


async def test_an_idle_fleet_leaves_its_note_without_another_commit(tmp_path):
    async with running(tmp_path) as engine:
        await engine.write(keep("before"))
        await engine.fold()
        left = (tmp_path / "fleet.db").stat()
        await asyncio.sleep(10 * soundness.TICK_SECONDS)
        (note,) = tmp_path.glob("*.sound")
        assert orjson.loads(note.read_bytes())["file"][2:] == [left.st_mtime_ns, left.st_ctime_ns]


async def test_after_an_orderly_end_everything_is_looked_through(tmp_path, looked):
    await notes(tmp_path)
    looked.clear()
    await notes(tmp_path)
    assert len(looked) == 1


async def test_what_a_note_vouches_for_is_not_looked_through_again(tmp_path, looked):
    database, _ = await killed(tmp_path)
    note_for(database)
    looked.clear()
    assert await notes(tmp_path) == 41
    assert looked == []


@pytest.mark.parametrize("somebody", ["writes", "touches", "replaces"])
async def test_a_file_that_somebody_else_wrote_to_is_looked_through(tmp_path, looked, somebody):
    database, _ = await killed(tmp_path)
    note_for(database)
    raw = database.read_bytes()
    if somebody == "writes":
        database.write_bytes(raw)
    elif somebody == "touches":
        os.utime(database)
    else:
        copy = database.with_name("copy")
        copy.write_bytes(raw)
        copy.replace(database)
    looked.clear()
    assert await notes(tmp_path) == 41
    assert len(looked) == 1


async def test_damage_after_a_note_is_found(tmp_path):
    database, _ = await killed(tmp_path)
    note_for(database)
    raw = bytearray(database.read_bytes())
    place = raw.index(b"7 xxxx")
    raw[place + 9] ^= 1
    database.write_bytes(raw)
    with pytest.raises(Damaged):
        await notes(tmp_path)


async def test_after_the_machine_went_down_everything_is_looked_through(tmp_path, looked, monkeypatch):
    database, _ = await killed(tmp_path)
    note_for(database)
    boot = tmp_path / "boot_id"
    boot.write_text("another boot")
    monkeypatch.setattr(soundness, "BOOT", boot)
    looked.clear()
    await notes(tmp_path)
    assert len(looked) == 1


async def test_a_machine_that_tells_no_boot_has_everything_looked_through(tmp_path, looked, monkeypatch):
    database, _ = await killed(tmp_path)
    monkeypatch.setattr(soundness, "BOOT", tmp_path / "none")
    note_for(database)
    looked.clear()
    await notes(tmp_path)
    assert len(looked) == 1


@pytest.mark.parametrize("days", [-1, 1.01])
async def test_a_look_of_yesterday_is_no_look(tmp_path, looked, monkeypatch, days):
    database, _ = await killed(tmp_path)
    note_for(database)
    now = SystemClock().now() + timedelta(days=days)
    monkeypatch.setattr(soundness.SystemClock, "now", lambda _: now)
    looked.clear()
    await notes(tmp_path)
    assert len(looked) == 1


async def test_a_file_that_changed_while_the_clock_ticked_gets_no_note(tmp_path):
    database, _ = await killed(tmp_path)
    sound = soundness.Soundness(database)
    sound.looked()
    sound.written()
    os.utime(database)
    sound._owed_since -= 1
    sound.settle()
    assert not sound.holds()


@pytest.mark.parametrize("said", [b"", b"{}", b"[1]", b"not JSON"])
async def test_a_note_that_says_nothing_vouches_for_nothing(tmp_path, said):
    database, _ = await killed(tmp_path)
    database.with_suffix(".sound").write_bytes(said)
    assert not soundness.Soundness(database).holds()
