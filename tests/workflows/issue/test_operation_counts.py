"""What one key costs, counted by the embedded cloud: each operation stands beside what it buys."""

import asyncio
import sys
from collections import Counter
from contextvars import ContextVar

import pytest

from infra.local.counters import BY
from infra.local.documents.tenant import SqliteTenantDocuments
from infra.local.host.app import Host
from infra.local.sagas.history import history
from infra.manifest.load import ROOT
from shared.kernel.remembered import Remembered
from shared.runtime.platform import deployed
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.guard import GuardPolicy
from tests.support import large_hotel
from tests.support.sample_hotel import play
from tests.support.shifts import begun

BUYS = {
    "document_writes": {
        "reservations": "the stay, which is the claim",
        "credentials": "the key: requested, pending, active, and that all is told",
        "outbox": "the events: requested, pending, issued",
        "key_secrets": "the sealed PIN, and the vendor's references",
        "grants": "what each lock was to have, and has",
        "leases": "the turn at each gateway, taken and given back",
        "rates": "a block of calls within the vendor's limit",
    },
    "document_reads": {
        "reservations": "that the stay is new",
        "credentials": "the key, as the adapter takes it up",
        "leases": "that the gateway is free",
        "grants": "that nobody else has the room then, or the PIN",
        "breakers": "whether another process found the vendor broken, every five seconds at most",
    },
    "function_calls": {
        "on-booking-confirmed": "the booking becomes a key that is requested",
        "adapter-ttlock": "the attempt",
    },
    "billable_steps": {
        "begin": "whose work it is",
        "attempt": "the adapter's call",
        "made_what": "what came of it",
    },
}
MOST = {"document_writes": 14, "document_reads": 6, "function_calls": 2, "billable_steps": 4}
COST_TOLD = (
    "{document_writes} document writes, {document_reads} reads, {function_calls} function calls "
    "and {billable_steps} billable workflow steps"
)
"""How the README tells it."""
OWN_PATH = ("on-booking-confirmed", "adapter-ttlock")
"""The functions that a key waits for; what else hears of its booking is counted apart."""
MOST_BESIDE = 2
"""Reads, writes or calls of one function that hears of a booking and keeps no key waiting."""
MOST_FSYNCS, MOST_FSYNCS_AMONG_MANY, IN_FLIGHT = 12, 1.8, 32
"""That a key is issued has a subscriber: its delivery is kept too, after the key is there."""
FIRST_ROOM = 300
VARIABLES = {"begin": 1}
"""Every variable of an assignment is billed."""
COLD_READS = {
    "on-booking-confirmed": {
        "tenant": "whose hotel it is, and that it is of this cell",
        "premises": "the property, all its locks and the policy",
        "reservations": "that the stay is new",
        "grants": "that nobody else has the room then",
    },
    "adapter-ttlock": {
        "premises": "as above: another process",
        "credentials": "the key",
        "grants": "that nobody else has the PIN",
        "leases gateway": "that the gateway is free",
        "breakers": "that the vendor is well",
        "rates": "a block of calls within the vendor's limit",
    },
}
OPENING = {
    "vendor_tokens": "the account's token, before its lease and under it",
    "leases token": "that nobody else signs in",
    "tenant": "whether anybody outside hears its events: known for a quarter of a minute",
    "vendor_gateways": "which locks hang at which gateway, before it is learnt and under its version",
}
"""What a process reads once of an account, whatever the hotel and however many keys."""
MOST_OPENING = 6
UNHURRIED = GuardPolicy(limit=Limit(calls=60_000, burst=1000))


@pytest.fixture
def counted(monkeypatch):
    """Count operations by what they are about, beside the embedded cloud, which counts them by their sort."""
    found = {name: Counter() for name in BUYS}
    found["beside"] = Counter()
    applied, get = SqliteTenantDocuments._applied, SqliteTenantDocuments.get
    query, call = SqliteTenantDocuments.query, Host._call

    def note(name, *what):
        function = deployed.get(None)
        if function is None or function.name in OWN_PATH:
            found[name].update(what)
        else:
            found["beside"].update(f"{name} of {function.name}" for _ in what)

    async def _applied(self, writes, keep):
        note("document_writes", *(write.ref.collection for write in writes))
        return await applied(self, writes, keep)

    async def _get(self, ref):
        note("document_reads", ref.collection)
        return await get(self, ref)

    async def _query(self, index, *args, **more):
        rows = await query(self, index, *args, **more)
        note("document_reads", *[index.collection] * max(1, len(rows)))
        return rows

    async def _call(self, hosted, *rest):
        token = deployed.set(hosted.deployed)
        note("function_calls", hosted.deployed.name)
        deployed.reset(token)
        return await call(self, hosted, *rest)

    for of, name, method in (
        (SqliteTenantDocuments, "_applied", _applied),
        (SqliteTenantDocuments, "get", _get),
        (SqliteTenantDocuments, "query", _query),
        (Host, "_call", _call),
    ):
        monkeypatch.setattr(of, name, method)
    return found


