"""A lock is taken out of use once more, after it was mapped anew in between."""

from dataclasses import replace

import pytest

from shared.domain.documents import to_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import UserId
from shared.ledger.device_record import DeviceRecord, device_record_from
from shared.ledger.ledger import Change
from shared.ledger.premises import change_hotel
from shared.ports.documents import Create, Ref
from shared.usecases.devices.out_of_use import TakeOutOfUse, take_out_of_use
from tests.unit.shared.ledger.ledgering import KABUL, MOCK, SILK
from tests.unit.shared.usecases.hotel import ROOMS, door, move_in

LOCK = door(1, ROOMS[:1], "pin")
ORDER = TakeOutOfUse(SILK, LOCK.id, UserId("usr_7"), "it was stolen")


@pytest.fixture
async def mapped_anew(books):
    """A lock that was out of use, whose account changed since, and that hangs at its door again."""
    await move_in(books, LOCK)
    record = DeviceRecord(
        id=LOCK.id,
        tenant=SILK,
        property_id=KABUL,
        vendor=MOCK,
        vendor_device="1",
        registered_at=books.clock.now(),
    )
    await books.documents.commit([record.write()])
    await take_out_of_use(ORDER, books.services)
    record = await _record(books)
    changed = replace(record, out_of_use=replace(record.out_of_use, rotated_at=books.clock.now()))
    await books.documents.commit([changed.write()])
    await change_hotel(books.documents, KABUL, [Create(Ref("devices", LOCK.id), to_document(LOCK))])
    books.clock.advance(days=3)
    return books


async def _record(books):
    return device_record_from(await books.documents.get(Ref("device_health", LOCK.id)))


async def test_lock_mapped_anew_does_not_leave_its_hotel_while_a_guest_has_a_key_there(mapped_anew):
    entry, facts = mapped_anew.requested()
    await mapped_anew.ledger.save(Change(entry, facts, (mapped_anew.kept(entry, LOCK.id),)))
    with pytest.raises(InvalidInput, match="still count"):
        await take_out_of_use(ORDER, mapped_anew.services)
    assert await mapped_anew.documents.get(Ref("devices", LOCK.id)) is not None


async def test_lock_mapped_anew_must_have_its_account_changed_once_more(mapped_anew):
    first = await take_out_of_use(ORDER, mapped_anew.services)
    said = (await _record(mapped_anew)).out_of_use
    assert (said.at, said.rotated_at) == (mapped_anew.clock.now(), None)
    mapped_anew.clock.advance(hours=1)
    assert await take_out_of_use(ORDER, mapped_anew.services) == first
