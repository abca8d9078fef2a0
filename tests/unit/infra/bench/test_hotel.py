"""The bench's hotel is the same on both sides: the fleet's locks, and those of the simulator."""

from infra.bench.hotel import FIRST_LOCK, MOCK, ROOMS, account, hotel, room, simulated
from tests.support.vendors import TTLOCK


def test_stays_go_round_the_rooms():
    assert len({room(number) for number in range(3 * ROOMS)}) == ROOMS
    assert room(ROOMS) == room(0)


def test_every_room_has_a_lock_of_its_own():
    devices = hotel(MOCK).devices
    assert [device.rooms for device in devices] == [(each.id,) for each in hotel(MOCK).rooms]
    assert {device.vendor for device in devices} == {"mock"}


def test_the_simulator_has_the_same_locks_each_behind_a_gateway_of_its_own():
    plan = simulated()
    assert {str(lock.lock_id) for lock in plan.locks} == {
        each.vendor_device for each in hotel(TTLOCK).devices
    }
    assert [gateway.locks for gateway in plan.gateways] == [(FIRST_LOCK + n,) for n in range(ROOMS)]
    assert all(application.calls_per_minute is None for application in plan.applications)


def test_an_account_leads_to_its_vendor():
    assert account(MOCK, "http://127.0.0.1:9").reveal() == b"mock://?post=http://127.0.0.1:9/v3/key/get"
    assert b'"baseUrl":"http://127.0.0.1:9"' in account(TTLOCK, "http://127.0.0.1:9").reveal()
