"""Of a hotel with more locks than one question brings back, every room opens."""

import asyncio

from shared.ports.documents import Create, Ref, Update
from tests.support.sample_hotel import SILK, device_at, play


async def _thousand_more(house, front):
    """Give the hotel a thousand rooms more, whose locks are read before those that it has."""
    store = house.fleet.documents.tenant(SILK)
    pattern = (await store.get(Ref("devices", device_at("101")))).data
    numbers = range(1000)
    for first in range(0, 1000, 250):
        writes = []
        for number in numbers[first : first + 250]:
            id_ = f"lck_01A{number:0>23}"
            own = {"id": id_, "vendor_device": str(2_000_000 + number), "rooms": [f"rmu_x{number}"]}
            writes.append(Create(Ref("devices", id_), {**pattern, **own, "label": str(number)}))
        await house.rebuild(writes)
    if front:
        id_ = f"lck_01Z{0:0>23}"
        rooms = {"rooms": ["rmu_101", "rmu_x0"], "label": "Tower door"}
        own = {"id": id_, "vendor_device": "1000204", **rooms}
        writes = [Create(Ref("devices", id_), {**pattern, **own})]
        near = f"lck_01A{0:0>23}"
        found = await store.get(Ref("devices", near))
        writes.append(Update(found.ref, {**found.data, "vendor_device": "1000203"}, found.version))
        await house.rebuild(writes)


def test_a_resort_of_more_than_a_thousand_locks_opens_all_its_rooms(tmp_path):
    async def scenario(house):
        await _thousand_more(house, front=False)
        await house.publish("evt_1")
        await asyncio.sleep(60)
        assert house.quarantined() == []
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]

    play(tmp_path, scenario)


def test_a_shared_door_beyond_the_thousandth_lock_is_not_left_out_in_silence(tmp_path):
    async def scenario(house):
        await _thousand_more(house, front=True)
        await house.publish("evt_1", rooms=["rmu_x0"])
        await asyncio.sleep(60)
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]
        assert len(await house.keys_at("203")) == 1  # the room's own lock
        assert len(await house.keys_at("204")) == 1  # the tower door

    play(tmp_path, scenario)
