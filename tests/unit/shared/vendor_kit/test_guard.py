"""A guard counts a vendor that cannot answer against it, and nothing else."""

import asyncio
import gc

import pytest

from infra.local.simulation.loop import run_virtually
from shared.kernel.log import Log
from shared.vendor_kit.breaker import BreakerPolicy, CircuitOpen
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.guard import GuardPolicy, Guards, VendorDown
from shared.vendor_kit.http import TimedOut
from shared.vendor_kit.rate import Throttled, Urgency
from tests.contract.embedded import ManualClock

POLICY = GuardPolicy(limit=Limit(calls=6000, burst=100), breaker=BreakerPolicy(fewest=2))


class Watch:
    """Guards, and what they told."""

    def __init__(self, policy=POLICY, clock=None):
        self.told, self.clock = [], clock or ManualClock()
        self.guards = Guards(self.clock, Log("test"), instead=policy, tell=self._hear)
        self.first, self.second = self.of("first"), self.of("second")

    def _hear(self, name, change):
        self.told.append((name, change))

    def of(self, name, application="app"):
        """Return the guard of an account."""
        return self.guards.of(name, application, GuardPolicy())

    @property
    def states(self):
        """What the circuit became, in order."""
        return [change.after for _, change in self.told]

    async def end(self, error=None, name="first"):
        """Let a call end."""
        async with self.of(name).watched():
            if error is not None:
                raise error


@pytest.mark.parametrize("error", [TimedOut("late"), VendorDown("broken")])
async def test_guard_opens_on_a_vendor_that_cannot_answer_and_says_so(error):
    watch = Watch()
    for _ in range(2):
        with pytest.raises(type(error)):
            await watch.end(error)
    with pytest.raises(CircuitOpen):
        await watch.first.turn(Urgency.REVOKE)
    assert [(name, change.after) for name, change in watch.told] == [("app", "open")]


async def test_guard_lets_answers_through_whatever_they_say():
    watch = Watch()
    for _ in range(2):
        with pytest.raises(ValueError, match="refused"):
            await watch.end(ValueError("refused"))
    await watch.end()
    await watch.first.turn(Urgency.ISSUE)
    assert watch.told == []


async def test_accounts_of_one_application_share_its_circuit_and_others_do_not():
    watch = Watch()
    elsewhere = watch.of("third", "another")
    for _ in range(2):
        with pytest.raises(TimedOut):
            await watch.end(TimedOut("late"))
    with pytest.raises(CircuitOpen):
        await watch.second.turn(Urgency.ISSUE)
    await elsewhere.turn(Urgency.ISSUE)
    assert watch.of("first") is watch.first


async def test_accounts_of_one_application_share_its_limit_and_others_do_not():
    watch = Watch(GuardPolicy(limit=Limit(calls=1, burst=1), patience=0.05))
    await watch.first.turn(Urgency.ISSUE)
    with pytest.raises(Throttled):
        await watch.second.turn(Urgency.ISSUE)
    await watch.of("third", "another").turn(Urgency.ISSUE)


async def opened(watch):
    """Let the first account's circuit open."""
    for _ in range(2):
        with pytest.raises(TimedOut):
            await watch.end(TimedOut("late"))


async def test_probe_that_was_never_sent_is_still_to_be_made():
    watch = Watch(GuardPolicy(limit=Limit(calls=1, burst=1), patience=0.05, breaker=BreakerPolicy(fewest=2)))
    await watch.first.turn(Urgency.ISSUE)
    await opened(watch)
    watch.clock.advance(seconds=30)
    for _ in range(2):
        with pytest.raises(Throttled):
            await watch.first.turn(Urgency.REVOKE)
    await watch.end()
    assert watch.states == ["open", "half_open", "closed"]


def test_calls_that_waited_while_the_circuit_opened_are_not_sent():
    async def scenario(clock):
        watch = Watch(GuardPolicy(limit=Limit(calls=60, burst=1), breaker=BreakerPolicy(fewest=2)), clock)
        await watch.first.turn(Urgency.ISSUE)
        waiting = [asyncio.ensure_future(watch.first.turn(Urgency.ISSUE)) for _ in range(5)]
        await asyncio.sleep(0.5)
        await opened(watch)
        return await asyncio.gather(*waiting, return_exceptions=True)

    assert [type(each) for each in run_virtually(scenario)] == [CircuitOpen] * 5


async def test_one_call_at_a_time_finds_out_how_things_are():
    watch = Watch()
    await opened(watch)
    watch.clock.advance(seconds=30)
    for _ in range(2):
        await watch.first.turn(Urgency.ISSUE)
    async with watch.first.watched():
        with pytest.raises(CircuitOpen):
            await watch.end()
    assert watch.states == ["open", "half_open", "closed"]


@pytest.mark.parametrize("error", [None, TimedOut("late")])
async def test_answer_of_before_the_circuit_opened_is_not_the_probe_s(error):
    watch = Watch()
    slow, probe = watch.first.watched(), watch.first.watched()
    await slow.__aenter__()
    await opened(watch)
    watch.clock.advance(seconds=30)
    await probe.__aenter__()
    await slow.__aexit__(error and type(error), error, None)
    assert watch.states == ["open", "half_open"]
    await probe.__aexit__(None, None, None)
    assert watch.states[-1] == "closed"


async def test_an_account_that_nobody_uses_any_more_is_forgotten():
    guards = Guards(ManualClock(), Log("test"))
    held = guards.of("first", "app", POLICY)
    assert guards.of("first", "app", POLICY) is held
    del held
    gc.collect()
    assert (len(guards._guards), len(guards._rates)) == (0, 0)


async def test_a_vendor_declares_its_own_limit():
    guards = Guards(ManualClock(), Log("test"))
    strict = guards.of("strict", "strict", GuardPolicy(limit=Limit(calls=1, burst=1), patience=0.05))
    free = guards.of("free", "free", GuardPolicy(patience=0.05))
    await strict.turn(Urgency.ISSUE)
    with pytest.raises(Throttled):
        await strict.turn(Urgency.ISSUE)
    for _ in range(100):
        await free.turn(Urgency.ISSUE)


@pytest.mark.parametrize(("seconds", "opens"), [(60, True), (25, True), (5, False)])
def test_a_call_that_outlives_whoever_waits_for_it_is_its_vendor_s_trouble_and_told_once(seconds, opens):
    async def main(clock):
        watch = Watch(clock=clock)
        for _ in range(2):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(seconds), watch.first.watched():
                    await asyncio.sleep(3600)
        return watch.states

    assert run_virtually(main, 0) == (["open"] if opens else [])
