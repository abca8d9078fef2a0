"""A visit pays for a turn once, gives it back however it ends, and waits for nobody who waits for it."""

import asyncio
import contextlib

import pytest

from shared.vendor_kit.turns import HELD_FOR, LONGEST_RUN, PATIENCE, TurnNotCome
from shared.vendor_kit.visits import turn_at, visiting
from tests.unit.shared.vendor_kit.leasing import used, virtually


async def went(turns, names, log=None, seconds=1.0):
    """Go to some things in turn, on one visit."""
    async with visiting():
        for name in names:
            async with turn_at(turns, name, "somebody"):
                await asyncio.sleep(seconds)
        if log is not None:
            log.append(names)


def test_a_visit_takes_and_gives_back_a_turn_once():
    async def scenario(leases, make):
        await went(make(), ["gateway"] * 3)
        return leases.log

    assert virtually(scenario) == ["+gateway", "-gateway"]


def test_without_a_visit_every_turn_is_taken_and_given_back():
    async def scenario(leases, make):
        turns = make()
        for _ in range(2):
            async with turn_at(turns, "gateway", "somebody"):
                pass
        return leases.log

    assert virtually(scenario) == ["+gateway", "-gateway"] * 2


def test_a_visit_gives_one_turn_back_before_it_waits_for_another():
    async def scenario(leases, make):
        await went(make(), ["first", "second", "first"])
        return leases.log

    assert virtually(scenario) == ["+first", "-first", "+second", "-second", "+first", "-first"]


@pytest.mark.parametrize("processes", [1, 2])
def test_visits_in_opposite_order_come_to_their_end(processes):
    async def scenario(_, make):
        everybody, done = [make() for _ in range(processes)], []
        await asyncio.gather(
            went(everybody[0], ["first", "second"], done), went(everybody[-1], ["second", "first"], done)
        )
        return len(done), asyncio.get_running_loop().time()

    done, took = virtually(scenario)
    assert done == 2
    assert took < PATIENCE / 4


@pytest.mark.parametrize("processes", [1, 2])
def test_visits_exclude_each_other_to_their_end(processes):
    async def scenario(_, make):
        everybody, log = [make() for _ in range(processes)], []

        async def visit(turns):
            async with visiting():
                for _ in range(3):
                    async with turn_at(turns, "gateway", "somebody"):
                        log.append(id(turns) if processes == 2 else id(asyncio.current_task()))
                        await asyncio.sleep(1)

        await asyncio.gather(visit(everybody[0]), visit(everybody[-1]))
        return log

    log = virtually(scenario)
    assert len(set(log)) == 2
    assert log == [log[0]] * 3 + [log[3]] * 3


def test_a_visit_excludes_who_is_on_none():
    async def scenario(_, make):
        turns, log = make(), []
        visit = asyncio.ensure_future(went(turns, ["gateway"] * 3, log))
        await asyncio.sleep(0.5)
        await used(turns, "gateway", log, 0)
        await visit
        return log

    assert virtually(scenario) == [["gateway"] * 3, "in", "out"]


def test_tasks_of_one_visit_exclude_each_other():
    async def scenario(leases, make):
        turns, log = make(), []

        async def go():
            async with turn_at(turns, "gateway", "somebody"):
                log.append("in")
                await asyncio.sleep(1)
                log.append("out")

        async with visiting():
            await asyncio.gather(*(go() for _ in range(3)))
        return log, leases.log

    assert virtually(scenario) == (["in", "out"] * 3, ["+gateway", "-gateway"])


@pytest.mark.parametrize("error", [ValueError, asyncio.CancelledError, TurnNotCome])
def test_a_visit_that_breaks_off_gives_its_turn_back(error):
    async def scenario(leases, make):
        turns = make()

        async def break_off():
            async with visiting():
                async with turn_at(turns, "gateway", "somebody"):
                    pass
                raise error("broke off")

        with pytest.raises(error):
            await break_off()
        await used(turns, "gateway", [], 0)
        return leases.log

    assert virtually(scenario) == ["+gateway", "-gateway"] * 2


def test_a_visit_goes_on_with_its_turn_after_something_failed_there():
    async def scenario(leases, make):
        turns = make()
        async with visiting():
            with contextlib.suppress(ValueError):
                async with turn_at(turns, "gateway", "somebody"):
                    raise ValueError("the lock did not answer")
            async with turn_at(turns, "gateway", "somebody"):
                pass
        return leases.log

    assert virtually(scenario) == ["+gateway", "-gateway"]


