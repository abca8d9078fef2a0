"""Visits to a TTLock: over a link in memory, and through bleak and a bluetoothd of our own."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

from edge_agent.hardware.errors import DeviceRefused, LinkLost, NoAnswer
from edge_agent.hardware.radio import LockReading
from edge_agent.hardware.ttlock.ble import open_ble
from edge_agent.hardware.ttlock.commands import (
    LockFull,
    LockKeys,
    LockRefused,
    PasscodeTaken,
)
from edge_agent.hardware.ttlock.door import TtlockDoor, told_to_nobody
from edge_agent.hardware.ttlock.frames import LockVersion
from infra.simulators.ble_locks.ble_lock import BleLock
from infra.simulators.ble_locks.bluez import ADAPTER, FakeBlueZ
from shared.domain.secret import Secret
from tests.edge.installed import private_bus
from tests.edge.wires import DirectLink

KABUL = ZoneInfo("Asia/Kabul")
NOW = datetime(2026, 11, 19, 8, tzinfo=UTC)
STAY = (NOW - timedelta(hours=1), NOW + timedelta(days=2))
KEYS = LockKeys(
    Secret(bytes(range(16))), Secret(bytes.fromhex("26d2fc7b")), Secret(bytes.fromhex("0109fe80")), 0, 7
)
PIN = Secret("482913")


def lock_in_kabul(**rest):
    """Return a lock whose clock shows Kabul's time."""
    return BleLock(now=lambda: NOW.astimezone(KABUL), **rest)


def door_of(lock, keys=KEYS, connect=None, tell=told_to_nobody):
    """Return a door, and the links of its visits."""
    links = []

    async def in_memory():
        lock.greeting()
        links.append(LockLink(lock))
        return links[-1]

    return TtlockDoor(connect or in_memory, keys, SimpleNamespace(now=lambda: NOW), KABUL, tell), links


class LockLink(DirectLink):
    """A link to a lock of the usual version."""

    version = LockVersion()


async def issue(door, **rest):
    """Put a passcode for the stay on a door."""
    return await door.visit(lambda visit: visit.add_passcode(PIN, door.validity(*STAY), **rest), seconds=30)


async def test_passcode_opens_in_its_window_on_the_lock_s_wall_clock():
    lock = lock_in_kabul()
    door, links = door_of(lock)

    await issue(door)

    assert lock.opens("482913", NOW.astimezone(KABUL))
    assert not lock.opens("482913", STAY[1].astimezone(KABUL))
    assert not lock.opens("482913", STAY[0].astimezone(KABUL) - timedelta(minutes=1))
    assert links[0].lost
    assert lock.asked == [0x41, 0x30, 0x34, 0x03]