async def _second_key(house, room, counted):
    """Return what a second key costs: the first warmed up what is remembered, also of this room's gateway."""
    await house.publish("evt_1", rooms=["rmu_101", room], validFrom="2026-03-03T12:00:00Z")
    await house.settled()
    for each in counted.values():
        each.clear()
    before = _spent(house)
    before_it = {"validUntil": "2026-03-03T07:30:00Z"}  # another has the room, at another time
    await house.publish("evt_2", reservationId="rsv_2", rooms=[room], **before_it)
    await house.settled()
    cost = {name: spent - before[name] for name, spent in _spent(house).items()}
    second = max((await house.documents("credentials")).items())[1]
    assert second["credential"]["state"]["type"] == "active"
    _, happened = await history(house.fleet.sagas, second["saga"]["execution"])
    steps = Counter(each.what for each in happened if each.kind == "step")
    counted["billable_steps"].update({step: n * VARIABLES.get(step, 1) for step, n in steps.items()})
    return cost


def _spent(house):
    """Return what the functions on the key's own path have spent; those beside it have their own account."""
    counters = house.fleet.counters
    own = {name: sum(counters[BY.format(name, each)] for each in OWN_PATH) for name in BUYS}
    return own | {"billable_steps": counters["billable_steps"]}


@pytest.mark.parametrize(
    ("room", "front_door", "locks", "gateways"),
    [("rmu_102", False, 1, 1), ("rmu_102", True, 2, 1), ("rmu_203", True, 2, 2)],
    ids=["one lock", "two locks", "two locks at two gateways"],
)
def test_a_key_costs_no_more_than_it_may(tmp_path, capsys, counted, room, front_door, locks, gateways):
    async def scenario(house):
        if not front_door:
            await house.unmap("front")
        return await _second_key(house, room, counted)

    cost = play(tmp_path, scenario)
    assert {name: sum(counted[name].values()) for name in BUYS} == cost
    with capsys.disabled():
        sys.stdout.write(f"\none key to {locks} lock(s) at {gateways} gateway(s):\n")
        for name, bought in BUYS.items():
            for about, count in sorted(counted[name].items()):
                sys.stdout.write(f"  {count} of {cost[name]} {name}, {about}: {bought[about]}\n")
        for about, count in sorted(counted["beside"].items()):
            sys.stdout.write(f"  {count} beside it: {about}\n")
    assert {about: count for about, count in counted["beside"].items() if count > MOST_BESIDE} == {}
    allowed = MOST | {"document_writes": MOST["document_writes"] + 2 * (locks - 1) + 2 * (gateways - 1)}
    assert {name: cost[name] for name in allowed if cost[name] > allowed[name]} == {}
    if locks == 1:
        assert COST_TOLD.format(**cost) in " ".join((ROOT / "README.md").read_text().split())


class _EachItsOwn:
    """What is remembered of the hotels, for each function apart."""

    def __init__(self, one, calling):
        self._one, self._calling, self._by = one, calling, {}

    def __getattr__(self, name):
        own = self._by.setdefault(self._calling.get(), Remembered(self._one._now, self._one._kept_for))
        return getattr(own, name)


@pytest.fixture
def read_by(monkeypatch):
    """Return what each function read, each as a process of its own: none remembers what another read."""
    by, calling = {}, ContextVar("calling", default=None)
    get, call, query = SqliteTenantDocuments.get, Host._call, SqliteTenantDocuments.query

    def note(*what):
        by.setdefault(calling.get(), []).append(" ".join(what))

    async def _get(self, ref):
        kind = [ref.id.partition(":")[0]] if ref.collection == "leases" else []
        note(ref.collection, *kind)
        return await get(self, ref)

    async def _query(self, index, *args, **more):
        rows = await query(self, index, *args, **more)
        for _ in range(max(1, len(rows))):
            note(index.collection)
        return rows

    async def _call(self, hosted, *rest):
        hotels = house[0].fleet.platform.hotels
        if not isinstance(hotels._admitted, _EachItsOwn):
            hotels._admitted = _EachItsOwn(hotels._admitted, calling)
            hotels._premises = _EachItsOwn(hotels._premises, calling)
        token = calling.set(hosted.deployed.name)
        try:
            return await call(self, hosted, *rest)
        finally:
            calling.reset(token)

    monkeypatch.setattr(SqliteTenantDocuments, "get", _get)
    monkeypatch.setattr(SqliteTenantDocuments, "query", _query)
    monkeypatch.setattr(Host, "_call", _call)
    house = []
    return by, house


