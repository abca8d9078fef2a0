"""The one writer: commits are shared, failures are not, and what was acknowledged is on the disk."""

import asyncio
import random
import sqlite3

import pytest

from infra.local.counters import Counters
from infra.local.faults import Census
from infra.local.simulation.loop import run_virtually
from infra.local.storage import writer as writer_module
from infra.local.storage.engine import LAZY_SECONDS
from tests.unit.infra.local.storage.notebook import keep, names, notes, running, start


@pytest.fixture(params=[True, False], ids=["threaded", "inline"])
async def engine(tmp_path, request):
    async with running(tmp_path, threaded=request.param) as engine:
        yield engine


def fail(connection):
    """Write, then fail."""
    keep("half")(connection)
    raise LookupError("no such room")


async def test_a_write_returns_what_its_operation_returned(engine):
    assert await engine.write(keep("a")) == "a"
    assert names(engine) == ["a"]


async def test_writers_at_once_share_their_commits(engine):
    async def write_some(writer):
        for number in range(10):
            await engine.write(keep(f"{writer}-{number}"))

    before = Counters(engine.counters)
    await asyncio.gather(*(write_some(writer) for writer in range(64)))
    spent = engine.counters.since(before)
    assert len(names(engine)) == 640
    assert spent["commits"] <= 0.2 * 640
    assert spent["fsyncs"] <= 0.2 * 640


async def test_a_failing_operation_leaves_nothing_and_its_neighbours_alone(engine):
    outcomes = await asyncio.gather(
        engine.write(keep("a")), engine.write(fail), engine.write(keep("b")), return_exceptions=True
    )
    assert [outcomes[0], outcomes[2]] == ["a", "b"]
    assert isinstance(outcomes[1], LookupError)
    assert names(engine) == ["a", "b"]


async def test_an_error_of_sqlite_reaches_its_caller_only(engine):
    await engine.write(keep("a"))
    outcomes = await asyncio.gather(engine.write(keep("a")), engine.write(keep("b")), return_exceptions=True)
    assert isinstance(outcomes[0], sqlite3.IntegrityError)
    assert names(engine) == ["a", "b"]


async def test_operations_that_all_fail_cost_no_commit(engine):
    before = Counters(engine.counters)
    await asyncio.gather(engine.write(fail), engine.write(fail), return_exceptions=True)
    assert engine.counters.since(before) == {}


async def test_operations_run_in_the_order_they_were_given(engine):
    outcomes = await asyncio.gather(*(engine.write(_count) for _ in range(50)))
    assert outcomes == list(range(50))


def _count(connection):
    ((count,),) = connection.execute("SELECT count(*) FROM notes").fetchall()
    return int(keep(count)(connection))


async def test_a_caller_who_left_takes_nothing_along(engine):
    leaving = asyncio.ensure_future(engine.write(keep("left")))
    await asyncio.sleep(0)
    leaving.cancel()
    await engine.write(keep("stayed"))
    assert names(engine) == ["left", "stayed"]


async def test_a_read_sees_the_last_commit_and_nothing_of_the_next(engine):
    await engine.write(keep("a"))
    writing = asyncio.ensure_future(engine.write(keep("b")))
    assert names(engine) == ["a"]
    await writing
    assert names(engine) == ["a", "b"]


async def test_lazy_operations_ride_on_the_next_write(engine):
    before = Counters(engine.counters)
    engine.write_soon(keep("lazy"))
    await engine.write(keep("a"))
    assert names(engine) == ["a", "lazy"]
    assert engine.counters.since(before)["commits"] <= 2


def test_lazy_operations_wait_no_longer_than_they_may(tmp_path):
    async def scenario(_clock):
        async with running(tmp_path, threaded=False) as engine:
            engine.write_soon(keep("a"))
            engine.write_soon(keep("b"))
            await asyncio.sleep(LAZY_SECONDS * 0.9)
            waiting = names(engine)
            await asyncio.sleep(LAZY_SECONDS * 0.2)
            return waiting, names(engine), engine.counters["commits"]

    assert run_virtually(scenario) == ([], ["a", "b"], 1)


