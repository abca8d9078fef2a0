"""No room, or a lock of somebody else: a write is kept or refused, never both, and no harm is left."""

import asyncio
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from infra.local.simulation.loop import run_virtually
from infra.local.storage.engine import HELD_SECONDS, Engine
from infra.local.storage.writer import Writer, take_up_held
from shared.ports.documents import StorageFull
from tests.unit.infra.local.storage.notebook import held, keep, names, notes, running, start

CHILD = str(Path(__file__).with_name("writing_child.py"))


async def fill(engine: Engine, count, payload="x" * 3000):
    """Write until count, and return (acknowledged, refused) names."""
    outcomes = await asyncio.gather(
        *(engine.write(keep(f"{number:04}", payload)) for number in range(count)), return_exceptions=True
    )
    refused = [f"{number:04}" for number, outcome in enumerate(outcomes) if isinstance(outcome, StorageFull)]
    return [outcome for outcome in outcomes if isinstance(outcome, str)], refused


def allow(engine, pages):
    """Let the database have so many pages."""
    return engine._database.writer.execute(f"PRAGMA max_page_count={pages}").fetchall()


@pytest.mark.parametrize("threaded", [True, False])
async def test_a_full_database_refuses_and_keeps_what_it_acknowledged(tmp_path, threaded):
    async with running(tmp_path, threaded=threaded) as engine:
        allow(engine, 60)
        acknowledged, refused = await fill(engine, 200)
        assert len(acknowledged) > 0
        assert len(acknowledged) + len(refused) == 200
        assert len(refused) > 0
        assert names(engine) == acknowledged
    assert sorted(notes(tmp_path)) == acknowledged


async def test_it_is_known_that_nothing_is_kept_until_something_is(tmp_path):
    async with running(tmp_path) as engine:
        await engine.write(keep("a"))
        assert engine.no_room is None
        allow(engine, 20)
        with pytest.raises(StorageFull):
            await engine.write(keep("large", "x" * 200_000))
        assert "nothing was written" in engine.no_room
        allow(engine, 100_000)
        await engine.write(keep("b"))
        assert engine.no_room is None


async def test_a_refusal_says_what_to_do(tmp_path):
    async with running(tmp_path) as engine:
        allow(engine, 20)
        with pytest.raises(StorageFull, match=r"^nothing was written: .*Free some space"):
            await engine.write(keep("large", "x" * 200_000))


async def test_a_write_that_does_not_fit_leaves_its_neighbours_alone(tmp_path):
    async with running(tmp_path, threaded=False) as engine:
        allow(engine, 40)
        writes = [keep("a"), keep("large", "x" * 200_000), keep("b")]
        outcomes = await asyncio.gather(*map(engine.write, writes), return_exceptions=True)
        assert [outcomes[0], outcomes[2]] == names(engine) == ["a", "b"]
        assert isinstance(outcomes[1], StorageFull)


async def test_it_works_again_when_there_is_room(tmp_path):
    async with running(tmp_path) as engine:
        allow(engine, 60)
        _, refused = await fill(engine, 200)
        allow(engine, 100_000)
        assert await engine.write(keep(refused[0])) == refused[0]
        assert refused[0] in names(engine)


async def test_what_takes_no_room_still_works(tmp_path):
    async with running(tmp_path) as engine:
        allow(engine, 60)
        acknowledged, _ = await fill(engine, 200)
        await engine.write(lambda connection: connection.execute("DELETE FROM notes").rowcount)
        assert names(engine) == []
        assert await engine.write(keep(acknowledged[0])) == acknowledged[0]


@pytest.mark.parametrize("kilobytes", [40, 60, 100, 180, 300])
def test_a_log_that_may_not_grow_loses_nothing_acknowledged(tmp_path, kilobytes):
    command = [sys.executable, CHILD, str(tmp_path), "60", "--most-bytes", str(kilobytes * 1024)]
    child = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    said = child.stdout.splitlines()
    refused = [line for line in said if line.startswith("refused: nothing was written")]
    acknowledged = {line for line in said if not line.startswith("refused")}
    assert len(said) == 4 * 60 + 1
    assert len(refused) > 0
    assert "there is room again" in acknowledged
    assert set(notes(tmp_path)) == acknowledged


@pytest.mark.parametrize("threaded", [True, False])
async def test_a_lock_of_somebody_else_is_no_more_than_a_refusal(tmp_path, threaded):
    async with running(tmp_path, threaded=threaded) as engine:
        with (
            held(engine),
            pytest.raises(StorageFull, match=r"^nothing was written: .* locked\. End whatever"),
        ):
            await engine.write(keep("a"))
        assert await engine.write(keep("a")) == "a"


async def test_all_who_share_a_commit_wait_for_a_lock_together(tmp_path):
    async with running(tmp_path, threaded=False) as engine:
        begun = []
        with held(engine):
            engine._database.writer.set_trace_callback(begun.append)
            outcomes = await asyncio.gather(
                *(engine.write(keep(n)) for n in range(9)), return_exceptions=True
            )
        engine._database.writer.set_trace_callback(None)
        assert {type(outcome) for outcome in outcomes} == {StorageFull}
        assert begun.count("BEGIN IMMEDIATE") <= 1