async def test_add_takes_seven_writes_and_six_notifications_besides_the_clock():
    lock = lock_in_kabul()
    door, links = door_of(lock)
    heard = []
    receive = lock.receive
    lock.receive = lambda data: heard.extend(answers := receive(data)) or answers

    await issue(door)

    # The link of this test is given whole frames; 20 bytes go into a packet.
    without_clock = [sent for n, sent in enumerate(links[0].sent) if n != 2]
    assert sum(-(-len(sent) // 20) for sent in without_clock) == 7
    assert len(heard) - 2 == 6


async def test_passcode_is_taken_away_and_away_stays_away():
    lock = lock_in_kabul()
    door, _ = door_of(lock)
    await issue(door)

    for _ in range(2):
        await door.visit(lambda visit: visit.delete_passcode(PIN))

    assert lock.passcodes == {}


async def test_taken_passcode_is_said_unless_it_is_our_own_of_a_lost_answer():
    lock = lock_in_kabul()
    door, _ = door_of(lock)
    lock.faults.plan("ok", "ok", "ok", "silent")
    with pytest.raises(NoAnswer):
        await door.visit(lambda visit: visit.add_passcode(PIN, door.validity(*STAY)), seconds=0.5)
    lock.passcodes["482913"] = (bytes(5), bytes(5))

    with pytest.raises(PasscodeTaken) as refused:
        await issue(door)
    assert refused.value.kind == "duplicate_pin"
    await issue(door, ours=True)

    assert lock.opens("482913", NOW.astimezone(KABUL))


async def test_full_lock_says_so_for_good():
    door, _ = door_of(lock_in_kabul(room_for=0))

    with pytest.raises(LockFull) as refused:
        await issue(door)
    assert refused.value.permanent


async def test_permanent_passcode_is_added_and_taken_away():
    lock = lock_in_kabul()
    door, _ = door_of(lock)

    await door.visit(lambda visit: visit.add_passcode(PIN, None))
    assert lock.passcodes["482913"][1] == b""
    await door.visit(lambda visit: visit.delete_passcode(PIN, permanent=True))
    assert lock.passcodes == {}


@pytest.mark.parametrize("number", [bytes.fromhex("deadbeef"), bytes.fromhex("04a1b2c3d4e5f6")])
async def test_card_is_added_again_with_other_dates_and_taken_away(number):
    lock = lock_in_kabul()
    door, _ = door_of(lock)
    later = door.validity(STAY[0], STAY[1] + timedelta(days=1))

    await door.visit(lambda visit: visit.add_card(number, door.validity(*STAY)))
    await door.visit(lambda visit: visit.add_card(number, later))

    ((kept, window),) = lock.cards.items()
    assert int.from_bytes(kept, "big") == int.from_bytes(number, "big")
    assert b"".join(window) == bytes(later)
    await door.visit(lambda visit: visit.delete_card(number))
    assert lock.cards == {}


async def test_battery_is_the_lock_s_own():
    door, _ = door_of(lock_in_kabul(battery=41))

    assert await door.visit(lambda visit: visit.battery()) == 41


async def clock_of(door):
    """Return what a visit found of the clock."""

    async def look(visit):
        return visit.clock

    return await door.visit(look)


@pytest.mark.parametrize(
    ("skew", "was_set", "warning"),
    [
        (29, False, None),
        (-29, False, None),
        (31, True, None),
        (-1800, True, "CLOCK_SKEW"),
        (301, True, "CLOCK_SKEW"),
    ],
)
async def test_clock_is_read_on_every_visit_set_when_off_and_told_when_far_off(skew, was_set, warning):
    lock = lock_in_kabul(skew=timedelta(seconds=skew))
    door, _ = door_of(lock)

    finding = await clock_of(door)

    assert (finding.skew, finding.was_set, finding.warning) == (timedelta(seconds=skew), was_set, warning)
    assert abs(lock.skew) <= timedelta(seconds=30)


async def test_half_an_hour_of_skew_issues_nothing_wrong():
    lock = lock_in_kabul(skew=timedelta(minutes=30))
    door, _ = door_of(lock)

    await issue(door)

    end = STAY[1].astimezone(KABUL)
    assert lock.opens("482913", end - timedelta(minutes=1))
    assert not lock.opens("482913", end)


async def test_clock_that_does_not_keep_what_it_is_set_to_issues_nothing():
    lock = lock_in_kabul(skew=timedelta(hours=3), keeps_time=False)
    door, _ = door_of(lock)

    with pytest.raises(DeviceRefused, match="batteries"):
        await issue(door)
    assert lock.passcodes == {}


class Told(list):
    """Takes what visits read."""

    async def __call__(self, reading):
        self.append(reading)


async def test_each_visit_tells_the_battery_of_its_answer_and_the_clock_as_it_was_found():
    lock, told = lock_in_kabul(battery=12, skew=timedelta(minutes=7)), Told()
    door, _ = door_of(lock, tell=told)

    await issue(door)
    await door.remove_pin(Secret("000000"))

    assert told == [
        LockReading(NOW, timedelta(minutes=7), clock_set=True, battery=12),
        LockReading(NOW, timedelta(0), clock_set=False, battery=None),
    ]


@pytest.mark.parametrize("ends", ["lost_answer", "silent", "ok"])
async def test_a_visit_whose_errand_fails_tells_what_it_read_before(ends):
    lock, told = lock_in_kabul(skew=timedelta(seconds=-400)), Told()
    door, _ = door_of(lock, tell=told)
    lock.passcodes["482913"] = (bytes(5), bytes(5))
    lock.faults.plan(*["ok"] * 5, ends)  # admin, proof, and the clock read, set and read

    with pytest.raises((NoAnswer, LinkLost, PasscodeTaken)):
        await door.visit(lambda visit: visit.add_passcode(PIN, door.validity(*STAY)), seconds=0.5)

    assert told == [LockReading(NOW, timedelta(seconds=-400), clock_set=True)]


async def test_a_clock_that_keeps_no_time_is_told_and_a_lock_that_was_not_reached_tells_nothing():
    lock, told = lock_in_kabul(skew=timedelta(hours=3), keeps_time=False), Told()
    door, _ = door_of(lock, tell=told)
    with pytest.raises(DeviceRefused):
        await issue(door)
    lock.faults.plan("silent")
    with pytest.raises(NoAnswer):
        await door.visit(lambda visit: visit.battery(), seconds=0.05)
    assert told == [LockReading(NOW, timedelta(hours=3), clock_set=False)]


@pytest.mark.parametrize("news", ["push", "clear_push"])
async def test_news_of_the_lock_is_not_taken_for_an_answer(news):
    lock = lock_in_kabul()
    door, _ = door_of(lock)
    lock.faults.plan(*[news] * 4)

    await issue(door)

    assert lock.opens("482913", NOW.astimezone(KABUL))


async def test_wrong_keys_are_said_and_nothing_is_written():
    lock = lock_in_kabul()
    for keys, error in (
        (LockKeys(KEYS.aes, Secret(bytes(4)), KEYS.unlock), LockRefused),
        (LockKeys(KEYS.aes, KEYS.admin, Secret(bytes(4))), LockRefused),
        (LockKeys(Secret(b"\x01" * 16), KEYS.admin, KEYS.unlock), (NoAnswer, LockRefused)),
    ):
        door, links = door_of(lock, keys)
        with pytest.raises(error):
            await door.visit(lambda visit: visit.delete_passcode(PIN), seconds=0.2)
        assert links[0].lost
    assert lock.passcodes == {}


@pytest.mark.parametrize("fault", ["silent", "bad_check"])
async def test_one_deadline_bounds_the_visit_and_the_lock_is_let_go(fault):
    lock = lock_in_kabul()
    door, links = door_of(lock)
    lock.faults.plan("ok", fault)

    with pytest.raises(NoAnswer):
        await door.visit(lambda visit: visit.battery(), seconds=0.05)
    assert links[0].lost
    assert await door.visit(lambda visit: visit.battery()) == 87


async def test_visits_take_turns():
    lock = lock_in_kabul()
    door, links = door_of(lock)

    async def errand(visit):
        assert not links[-1].lost
        await asyncio.sleep(0)
        return await visit.battery()

    assert await asyncio.gather(*[door.visit(errand) for _ in range(4)]) == [87] * 4


@pytest.fixture
def bus(tmp_path_factory, monkeypatch):
    """A private D-Bus that bleak takes for the system's."""
    with private_bus(tmp_path_factory.mktemp("bus")) as address:
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
        yield address


@asynccontextmanager
async def on_the_air(bus, interval=0.0, tell=told_to_nobody, **switches):
    """Put a lock on the air and yield it, its door by radio, and the service."""
    lock = lock_in_kabul(scene=4)
    service = FakeBlueZ(bus, [lock], interval)
    for name, value in switches.items():
        setattr(service, name, value)
    async with service:
        yield lock, door_of(lock, connect=lambda: open_ble(lock.mac), tell=tell)[0], service


def connected(service):
    """Say which locks somebody is connected to."""
    return [path for path in service.locks if service.objects[path]["org.bluez.Device1"]["Connected"].value]


async def test_passcode_is_added_and_taken_away_by_radio(bus):
    async with on_the_air(bus) as (lock, door, service):
        await issue(door)
        assert lock.opens("482913", NOW.astimezone(KABUL))
        assert connected(service) == []

        await door.visit(lambda visit: visit.delete_passcode(PIN), seconds=30)

        assert lock.passcodes == {}
        # 41 and its proof, the clock, the passcode: each frame in packets of 20 bytes.
        assert lock.pieces <= 2 * 9
        # The lock told its protocol and its scene by radio, and is spoken to so.
        assert lock.spoken_to == bytes.fromhex("05030400010001")


async def test_battery_and_clock_are_read_by_radio_with_no_packet_more(bus):
    told = Told()
    async with on_the_air(bus, tell=told) as (lock, door, _service):
        lock.battery = 9
        await issue(door)
        assert lock.asked == [0x41, 0x30, 0x34, 0x03]
        lock.skew = timedelta(minutes=11)
        await door.remove_pin(PIN)

    assert told == [
        LockReading(NOW, timedelta(0), clock_set=False, battery=9),
        LockReading(NOW, timedelta(minutes=11), clock_set=True, battery=9),
    ]


@pytest.mark.parametrize("at", range(4))
async def test_connection_that_drops_is_lost_and_the_next_visit_is_whole(bus, at):
    async with on_the_air(bus) as (lock, door, service):
        lock.faults.plan(*["ok"] * at, "drop")

        with pytest.raises((LinkLost, NoAnswer)):
            await issue(door)
        assert connected(service) == []
        await issue(door, ours=True)

        assert lock.opens("482913", NOW.astimezone(KABUL))


@pytest.mark.parametrize("switch", ["resolves", "answers_connect"])
async def test_lock_that_connects_halfway_ends_at_the_deadline_and_is_let_go(bus, switch):
    async with on_the_air(bus, **{switch: False}) as (_, door, service):
        with pytest.raises((NoAnswer, LinkLost)):
            await door.visit(lambda visit: visit.battery(), seconds=1)
        assert connected(service) == []


async def test_lock_out_of_earshot_ends_at_the_deadline(bus):
    async with on_the_air(bus) as (lock, door, service):
        service.locks.clear()
        service.objects.pop(f"{ADAPTER}/dev_{lock.mac.replace(':', '_')}")

        with pytest.raises(NoAnswer):
            await door.visit(lambda visit: visit.battery(), seconds=0.5)


async def test_machine_whose_bluetooth_is_off_says_so(bus):
    async with on_the_air(bus, powered=False) as (_, door, _service):
        with pytest.raises(LinkLost):
            await door.visit(lambda visit: visit.battery(), seconds=30)


async def test_machine_without_bluetooth_says_so(bus):
    door, _ = door_of(None, connect=lambda: open_ble("AA:BB:CC:11:22:33"))

    with pytest.raises(LinkLost):
        await door.visit(lambda visit: visit.battery(), seconds=30)
