"""One circuit for all instances: changed by one, heeded by all, told once, wherever somebody dies."""

import asyncio
import contextlib
from datetime import timedelta
from itertools import count

import orjson
import pytest

from infra.local.ambient import SeededEntropy
from shared.kernel.ids import DrawnIds
from shared.ports.documents import Ref
from shared.streams.telling import EventMissing
from shared.vendor_kit.breaker import BreakerPolicy, CircuitOpen
from shared.vendor_kit.calm.blocks import PLATFORM
from shared.vendor_kit.calm.circuit import COLLECTION, READ_EVERY, Circuit, SharedCircuit
from shared.vendor_kit.calm.health_stream import HealthStream, tell_health
from shared.vendor_kit.indexes import DUE_BREAKERS
from tests.unit.shared.vendor_kit.calm.instances import StoreAway, among_instances

NAME = "ttlock:0123456789abcdef"
POLICY = BreakerPolicy(fewest=4)
REST, SUBJECT = POLICY.rest.total_seconds(), "melmastoon.lock.vendor_adapter.health_changed.v1"
SKEW = timedelta(seconds=10)


class Died(BaseException):
    """The process is gone."""


class Bus:
    """What was published, in order."""

    def __init__(self):
        self.heard, self.away = [], False

    async def publish(self, topic, messages):
        await asyncio.sleep(0.01)
        if self.away:
            raise StoreAway("the bus is away")
        assert topic == SUBJECT
        self.heard += messages
        return tuple("id" for _ in messages)

    @property
    def events(self):
        """Each event once, by its id, in the order of sequences."""
        told = {orjson.loads(each.data)["id"]: each for each in self.heard}
        return [
            orjson.loads(each.data)
            for each in sorted(told.values(), key=lambda it: int(it.attributes["sequence"]))
        ]

    @property
    def changes(self):
        return [(event["data"]["from"], event["data"]["to"]) for event in self.events]


class Fleet:
    """Instances with a circuit each."""

    def __init__(self, instances):
        self.instances, self.bus, self.now, self.numbers = instances, Bus(), instances.clock.now, count(1)

    def hire(self, wrap=lambda store: store):
        """Return a new instance's circuit."""
        store, clock, _ = self.instances.hire()
        documents = wrap(store).tenant(PLATFORM)
        ids = DrawnIds(clock.now, SeededEntropy(next(self.numbers)).token)
        stream = HealthStream(NAME, "production", documents, self.bus, ids)
        alone = Circuit(NAME, POLICY, clock, lambda *_: None)
        circuit = SharedCircuit(alone, documents, stream, self.instances.log)
        circuit.store = store
        return circuit

    async def sweep(self):
        """Do what the sweeper does for each breaker that is due."""
        until, told = int(self.instances.clock.now().timestamp() * 1000), 0
        for tenant, name in await self.instances.store.sweep(DUE_BREAKERS, {}, until=until):
            with contextlib.suppress(StoreAway, EventMissing):
                told += await tell_health(name, self.instances.store.tenant(tenant), self.bus)
        return told


async def call(circuit, *, fails=False):
    """Make a call through a circuit, as guards do."""
    await circuit.look()
    circuit.check()
    await circuit.enter()
    await circuit.note(circuit.opened, failed=fails)


async def trip(circuit):
    for _ in range(4):
        with contextlib.suppress(CircuitOpen):
            await call(circuit, fails=True)


def test_one_instance_finds_out_and_the_others_heed_it_within_seconds(tmp_path):
    async def scenario(instances):
        fleet = Fleet(instances)
        first, others = fleet.hire(), [fleet.hire() for _ in range(10)]
        for each in others:
            await call(each)
        await trip(first)
        await asyncio.sleep(READ_EVERY.total_seconds())
        refused = await asyncio.gather(*(call(each) for each in others), return_exceptions=True)
        return [type(each) for each in refused], fleet.bus.changes

    refused, changes = among_instances(tmp_path, scenario, apart=SKEW)
    assert refused == [CircuitOpen] * 10
    assert changes == [("closed", "open")]