@pytest.mark.parametrize("after", [0.5, 1.5], ids=["while it waits", "while it holds"])
def test_a_visit_that_is_cancelled_leaves_everything_free(after):
    async def scenario(leases, make):
        turns = make()
        first = asyncio.ensure_future(used(turns, "gateway", [], 1))
        await asyncio.sleep(0)
        visit = asyncio.ensure_future(went(turns, ["other", "gateway"], None, 0.9))
        await asyncio.sleep(after)
        visit.cancel()
        await asyncio.gather(first, visit, return_exceptions=True)
        began = asyncio.get_running_loop().time()
        await used(make(), "other", [], 0)
        await used(turns, "gateway", [], 0)
        return asyncio.get_running_loop().time() - began

    assert virtually(scenario) == 0


def test_a_visit_inside_a_visit_is_part_of_it():
    async def scenario(leases, make):
        turns = make()
        async with visiting():
            await went(turns, ["gateway"])
            await went(turns, ["gateway"])
            held = list(leases.log)
        return held, leases.log

    assert virtually(scenario) == (["+gateway"], ["+gateway", "-gateway"])


def test_a_task_that_outlives_its_visit_takes_turns_of_its_own():
    async def scenario(leases, make):
        turns = make()

        async def later():
            await asyncio.sleep(5)
            async with turn_at(turns, "gateway", "somebody"):
                pass
            return list(leases.log)

        async with visiting():
            task = asyncio.ensure_future(later())
            async with turn_at(turns, "gateway", "somebody"):
                pass
        return await task

    assert virtually(scenario) == ["+gateway", "-gateway"] * 2


def test_a_visit_ends_when_the_last_of_its_tasks_has_had_its_turn():
    async def scenario(leases, make):
        turns, log = make(), leases.log

        async def go():
            async with turn_at(turns, "gateway", "somebody"):
                await asyncio.sleep(5)
                log.append("done")

        async with visiting():
            task = asyncio.ensure_future(go())
            await asyncio.sleep(1)
        await task
        return log

    assert virtually(scenario) == ["+gateway", "done", "-gateway"]


def test_a_turn_that_ran_out_between_two_locks_is_taken_anew():
    async def scenario(leases, make):
        turns = make()
        async with visiting():
            for _ in range(2):
                async with turn_at(turns, "gateway", "somebody") as turn:
                    await turn.keep(1)
                await asyncio.sleep(HELD_FOR.total_seconds() + 1)
        return leases.found("gateway")["fence"]

    assert virtually(scenario) == 2


def test_a_turn_that_was_lost_is_taken_anew_at_the_next_lock():
    async def scenario(leases, make):
        turns = make()
        async with visiting():
            async with turn_at(turns, "gateway", "somebody") as turn:
                leases.lose()
                with pytest.raises(TurnNotCome):
                    await turn.keep(HELD_FOR.total_seconds())
            async with turn_at(turns, "gateway", "somebody") as turn:
                await turn.keep(HELD_FOR.total_seconds())
        return leases.log

    assert virtually(scenario) == ["+gateway", "+gateway", "-gateway"]


def test_a_turn_another_has_taken_since_is_not_given_back_for_him():
    async def scenario(leases, make):
        ours, theirs = make(), make()
        async with visiting():
            async with turn_at(ours, "gateway", "somebody"):
                await asyncio.sleep(HELD_FOR.total_seconds() + 1)
            taken = theirs.take("gateway", "somebody else")
            turn = await taken.__aenter__()
        still = leases.found("gateway")["holder"] == turn.lease.holder
        await taken.__aexit__(None, None, None)
        return still

    assert virtually(scenario)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_long_visit_lets_who_waits_have_a_turn(processes):
    async def scenario(_, make):
        everybody = [make() for _ in range(processes)]
        visit = asyncio.ensure_future(went(everybody[0], ["gateway"] * 50))
        await asyncio.sleep(0.5)
        await used(everybody[-1], "gateway", [], 0)
        waited = asyncio.get_running_loop().time()
        await visit
        return waited

    assert virtually(scenario) < LONGEST_RUN + 3


def test_a_turn_wanted_inside_itself_does_not_come():
    async def scenario(_, make):
        turns = make()
        async with visiting(), turn_at(turns, "gateway", "somebody"):
            with pytest.raises(TurnNotCome):
                async with turn_at(turns, "gateway", "somebody"):
                    pass

    virtually(scenario)


def test_turns_for_something_brief_leave_the_visit_its_own():
    async def scenario(leases, make):
        turns = make()
        async with visiting(), turn_at(turns, "gateway", "somebody"):
            await used(turns, "token", [], 0)
        return leases.log

    assert virtually(scenario) == ["+gateway", "+token", "-token", "-gateway"]