@pytest.mark.parametrize("threaded", [True, False])
async def test_lazy_operations_are_kept_until_there_is_room(tmp_path, threaded):
    async with running(tmp_path, threaded=threaded) as engine:
        with held(engine):
            for number in range(3):
                engine.write_soon(keep(number))
                with pytest.raises(StorageFull):
                    await engine.write(keep("urgent"))
            assert names(engine) == []
        await engine.write(take_up_held)
        assert engine.read("SELECT name FROM notes ORDER BY rowid") == [("0",), ("1",), ("2",)]


@pytest.mark.parametrize("shared", [True, False])
def test_a_lazy_operation_never_overtakes_one_that_finds_no_room(tmp_path, shared):
    async def scenario(_clock):
        async with running(tmp_path, threaded=False) as engine:
            await engine.write(keep("a"))
            allow(engine, 40)
            engine.write_soon(keep("first", "x" * 200_000))
            if not shared:
                await engine.write(keep("b"))
            engine.write_soon(keep("second"))
            await engine.write(keep("c"))
            await asyncio.sleep(5)
            assert names(engine) == (["a", "c"] if shared else ["a", "b", "c"])
            allow(engine, 4000)
            await asyncio.sleep(HELD_SECONDS + 0.1)
            return [name for (name,) in engine.read("SELECT name FROM notes ORDER BY rowid")]

    assert run_virtually(scenario)[-2:] == ["first", "second"]


def test_a_lack_of_room_at_the_commit_itself_holds_lazy_operations_too(tmp_path, monkeypatch):
    def full(writer, jobs):
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        writer._one_by_one(jobs, error)

    async def scenario(_clock):
        async with running(tmp_path, threaded=False) as engine:
            with monkeypatch.context() as patch:
                patch.setattr(Writer, "finish", full)
                for name in "abc":
                    engine.write_soon(keep(name))
                    await asyncio.sleep(0.5)
            await asyncio.sleep(HELD_SECONDS)
            return names(engine)

    assert run_virtually(scenario) == ["a", "b", "c"]


@pytest.mark.parametrize("seconds", [0.5, 10])
def test_the_end_waits_for_room_but_not_for_ever(tmp_path, seconds):
    async def scenario(clock):
        told, loop = [], asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: told.append(context["message"]))
        engine, began = start(tmp_path, threaded=False), clock.now()
        with held(engine):
            engine.write_soon(keep("late"))
            closing = asyncio.ensure_future(engine.close())
            await asyncio.sleep(seconds)
        await closing
        assert (clock.now() - began).total_seconds() <= 10
        return told

    lost = ["lazy writes are lost at the end"] if seconds == 10 else []
    assert run_virtually(scenario) == lost
    assert list(notes(tmp_path)) == ([] if lost else ["late"])


def test_a_mistake_in_an_operation_is_not_taken_for_the_machines(tmp_path):
    mistakes = ["SELECT * FROM nothing", "INSERT INTO notes VALUES ('a', 'b', 0)", "SELECT 1; SELECT 2"]

    async def scenario(_clock):
        async with running(tmp_path, threaded=False) as engine:
            for mistake in mistakes:
                with pytest.raises((sqlite3.Error, sqlite3.Warning)) as raised:
                    await engine.write(lambda connection, sql=mistake: connection.execute(sql))
                assert not isinstance(raised.value, StorageFull)

    run_virtually(scenario)


def numbered(engine, name):
    """Return an operation that takes a number, as a document's commit does, and keeps a note."""

    def operation(connection):
        return engine.number(), keep(name)(connection)

    return operation


async def test_however_many_were_held_each_gets_a_number_of_its_own(tmp_path):
    async with running(tmp_path) as engine, asyncio.timeout(20):
        first, _ = await engine.write(numbered(engine, "first"))
        with held(engine):
            riding = [asyncio.ensure_future(engine.ride(numbered(engine, number))) for number in range(1100)]
            await asyncio.sleep(0.3)
        await asyncio.gather(
            engine.write(keep("first")), engine.write(take_up_held), return_exceptions=True
        )  # one that is refused has all of them run twice
        given = [number for number, _ in await asyncio.gather(*riding)]
        last, _ = await engine.write(numbered(engine, "last"))
        assert first < min(given)
        assert max(given) < last
        assert len(set(given)) == len(given)


async def test_an_operation_that_ends_an_iteration_is_told_and_stops_nobody(tmp_path):
    async with running(tmp_path) as engine, asyncio.timeout(5):
        with pytest.raises(RuntimeError):
            await engine.write(lambda _: next(iter(())))
        assert await engine.write(keep("a")) == "a"


def test_who_rides_and_finds_no_room_to_the_end_is_told(tmp_path):
    async def scenario(_):
        engine = start(tmp_path, threaded=False)
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        with held(engine):
            riding = asyncio.ensure_future(engine.ride(keep("a")))
            await asyncio.sleep(0.2)
            await engine.close()
        with pytest.raises(StorageFull):
            await riding

    run_virtually(scenario, 0)