def test_of_many_who_find_out_at_once_one_tells_it(tmp_path):
    async def scenario(instances):
        fleet = Fleet(instances)
        everybody = [fleet.hire() for _ in range(20)]
        await asyncio.gather(*map(trip, everybody))
        await fleet.sweep()
        return fleet.bus.changes, len(fleet.bus.heard)

    assert among_instances(tmp_path, scenario, apart=SKEW)[0] == [("closed", "open")]


def test_after_its_rest_one_instance_probes_and_all_go_on(tmp_path):
    async def scenario(instances):
        fleet = Fleet(instances)
        everybody, probes = [fleet.hire() for _ in range(10)], []
        await asyncio.gather(*map(trip, everybody))

        async def works(circuit):
            for _ in range(100):
                with contextlib.suppress(CircuitOpen):
                    await circuit.look()
                    circuit.check()
                    state = circuit.breaker.state
                    await circuit.enter()
                    probes.append(state)
                    await asyncio.sleep(1)
                    await circuit.note(circuit.opened, failed=False)
                await asyncio.sleep(0.7)

        await asyncio.gather(*map(works, everybody))
        return fleet.bus.changes, sum(state != "closed" for state in probes), len(probes)

    changes, probes, calls = among_instances(tmp_path, scenario, apart=SKEW)
    assert changes == [("closed", "open"), ("open", "half_open"), ("half_open", "closed")]
    assert probes == 1
    assert calls > 100


def test_a_probe_that_fails_opens_it_again_and_one_that_dies_is_followed_by_another(tmp_path):
    async def scenario(instances):
        fleet = Fleet(instances)
        first, second = fleet.hire(), fleet.hire()
        await trip(first)
        await asyncio.sleep(REST + 1)
        await call(first, fails=True)
        await asyncio.sleep(REST + 1)
        await first.enter()  # and dies
        await second.look()
        with pytest.raises(CircuitOpen):
            second.check()
        await asyncio.sleep(REST + READ_EVERY.total_seconds() + 1)
        await call(second)
        return fleet.bus.changes

    assert among_instances(tmp_path, scenario) == [
        ("closed", "open"),
        ("open", "half_open"),
        ("half_open", "open"),
        ("open", "half_open"),
        ("half_open", "closed"),
    ]


class Deadly:
    """A store, or a bus, at which a process dies at its so-manieth word: before it is heard, or after."""

    def __init__(self, inner, left, after):
        self.inner, self.left, self.after, self.tenant_id = inner, left, after, None

    def tenant(self, tenant):
        deadly, documents = self, self.inner.tenant(tenant)

        class Documents:
            tenant = documents.tenant

            async def get(self, ref):
                return await deadly.word(documents.get(ref))

            async def commit(self, writes):
                return await deadly.word(documents.commit(writes))

        return Documents()

    async def word(self, asked):
        self.left -= 1
        if self.left == 0 and not self.after:
            asked.close()
            raise Died
        answer = await asked
        if self.left == 0:
            raise Died
        return answer


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("word", range(1, 9))
def test_wherever_a_process_dies_each_change_is_told_once(tmp_path, word, after):
    async def scenario(instances):
        fleet = Fleet(instances)
        dying = fleet.hire(lambda store: Deadly(store, word, after))
        with contextlib.suppress(Died):
            await trip(dying)
        await fleet.sweep()
        await trip(fleet.hire())
        await fleet.sweep()
        kept = await instances.store.tenant(PLATFORM).get(Ref(COLLECTION, NAME))
        return fleet.bus.changes, len({orjson.loads(each.data)["id"] for each in fleet.bus.heard}), kept.data

    changes, ids, kept = among_instances(tmp_path, scenario)
    assert (changes, ids) == ([("closed", "open")], 1)
    assert (kept["announced"], kept["sequence"], "due_at" in kept) == (1, 1, False)


