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
from tests.support.few_doors import ROOMS, door, move_in
from tests.support.ledger_books import KABUL, MOCK, SILK

HERE, THERE = door(1, ROOMS[:1], "pin"), door(2, ROOMS[1:2], "pin")


@pytest.fixture
async def house(books):
    """Two doors, both looked at and neither proven."""
    await move_in(books, HERE, THERE)
    for each in (HERE, THERE):
        looked_at = DeviceRecord(
            id=each.id,
            tenant=SILK,
            property_id=KABUL,
            vendor=MOCK,
            vendor_device=each.vendor_device,
            registered_at=books.clock.now(),
        )
        await books.documents.commit([looked_at.write()])
    return books


async def typed(house, at, challenged, opened=True):
    """Have a challenge's code typed at a lock, and return the attempt."""
    now = house.clock.now()
    attempt = SimpleNamespace(
        challenge=challenged.id, device_id=at.id, opened=opened, at=now, heard_at=now, property_id=KABUL
    )
    await judged(house, attempt, at)
    return attempt


async def judged(house, attempt, at):
    await judge_mapping(attempt, at, house.documents, house.services)


async def record(house, lock):
    return device_record_from(await house.documents.get(Ref("device_health", lock.id)))


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
    house.clock.advance(minutes=5)
    await typed(house, HERE, HERE)
    assert (await house.services.hotels.premises(SILK, KABUL)).quarantined == {THERE.id}
    found = await record(house, HERE)
    assert (found.swapped_at, found.proven_at) == (None, house.clock.now())


async def test_lock_that_is_mapped_with_more_than_its_vendor_knows_of_is_shown(house):
    assert (await map_at(house.documents, KABUL))["incapable"] == []
    less = replace(await record(house, HERE), able=LockCapabilities(card_encoding=True))
    await house.documents.commit([less.write()])
    assert (await map_at(house.documents, KABUL))["incapable"] == [HERE.id]
    assert [each["lacks"] for each in await devices_at(house.documents, KABUL)] == [["pin"], []]


async def test_attempt_that_is_looked_into_late_undoes_nothing_that_was_seen_since(house):
    elsewhere = await typed(house, THERE, HERE)
    house.clock.advance(minutes=5)
    proof = await typed(house, HERE, HERE)
    proven = await record(house, HERE)
    await judged(house, elsewhere, THERE)
    assert await record(house, HERE) == proven
    house.clock.advance(hours=1)
    swapped = replace(proven, swapped_at=house.clock.now(), proven_at=None, proven_as=None)
    await change_hotel(house.documents, KABUL, [swapped.write()])
    await judged(house, proof, HERE)
    assert (await record(house, HERE)).swapped_at == house.clock.now()
