"""Waiting for an execution to end."""

import asyncio

from infra.local.simulation.loop import run_virtually
from shared.ports.sagas import ExecutionState
from tests.contract.sagas.ground import Ground

SOURCES = {
    "nap": "main: {params: [a], steps: [{nap: {call: sys.sleep, args: {seconds: 5}}}, {r: {return: done}}]}",
    "wait": "main: {params: [a], steps: [{nap: {call: sys.sleep, args: {seconds: 5000}}}]}",
}


def play(home, scenario):
    """Run a scenario with a service of the two workflows."""

    async def main(clock):
        process = await Ground(home, clock, SOURCES).open()
        try:
            await scenario(process.sagas)
        finally:
            await process.die()

    run_virtually(main, seed=1)


def test_an_execution_is_waited_for_alone(tmp_path):
    async def scenario(sagas):
        other = await sagas.start("wait", {})
        ended = await sagas.ended(await sagas.start("nap", {}))
        assert (ended.state, ended.result) == (ExecutionState.SUCCEEDED, "done")
        assert (await sagas.get(other)).state is ExecutionState.ACTIVE

    play(tmp_path, scenario)


def test_a_wait_for_an_execution_ends_with_its_cancellation(tmp_path):
    async def scenario(sagas):
        execution = await sagas.start("wait", {})
        waiting = asyncio.ensure_future(sagas.ended(execution))
        await asyncio.sleep(1)
        await sagas.cancel(execution)
        assert (await waiting).state is ExecutionState.CANCELLED

    play(tmp_path, scenario)


def test_what_ended_before_is_returned_at_once_and_what_never_was_is_none(tmp_path):
    async def scenario(sagas):
        execution = await sagas.start("nap", {})
        await sagas.settled()
        assert (await sagas.ended(execution)).result == "done"
        assert await sagas.ended("01J0000000000000000000000") is None

    play(tmp_path, scenario)


def test_a_new_execution_reads_nothing_of_what_it_has_just_kept(tmp_path):
    async def scenario(sagas):
        journal = sagas._journal
        read, journal._engine.read = [], lambda sql, *_: read.append(sql) or []
        await sagas.start("wait", {})
        await asyncio.sleep(1)
        assert read == []

    play(tmp_path, scenario)


def test_a_revision_is_kept_once_and_found_after_each_restart(tmp_path):
    async def main(clock):
        ground = Ground(tmp_path, clock, SOURCES)
        for number in (1, 2, 2):
            process = await ground.open()
            started = [await process.sagas.start("wait", {}) for _ in range(number)]
            revisions = {process.sagas.kept(execution).revision for execution in started}
            assert {process.sagas._journal.source(each) for each in revisions} == {SOURCES["wait"]}
            await process.die()

    run_virtually(main, seed=1)