@pytest.mark.parametrize("locks", [1, 100])
def test_a_cold_booking_reads_no_more_at_a_hotel_of_many_locks(tmp_path, capsys, read_by, locks):
    by, houses = read_by

    async def scenario(house):
        houses.append(house)
        by.clear()
        await house.publish("evt_1", rooms=[f"rmu_{FIRST_ROOM}"])
        await house.keys_active(1)

    large_hotel.play(tmp_path, scenario, range(FIRST_ROOM, FIRST_ROOM + locks))
    with capsys.disabled():
        sys.stdout.write(f"\none key, cold, at a hotel of {locks} lock(s) more than the sample's:\n")
        for function, bought in COLD_READS.items():
            for about, count in sorted(Counter(by[function]).items()):
                buys = bought.get(about) or f"once a process: {OPENING[about]}"
                sys.stdout.write(f"  {count} of {len(by[function])} reads of {function}, {about}: {buys}\n")
    for function, bought in COLD_READS.items():
        mine = [each for each in by[function] if each in bought or each not in OPENING]
        assert Counter(mine) == Counter(list(bought))
        assert len(bought) <= MOST["document_reads"]
        assert len(by[function]) - len(mine) <= MOST_OPENING


async def _keys(house, first, count):
    for number in range(first, first + count):
        await house.publish(f"evt_{number}", reservationId=f"rsv_{number}")
        await house.keys_active(number + 1)


def test_a_key_waits_for_the_disk_no_more_often_than_it_may(tmp_path, capsys):
    keys = 8

    async def scenario(house):
        await house.unmap("front")
        await _keys(house, 0, 1)
        before = house.fleet.counters["fsyncs"]
        await _keys(house, 1, keys)
        return (house.fleet.counters["fsyncs"] - before) / keys

    fsyncs = play(tmp_path, scenario, guard_policy=UNHURRIED)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{fsyncs} fsyncs a key with one booking in flight: no step is begun before the last is kept\n"
        )
    assert fsyncs <= MOST_FSYNCS


def test_many_keys_share_their_waits_for_the_disk(tmp_path, capsys):
    async def scenario(house):
        await house.unmap("front")
        await house.refit("101", "mock")
        await house.open_account("mock", b"mock://")
        await _keys(house, 0, 1)
        before = house.fleet.counters["fsyncs"]
        booked = (house.publish(f"evt_{n}", reservationId=f"rsv_{n}") for n in range(1, IN_FLIGHT + 1))
        await asyncio.gather(*booked)
        await house.keys_active(IN_FLIGHT + 1)
        return (house.fleet.counters["fsyncs"] - before) / IN_FLIGHT

    fsyncs = play(tmp_path, scenario)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{fsyncs} fsyncs a key with {IN_FLIGHT} bookings in flight: who waits shares one\n"
        )
    assert fsyncs <= MOST_FSYNCS_AMONG_MANY


MOST_OF_A_CHANGE = {"document_writes": 20, "document_reads": 17, "function_calls": 4, "billable_steps": 5}
MOST_OF_A_SHIFT = {"document_writes": 30, "document_reads": 30, "function_calls": 4, "billable_steps": 5}
"""A key of three locks, a record of its own, and what is remembered of whoever has it."""
OF_A_KEY = ("document_writes", "document_reads", "function_calls", "billable_steps")


async def _cost_of(house, *told):
    """Return what the whole fleet spends on what is told, but for schedules."""
    before = {name: house.fleet.counters[name] for name in OF_A_KEY}
    for event, subject, data in told:
        await house.publish(event, subject, **data)
        await house.settled()
    return {name: house.fleet.counters[name] - before[name] for name in OF_A_KEY}


def test_what_an_extension_a_hold_and_a_shift_cost_is_printed_beside_a_key(tmp_path, capsys):
    later = "2026-03-01T09:30:00Z"
    longer = {"validUntil": "2026-03-06T07:30:00Z", "version": 2, "time": later}
    orders = {
        "a key": ("evt_1", "confirmed", {"version": 1}),
        "an extension": ("evt_2", "dates_changed", longer),
        "a hold": ("evt_3", "fraud_flagged", {"time": later}),
        "a revocation": ("evt_4", "checked_out", {"time": later, "version": 3}),
    }

    async def scenario(house):
        await house.publish("evt_0", reservationId="rsv_0", rooms=["rmu_102"])  # what is read once is read
        await house.settled()
        costs = {name: await _cost_of(house, told) for name, told in orders.items()}
        before = {name: house.fleet.counters[name] for name in OF_A_KEY}
        await begun(house)
        await house.settled()
        return costs | {"a shift": {name: house.fleet.counters[name] - before[name] for name in OF_A_KEY}}

    costs = play(tmp_path, scenario)
    with capsys.disabled():
        for name, cost in costs.items():
            said = ", ".join(f"{count} {what}" for what, count in cost.items())
            sys.stdout.write(f"\n{name}, with all that hears of it: {said}\n")
    for name, cost in costs.items():
        most = MOST_OF_A_SHIFT if name == "a shift" else MOST_OF_A_CHANGE
        dearer = {what: count for what, count in cost.items() if count > most[what]}
        assert not dearer, f"{name} costs more than it may"