def test_a_change_that_could_not_be_published_is_told_by_the_sweeper(tmp_path):
    async def scenario(instances):
        fleet = Fleet(instances)
        fleet.bus.away = True
        await trip(fleet.hire())
        assert await fleet.sweep() == 0
        fleet.bus.away = False
        return await fleet.sweep(), await fleet.sweep(), fleet.bus.changes

    assert among_instances(tmp_path, scenario) == (1, 0, [("closed", "open")])


def test_while_the_store_is_away_each_instance_goes_by_its_own_calls(tmp_path):
    async def scenario(instances):
        fleet = Fleet(instances)
        alone, other = fleet.hire(), fleet.hire()
        alone.store.away = True
        await trip(alone)
        with pytest.raises(CircuitOpen):
            await call(alone)
        await call(other)
        alone.store.away = False
        await asyncio.sleep(REST + 1)
        await call(alone)
        return alone.breaker.state

    assert among_instances(tmp_path, scenario) == "closed"


def test_a_circuit_that_everybody_left_open_is_probed_by_whoever_comes_first(tmp_path):
    async def scenario(instances):
        fleet = Fleet(instances)
        await trip(fleet.hire())
        await asyncio.sleep(8 * 3600)
        await call(fleet.hire())
        return fleet.bus.changes[-1]

    assert among_instances(tmp_path, scenario, apart=SKEW) == ("half_open", "closed")


def test_a_change_is_told_as_the_specification_says(tmp_path):
    async def scenario(instances):
        fleet = Fleet(instances)
        await trip(fleet.hire())
        return fleet.bus.events[0]

    event = among_instances(tmp_path, scenario)
    data = event["data"]
    assert (event["tenantId"], data["vendor"], data["environment"]) == (PLATFORM, "ttlock", "production")
    assert (data["from"], data["to"], data["reason"]) == ("closed", "open", "error_rate_threshold")
    assert data["metric"] == {"errorRatePct": 100.0, "windowSize": 4}
    assert data["vendorAdapterId"].startswith("vad_")
    assert NAME.partition(":")[2] not in str(event)


def test_a_circuit_is_read_every_few_seconds_and_no_more(tmp_path):
    async def scenario(instances):
        circuit = Fleet(instances).hire()
        for _ in range(100):
            await call(circuit)
            await asyncio.sleep(0.1)
        return instances.counts.get("reads", 0)

    assert among_instances(tmp_path, scenario) <= 3


class TellsLater(SharedCircuit):
    """The planted bug: the state in one commit, and its event in the next."""

    async def _written(self, breaker, change):
        row, self._stream.row = self._stream.row, lambda kept, change: None
        inner = self._documents
        held = []

        class InTwo:
            tenant, get = inner.tenant, inner.get

            async def commit(self, writes):
                state, *_ = writes
                held.append(await inner.commit([state]))
                return held[-1]

        self._documents = InTwo()
        try:
            written = await super()._written(breaker, change)
        finally:
            self._documents, self._stream.row = inner, row
        if written and change is not None:
            await inner.commit([row(self._found.data, change)])
        return written


def test_a_change_whose_event_is_saved_after_it_is_caught(tmp_path, monkeypatch):
    async def scenario(instances):
        fleet = Fleet(instances)
        monkeypatch.setitem(globals(), "SharedCircuit", TellsLater)
        dying = fleet.hire(lambda store: Deadly(store, 2, after=True))
        with contextlib.suppress(Died):
            await trip(dying)
        monkeypatch.undo()
        await fleet.sweep()
        return fleet.bus.changes

    assert among_instances(tmp_path, scenario) == []


def test_circuits_that_each_process_has_for_itself_are_caught(tmp_path):
    async def scenario(instances):
        fleet = Fleet(instances)
        alone = [Circuit(NAME, POLICY, fleet.hire().clock, lambda *_: None) for _ in range(2)]
        await trip(alone[0])
        await asyncio.sleep(READ_EVERY.total_seconds())
        await call(alone[1])
        return alone[1].breaker.state

    assert among_instances(tmp_path, scenario) == "closed"
