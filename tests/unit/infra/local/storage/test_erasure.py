"""What was deleted cannot be read any more: not in the log, not in freed pages, not after a whole stay."""

import asyncio
import re

import pytest

from tests.support.packed import with_what_is_packed
from tests.support.sample_hotel import play
from tests.unit.infra.local.storage.notebook import keep, running

NAME = "Ahmad Canary"
LONG = f"{NAME} " * 600
"""Longer than a page, so that most of it lies in pages of its own."""
SEALED = re.compile(rb'"artifact":"a2ZzM[^"]+"')
"""As the cipher's bytes begin, in base 64."""


def _files(folder):
    return b"".join(with_what_is_packed(file.read_bytes()) for file in sorted(folder.glob("*.db*")))


def _forget(connection):
    connection.execute("DELETE FROM notes")


@pytest.mark.parametrize("threaded", [True, False])
async def test_s3_what_was_deleted_is_in_neither_file_once_the_log_is_folded_in(tmp_path, threaded):
    async with running(tmp_path, threaded=threaded) as engine:
        for number in range(20):
            await engine.write(keep(f"{number} {LONG}"))
        await engine.write(_forget)
        assert NAME.encode() in _files(tmp_path)
        await engine.fold()
        assert NAME.encode() not in _files(tmp_path)


async def test_s3_a_log_without_news_costs_nothing(tmp_path):
    async with running(tmp_path) as engine:
        await engine.write(keep("a"))
        await engine.fold()
        commits = engine.counters["commits"]
        await engine.fold()
        assert engine.counters["commits"] == commits


async def test_s3_a_log_that_another_program_reads_is_folded_in_later(tmp_path):
    import sqlite3

    async with running(tmp_path) as engine:
        await engine.write(keep(LONG))
        other = sqlite3.connect(next(tmp_path.glob("*.db")))
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM notes").fetchall()
        await engine.write(_forget)
        await engine.fold()
        other.close()
        await engine.fold()
        assert NAME.encode() not in _files(tmp_path)


def test_s3_a_pin_is_in_no_file_of_the_fleet_two_minutes_after_checkout(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await house.settled()
        before = SEALED.findall(_files(tmp_path))
        await house.publish("evt_2", "checked_out", time="2026-03-01T10:00:00Z")
        await house.settled()
        await asyncio.sleep(121)
        return before, SEALED.findall(_files(tmp_path))

    before, after = play(tmp_path, scenario)
    assert before
    assert after == []
