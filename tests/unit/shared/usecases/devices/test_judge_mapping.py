"""A challenge was typed: what it proves, for which door, and what it shows of two locks."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from shared.domain.capabilities import LockCapabilities
from shared.domain.documents import to_document
from shared.ledger.device_record import DeviceRecord, device_record_from
from shared.ledger.premises import change_hotel
from shared.ports.documents import Ref, Update
from shared.queries.devices import devices_at, map_at
from shared.usecases.devices.judge_mapping import judge_mapping
from tests.unit.shared.ledger.ledgering import KABUL, MOCK, SILK
from tests.unit.shared.usecases.hotel import ROOMS, door, move_in

HERE, THERE = door(1, ROOMS[:1], "pin"), door(2, ROOMS[1:2], "pin")


@pytest.fixture
async def house(books):
    """Two doors, both looked at and neither proven."""
    await move_in(books, HERE, THERE)
    for each in (HERE, THERE):
        record = DeviceRecord(
            id=each.id,
            tenant=SILK,
            property_id=KABUL,
            vendor=MOCK,
            vendor_device=each.vendor_device,
            registered_at=books.clock.now(),
        )
        await books.documents.commit([record.write()])
    return books


async def typed(house, at, challenged, opened=True):
    """Have a challenge's code typed at a lock."""
    attempt = SimpleNamespace(
        challenge=challenged.id,
        device_id=at.id,
        opened=opened,
        at=house.clock.now(),
        property_id=KABUL,
    )
    await judge_mapping(attempt, at, house.documents, house.services)


async def unproven(house):
    return (await map_at(house.documents, KABUL))["unproven"]


async def test_lock_is_proven_for_the_door_to_which_it_was_mapped_then(house):
    assert await unproven(house) == [HERE.id, THERE.id]
    await typed(house, HERE, HERE)
    assert await unproven(house) == [THERE.id]
    kept = await house.documents.get(Ref("devices", HERE.id))
    moved = replace(HERE, rooms=tuple(ROOMS[2:3]))
    await change_hotel(house.documents, KABUL, [Update(kept.ref, to_document(moved), kept.version)])
    assert await unproven(house) == [HERE.id, THERE.id]


async def test_code_that_did_not_open_its_own_lock_proves_nothing(house):
    await typed(house, HERE, HERE, opened=False)
    assert await unproven(house) == [HERE.id, THERE.id]


@pytest.mark.parametrize("opened", [True, False])
async def test_code_typed_at_another_lock_quarantines_both_until_each_is_proven(house, opened):
    await typed(house, THERE, HERE, opened)
    quarantined = (await house.services.hotels.premises(SILK, KABUL)).quarantined
    assert quarantined == {HERE.id, THERE.id}
    await typed(house, THERE, HERE, opened)
    (alert,) = [line for line in house.lines if line["severity"] == "ALERT"]
    assert alert["deviceId"] == HERE.id
    await typed(house, HERE, HERE)
    assert (await house.services.hotels.premises(SILK, KABUL)).quarantined == {THERE.id}
    found = device_record_from(await house.documents.get(Ref("device_health", HERE.id)))
    assert (found.swapped_at, found.proven_at) == (None, house.clock.now())


async def test_lock_that_is_mapped_with_more_than_its_vendor_knows_of_is_shown(house):
    assert (await map_at(house.documents, KABUL))["incapable"] == []
    found = device_record_from(await house.documents.get(Ref("device_health", HERE.id)))
    less = replace(found, able=LockCapabilities(card_encoding=True))
    await house.documents.commit([less.write()])
    assert (await map_at(house.documents, KABUL))["incapable"] == [HERE.id]
    assert [each["lacks"] for each in await devices_at(house.documents, KABUL)] == [["pin"], []]
