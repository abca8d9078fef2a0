"""Lines for a gateway, in one process and among several: by urgency, at a bounded cost, nobody for ever."""

import asyncio
from datetime import timedelta

import pytest

from shared.domain.ids import TenantId
from shared.ports.documents import Ref
from shared.vendor_kit import turns as turns_module
from shared.vendor_kit.calm.urgency import Hurry, Urgency, hurrying
from shared.vendor_kit.leases import COLLECTION, DocumentLeases
from shared.vendor_kit.turns import LONGEST_RUN, PATIENCE, TurnNotCome, Turns
from shared.vendor_kit.visits import turn_at, visiting
from tests.unit.shared.vendor_kit.calm.instances import among_instances

TENANT, GATEWAY, TURN = TenantId("tnt_silk"), "gateway:ttlock:501", 2.0


class House:
    """A gateway, and who used it, in order."""

    def __init__(self, instances):
        self.instances, self.order, self.tasks = instances, [], []

    def process(self):
        """Return the turns of a new process."""
        store, clock, entropy = self.instances.hire()
        return Turns(DocumentLeases(store, clock), TENANT, clock, entropy)

    def want(self, turns, name, urgency=Urgency.ISSUE, arrives=None, seconds=TURN):
        """Begin to want a turn."""
        self.tasks.append(asyncio.ensure_future(self.use(turns, name, urgency, arrives, seconds)))
        return self.tasks[-1]

    async def use(self, turns, name, urgency=Urgency.ISSUE, arrives=None, seconds=TURN):
        """Want a turn until it comes, and return how long that took."""
        began, now = _now(), self.instances.clock.now()
        with hurrying(Hurry(arrives=None if arrives is None else now + arrives)):
            while True:
                try:
                    async with turns.take(GATEWAY, name, urgency):
                        waited = _now() - began
                        self.order.append(name)
                        await asyncio.sleep(seconds)
                        return waited
                except TurnNotCome as told:
                    await asyncio.sleep(max(1, told.after_seconds))

    async def end(self):
        """Let everybody who is still there go."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


def _now():
    return asyncio.get_running_loop().time()


FAR = timedelta(days=30)
SPREADS = {"one process": 1, "four processes": 4}


@pytest.mark.parametrize("processes", SPREADS.values(), ids=SPREADS)
@pytest.mark.parametrize(
    ("urgency", "arrives"),
    [(Urgency.REVOKE, None), (Urgency.ISSUE, timedelta(0))],
    ids=["a revocation", "a guest at the door"],
)
def test_behind_sixty_keys_the_urgent_waits_at_most_one_turn(tmp_path, processes, urgency, arrives):
    async def scenario(instances):
        house = House(instances)
        everybody = [house.process() for _ in range(processes)]
        for number in range(60):
            house.want(everybody[number % processes], f"key {number}", arrives=FAR)
        waits = []
        for number in range(4):
            await asyncio.sleep(7.3)
            turns = everybody[number % processes]
            waits.append(await house.use(turns, f"urgent {number}", urgency, arrives))
        await house.end()
        return max(waits)

    # Another process looks each half second, and the store takes its time.
    assert among_instances(tmp_path, scenario) <= TURN + 0.9


def test_keys_go_by_their_guests_arrivals_in_whatever_process(tmp_path):
    async def scenario(instances):
        house = House(instances)
        first, second = house.process(), house.process()
        house.want(first, "now", seconds=LONGEST_RUN)
        await asyncio.sleep(0.5)
        house.want(second, "in 2 days", arrives=timedelta(days=2), seconds=LONGEST_RUN)
        house.want(first, "in 3 days", arrives=timedelta(days=3))
        house.want(first, "in 1 day", arrives=timedelta(days=1), seconds=LONGEST_RUN)
        await asyncio.gather(*house.tasks)
        return house.order

    assert among_instances(tmp_path, scenario) == ["now", "in 1 day", "in 2 days", "in 3 days"]


def test_the_far_ones_come_to_their_turn_though_others_come_all_the_time(tmp_path):
    async def scenario(instances):
        house = House(instances)
        turns = house.process()
        far = house.want(turns, "far", arrives=FAR)

        async def sooner(number):
            while True:
                await house.use(turns, f"sooner {number}", arrives=timedelta(days=1))

        house.tasks += [asyncio.ensure_future(sooner(number)) for number in range(3)]
        waited = await far
        await house.end()
        return waited

    assert 600 <= among_instances(tmp_path, scenario) <= 720


def test_240_guests_in_house_at_a_gateway_of_three_seconds_all_have_their_turn(tmp_path):
    async def scenario(instances):
        house = House(instances)
        everybody = [house.process() for _ in range(3)]
        for number in range(240):
            house.want(everybody[number % 3], f"key {number}", arrives=timedelta(0), seconds=3.0)
        await asyncio.gather(*house.tasks)
        return len(set(house.order)), _now()

    served, took = among_instances(tmp_path, scenario)
    assert served == 240
    assert took < 240 * 3.0 * 1.15


def test_who_waits_writes_once_and_looks_seldom(tmp_path):
    async def scenario(instances):
        house = House(instances)
        holder, waiting = house.process(), house.process()
        house.want(holder, "long", seconds=20.0)
        await asyncio.sleep(1)
        before = dict(instances.counts)
        await house.use(waiting, "waits")
        return instances.counts["done"] - before["done"], instances.counts["reads"] - before["reads"]

    writes, reads = among_instances(tmp_path, scenario)
    assert (
        writes <= 4
    )  # it stands in line, the other gives its turn back, it takes its own, and gives it back
    assert reads <= 30


def test_a_lone_key_costs_a_read_and_two_writes(tmp_path):
    async def scenario(instances):
        house = House(instances)
        turns = house.process()
        for number in range(3):
            await house.use(turns, f"key {number}")
        return instances.counts["reads"], instances.counts["done"]

    assert among_instances(tmp_path, scenario) == (3, 6)


def test_one_who_died_waiting_costs_the_others_a_moment_and_once(tmp_path):
    async def scenario(instances):
        house = House(instances)
        holder, dead, other = house.process(), house.process(), house.process()
        house.want(holder, "first", seconds=5.0)
        await asyncio.sleep(0.5)
        dying = house.want(dead, "dead", Urgency.REVOKE)
        await asyncio.sleep(1)
        dying.cancel()
        waited = await house.use(other, "second")
        again = await house.use(other, "third")
        return waited, again

    waited, again = among_instances(tmp_path, scenario)
    assert waited < 4 + 3 + 2
    assert again < 1


def test_a_visit_gives_its_turn_to_somebody_more_urgent_between_two_locks(tmp_path):
    async def scenario(instances):
        house = House(instances)
        visitor, other = house.process(), house.process()

        async def visit():
            async with visiting():
                for number in range(10):
                    async with turn_at(visitor, GATEWAY, "visit"):
                        house.order.append(f"lock {number}")
                        await asyncio.sleep(TURN)

        house.tasks.append(asyncio.ensure_future(visit()))
        await asyncio.sleep(3)
        elsewhere = await house.use(other, "revoke elsewhere", Urgency.REVOKE)
        here = await house.use(visitor, "revoke here", Urgency.REVOKE)
        await house.tasks[0]
        return elsewhere, here

    elsewhere, here = among_instances(tmp_path, scenario)
    assert elsewhere <= 2 * TURN + 0.9
    assert here <= TURN + 0.9


def test_who_waits_in_our_own_line_is_told_when_to_come_again(tmp_path):
    async def scenario(instances):
        house = House(instances)
        turns = house.process()
        house.want(turns, "long", seconds=PATIENCE + 10)
        await asyncio.sleep(1)

        async def late():
            with pytest.raises(TurnNotCome) as told:
                async with turns.take(GATEWAY, "late"):
                    pass
            return told.value.after_seconds

        late = asyncio.ensure_future(late())
        await asyncio.sleep(5)
        house.want(turns, "before", arrives=timedelta(0))
        after = await late
        await house.end()
        return after

    assert 0 < among_instances(tmp_path, scenario) <= turns_module.HELD_FOR.total_seconds()


def test_nothing_is_kept_in_memory_of_a_line_that_is_over(tmp_path):
    async def scenario(instances):
        house = House(instances)
        turns = house.process()
        await asyncio.gather(*(house.use(turns, f"key {number}", seconds=0.1) for number in range(20)))
        return len(turns._queues), len(turns._since)

    assert among_instances(tmp_path, scenario) == (0, 0)


def test_a_line_is_written_without_naming_whose_key_waits(tmp_path):
    async def scenario(instances):
        house = House(instances)
        house.want(house.process(), "holder", seconds=10.0)
        await asyncio.sleep(1)
        house.want(house.process(), "secret name")
        await asyncio.sleep(1)
        found = await instances.store.tenant(TENANT).get(Ref(COLLECTION, GATEWAY))
        await house.end()
        return found.data["line"]

    (waiter,) = among_instances(tmp_path, scenario)
    assert set(waiter) == {"who", "urgency", "arrives", "since", "until"}
    assert "secret" not in str(waiter)
