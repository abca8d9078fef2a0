"""Cards by way of a lock system that takes FIAS records: one for each order, whatever the line loses."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from edge_agent.hardware.errors import DeviceRefused, LinkLost, NoAnswer, OutcomeUnknown
from edge_agent.hardware.property_systems.card_system import CardOrder, FiasSystem
from edge_agent.hardware.property_systems.fias_orders_line import FiasOrders, FiasPatience
from edge_agent.hardware.serial_link import open_serial
from edge_agent.hardware.tcp_link import open_tcp
from infra.simulators.property_systems.fias_locks import FiasLocks
from infra.simulators.wires.pty_port import PtyPort
from infra.simulators.wires.tcp_port import TcpPort
from tests.edge.wires import DirectLink

NOON = datetime(2026, 11, 19, 12, tzinfo=UTC)
CLOCK = SimpleNamespace(now=lambda: NOON)
QUICK = FiasPatience(acknowledged=0.05, linked=0.05, answered=0.05)
STARTS, ENDS = datetime.fromisoformat("2026-11-19T15:00"), datetime.fromisoformat("2026-11-21T11:30")
ORDER = CardOrder(("101",), STARTS, ENDS, "rsv_1", joins=False)
SERIAL = pytest.mark.parametrize("serial", [False, True])


def system_at(locks, serial=False, now=NOON, clock=None, **wire):
    """Return the system at the end of a line in this process, and its lines."""
    links, clock = [], clock or SimpleNamespace(now=lambda: now)

    async def connect():
        locks.greeting()
        links.append(DirectLink(locks, **wire))
        return links[-1]

    system = FiasSystem(connect, "1", clock, serial=serial)
    system._orders = FiasOrders(connect, clock, serial=serial, patience=QUICK)
    return system, links


@SERIAL
@pytest.mark.parametrize("piece", [None, 1])
async def test_new_guests_card_ends_the_one_before_and_a_copy_does_not(serial, piece):
    locks = FiasLocks(serial)
    system, links = system_at(locks, serial, piece=piece)
    await system.make(ORDER)
    await system.make(CardOrder(("101", "102"), STARTS, ENDS, "rsv_2", joins=False))
    await system.make(CardOrder(("101", "102"), STARTS, ENDS, "rsv_3", joins=True))
    assert [(card.rooms, card.joins, card.void) for card in locks.cards] == [
        (("101",), False, True),
        (("101", "102"), False, False),
        (("101", "102"), True, False),
    ]
    assert locks.cards[0].ends == ("261121", "11:30")
    assert locks.heard[:4] == ["LS", "LA", "KR", "LE"]
    assert all(link.lost for link in links)


@pytest.mark.parametrize(
    ("status", "kind"),
    [("BY", LinkLost), ("RY", NoAnswer), ("NA", NoAnswer), ("UR", DeviceRefused), ("DN", DeviceRefused)],
)
async def test_refusal_is_its_own_error_and_is_certain(status, kind):
    locks = FiasLocks()
    locks.faults.plan(status)
    with pytest.raises(kind) as refused:
        await system_at(locks)[0].make(ORDER)
    assert (refused.value.code, isinstance(refused.value, OutcomeUnknown), locks.cards) == (status, False, [])


@SERIAL
@pytest.mark.parametrize(("fault", "made"), [("silent", 0), ("stranger", 1)])
async def test_without_an_answer_of_ours_nobody_knows(serial, fault, made):
    locks = FiasLocks(serial)
    locks.faults.plan(fault)
    with pytest.raises(OutcomeUnknown):
        await system_at(locks, serial)[0].make(ORDER)
    assert (locks.heard.count("KR"), len(locks.cards)) == (1, made)


@SERIAL
@pytest.mark.parametrize("restarted", [False, True])
async def test_late_answer_is_not_taken_for_that_to_the_next_order_of_the_same_stay(serial, restarted):
    locks = FiasLocks(serial)
    locks.faults.plan("late", "UR")
    system, _ = system_at(locks, serial)
    with pytest.raises(OutcomeUnknown):
        await system.make(ORDER)
    if restarted:
        system, _ = system_at(locks, serial, now=NOON + timedelta(seconds=5))
    with pytest.raises(DeviceRefused):
        await system.make(ORDER)
    assert len(locks.cards) == 1, "the late one said yes, and of the first order alone"


async def test_an_order_comes_from_the_encoder_s_own_station_once_no_late_answer_is_to_be_feared():
    locks, clock = FiasLocks(), SimpleNamespace(now=lambda: NOON)
    system, _ = system_at(locks, clock=clock)
    await system.make(ORDER)
    clock.now = lambda: NOON + timedelta(hours=1)
    await system.make(ORDER)
    marked, plain = locks.stations
    assert (plain, marked[:1], len(marked)) == ("1", "1", 5)


@pytest.mark.parametrize(("fault", "sent"), [("lost_ack", 1), ("nak", 1)])
async def test_order_on_a_serial_line_is_carried_out_once(fault, sent):
    locks = FiasLocks(serial=True)
    locks.faults.plan(fault)
    await system_at(locks, serial=True)[0].make(ORDER)
    assert (locks.heard.count("KR"), len(locks.cards)) == (sent, 1)


async def test_system_that_makes_no_keys_or_never_links_is_asked_for_none():
    for locks in (FiasLocks(makes_keys=False), FiasLocks(serial=True)):
        with pytest.raises(NoAnswer) as refused:
            await system_at(locks, serial=False)[0].make(ORDER)
        assert (isinstance(refused.value, OutcomeUnknown), locks.cards) == (False, [])


async def test_card_is_made_over_a_connection_and_over_a_serial_line():
    locks, old = FiasLocks(), FiasLocks(serial=True)
    async with TcpPort(locks) as line:
        system = FiasSystem(lambda: open_tcp("127.0.0.1", line.port), "1", CLOCK, serial=False)
        assert await system.there()
        await system.make(ORDER)
        locks.faults.plan("lost_answer")
        with pytest.raises(OutcomeUnknown):
            await system.make(ORDER)
    with PtyPort(old, piece=3) as line:
        await FiasSystem(lambda: open_serial(line.path), "1", CLOCK, serial=True).make(ORDER)
    assert (len(locks.cards), len(locks.good), len(old.cards)) == (2, 1, 1)


async def test_system_that_cannot_be_reached_is_asked_nothing():
    async def nobody():
        raise LinkLost("nobody answers")

    system = FiasSystem(nobody, "1", CLOCK, serial=False)
    assert not await system.there()
    with pytest.raises(LinkLost) as refused:
        await system.make(ORDER)
    assert not isinstance(refused.value, OutcomeUnknown)
