"""What is known of a hotel is remembered for some seconds, forgotten on request, and never made up."""

from dataclasses import replace

import pytest

from shared.domain.documents import to_document
from shared.domain.errors import InvalidInput
from shared.ledger.hotel_directory import KNOWN_FOR, HotelDirectory
from shared.ledger.premises import change_hotel, page_at
from shared.ports.documents import Create, Delete, Ref, Update
from tests.support.few_doors import ROOMS, door, move_in
from tests.support.ledger_books import KABUL, MOCK, SILK, TTLOCK

ONE, TWO = door(1, ROOMS[:1], "pin"), door(2, ROOMS[1:2], "pin", vendor=TTLOCK)


@pytest.fixture
async def hotels(books):
    await move_in(books, ONE)
    return HotelDirectory(books.store, "local", books.clock.now)


async def forget_copy(books):
    """Leave the hotel as the release before the copy left it."""
    found = await books.documents.get(page_at(KABUL))
    await books.documents.commit([Delete(found.ref, found.version)])


async def map_another(books):
    await change_hotel(books.documents, KABUL, [Create(Ref("devices", TWO.id), to_document(TWO))])


async def test_premises_are_the_property_its_locks_and_its_policy(hotels):
    premises = await hotels.premises(SILK, KABUL)
    assert (premises.property.zone, premises.devices) == ("Asia/Kabul", (ONE,))
    assert premises.policy.pin_digits == 6
    assert premises.of_vendor(MOCK) == (ONE,)
    assert premises.of_vendor(TTLOCK) == ()
    assert premises.doors(ROOMS[:2]) == (ONE,)
    assert premises.doors(ROOMS[1:]) == ()


@pytest.mark.parametrize("page", [1, 2, 3, 4, 1000])
async def test_premises_have_every_lock_however_many_there_are(books, monkeypatch, page):
    monkeypatch.setattr("shared.ledger.premises.PAGE", page)
    doors = tuple(door(number, ROOMS[:1], "pin") for number in (3, 1, 2))
    await move_in(books, *doors)
    await forget_copy(books)
    premises = await HotelDirectory(books.store, "local", books.clock.now).premises(SILK, KABUL)
    assert premises.devices == (doors[1], doors[2], doors[0])


async def test_premises_are_read_in_one_read_beside_the_tenant_s_record(books, hotels):
    before = books.engine.counters["document_reads"]
    await hotels.premises(SILK, KABUL)
    assert books.engine.counters["document_reads"] - before == 2


async def test_premises_are_remembered_and_read_anew_after_some_seconds(books, hotels):
    first = await hotels.premises(SILK, KABUL)
    await map_another(books)
    books.clock.advance(seconds=KNOWN_FOR.total_seconds() - 0.001)
    assert await hotels.premises(SILK, KABUL) is first
    books.clock.advance(seconds=0.001)
    assert (await hotels.premises(SILK, KABUL)).devices == (ONE, TWO)


async def test_premises_that_nobody_changed_are_not_taken_apart_again(books, hotels):
    first = await hotels.premises(SILK, KABUL)
    books.clock.advance(seconds=KNOWN_FOR.total_seconds())
    assert await hotels.premises(SILK, KABUL) is first
    await forget_copy(books)
    books.clock.advance(seconds=KNOWN_FOR.total_seconds())
    again = await hotels.premises(SILK, KABUL)
    assert again == first
    assert again is not first


async def test_premises_that_are_forgotten_are_read_anew_at_once(books, hotels):
    await hotels.premises(SILK, KABUL)
    await map_another(books)
    hotels.forget("tnt_gulf")
    assert (await hotels.premises(SILK, KABUL)).devices == (ONE,)
    hotels.forget(SILK)
    assert (await hotels.premises(SILK, KABUL)).devices == (ONE, TWO)


async def test_property_that_is_not_the_tenant_s_is_refused_and_found_once_it_is(books, hotels):
    with pytest.raises(InvalidInput, match="set up the property") as refused:
        await hotels.premises(SILK, "ppt_herat")
    assert refused.value.field == "data.propertyId"
    kabul = await books.documents.get(Ref("properties", KABUL))
    herat = Create(Ref("properties", "ppt_herat"), {**kabul.data, "id": "ppt_herat"})
    await change_hotel(books.documents, "ppt_herat", [herat])
    assert (await hotels.premises(SILK, "ppt_herat")).devices == ()


async def test_tenant_is_admitted_once_and_asked_about_again_after_some_seconds(books, hotels):
    handle = await hotels.admit(SILK)
    record = await books.documents.get(Ref("tenant", "record"))
    moved = {**record.data, "data_residency": "me-central1"}
    await books.documents.commit([Update(record.ref, moved, record.version)])
    assert await hotels.admit(SILK) is handle
    books.clock.advance(seconds=KNOWN_FOR.total_seconds())
    with pytest.raises(InvalidInput, match="another cell"):
        await hotels.admit(SILK)


async def test_tenant_that_is_unknown_is_refused_every_time(hotels):
    for _ in range(2):
        with pytest.raises(InvalidInput, match="onboard"):
            await hotels.admit("tnt_gulf")


async def test_lock_of_another_property_is_not_among_ours(books, hotels):
    elsewhere = replace(TWO, property_id=type(KABUL)("ppt_herat"))
    await change_hotel(books.documents, "ppt_herat", [Create(Ref("devices", TWO.id), to_document(elsewhere))])
    await forget_copy(books)
    assert (await hotels.premises(SILK, KABUL)).devices == (ONE,)