async def test_a_failing_lazy_operation_disturbs_nobody_and_is_told_of(engine):
    told = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context["exception"]))
    engine.write_soon(fail)
    engine.write_soon(keep("b"))
    await engine.write(keep("a"))
    assert names(engine) == ["a", "b"]
    assert [str(error) for error in told] == ["no such room"]


def test_what_rides_is_kept_with_the_next_commit_and_its_caller_is_told(tmp_path):
    async def scenario(_clock):
        async with running(tmp_path, threaded=False) as engine:
            riding = asyncio.ensure_future(engine.ride(keep("a")))
            await asyncio.sleep(LAZY_SECONDS * 0.5)
            waiting = riding.done()
            await engine.write(keep("b"))
            await riding
            return waiting, names(engine), engine.counters["commits"]

    assert run_virtually(scenario) == (False, ["a", "b"], 1)


async def test_what_rides_and_fails_tells_its_caller_and_nobody_else(engine):
    told = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    with pytest.raises(LookupError, match="no such room"):
        await engine.ride(fail)
    assert told == []


async def test_closing_writes_what_still_waits(tmp_path):
    async with running(tmp_path) as engine:
        engine.write_soon(keep("lazy"))
    assert list(notes(tmp_path)) == ["lazy"]


@pytest.mark.parametrize("threaded", [True, False])
async def test_whoever_writes_while_it_closes_is_answered(tmp_path, threaded):
    engine = start(tmp_path, threaded=threaded)
    closing, writing = asyncio.ensure_future(engine.close()), []
    while not closing.done():
        writing.append(asyncio.ensure_future(engine.write(keep(f"{len(writing):04}"))))
        await asyncio.sleep(0)
    async with asyncio.timeout(5):
        answers = await asyncio.gather(*writing, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, RuntimeError)]
    assert 0 < len(refused) < len(answers)
    assert list(notes(tmp_path)) == [answer for answer in answers if isinstance(answer, str)]


async def test_a_closed_engine_says_so(tmp_path):
    async with running(tmp_path) as engine:
        pass
    with pytest.raises(RuntimeError, match="not running"):
        await engine.write(keep("a"))


async def test_each_commit_passes_its_boundaries_in_order(tmp_path):
    census = Census()
    async with running(tmp_path, faults=census, threaded=False) as engine:
        await engine.write(keep("a"))
        assert list(census.seen) == ["before-commit", "before-mark", "after-commit"]


async def test_trouble_after_the_commit_does_not_unsay_it(tmp_path, monkeypatch):
    def broken(*_):
        raise OSError(5, "the mark's disk is gone")

    engine = start(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(type(engine._database.mark), "write", broken)
        assert await engine.write(keep("a")) == "a"
    await engine.write(keep("b"))
    await engine.close()
    assert list(notes(tmp_path)) == ["a", "b"]


async def test_a_long_log_is_checkpointed_and_the_mark_synced(tmp_path, monkeypatch):
    monkeypatch.setattr(writer_module, "CHECKPOINT_BYTES", 4096)
    async with running(tmp_path, threaded=False) as engine:
        before = (tmp_path / "fleet.db").stat().st_size
        for number in range(256):
            await engine.write(keep(number, "x" * 200))
        assert (tmp_path / "fleet.db").stat().st_size > before
        assert engine.counters["fsyncs"] > engine.counters["commits"]


async def test_a_log_is_checkpointed_by_what_was_written_since_and_not_by_the_size_it_once_had(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(writer_module, "CHECKPOINT_BYTES", 200 * 4096)
    async with running(tmp_path, threaded=False) as engine:
        for number in range(800):
            await engine.write(keep(number, "x" * 200))
        checkpoints = (engine.counters["fsyncs"] - engine.counters["commits"]) / 3
        assert 3 <= checkpoints <= 20, "by its size it would be one to each look: some forty"


async def test_with_and_without_a_thread_the_same_is_written(tmp_path):
    chance = random.Random(3)
    plan = [(chance.randrange(40), chance.random() < 0.2) for _ in range(150)]
    outcomes = []
    for threaded in (True, False):
        async with running(tmp_path / str(threaded), threaded=threaded) as engine:
            writes = (engine.write(fail if bad else keep(name)) for name, bad in plan)
            told = await asyncio.gather(*writes, return_exceptions=True)
            outcomes.append(([str(outcome) for outcome in told], names(engine)))
    assert outcomes[0] == outcomes[1]
