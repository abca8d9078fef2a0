"""A lock is taken out of use: once more after it was mapped anew, and as a key is requested for it."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from shared.domain.documents import to_document
from shared.domain.errors import InvalidInput
from shared.domain.grant_lifecycle import ConfirmRemoval, RemovalProof
from shared.domain.ids import UserId
from shared.domain.secret import Secret
from shared.ledger.device_record import DeviceRecord, device_record_from
from shared.ledger.ledger import Change
from shared.ledger.premises import change_hotel
from shared.ledger.sealed_keys import SealedKeys
from shared.ports.documents import Create, Ref
from shared.usecases.devices import out_of_use
from shared.usecases.devices.out_of_use import TakeOutOfUse, take_out_of_use, watch_leaving
from tests.support.few_doors import ROOMS, door, move_in
from tests.support.ledger_books import KABUL, MOCK, SILK

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


@pytest.fixture
def desk(books):
    """The vendor's adapter as far as it compares accounts."""
    binding = SimpleNamespace(account=Secret(b"an account"), property=SimpleNamespace(id=KABUL))
    return SimpleNamespace(binding=binding, secrets=SealedKeys(books.vault.tenant(SILK), books.cipher, MOCK))


async def _look(books, desk):
    await watch_leaving([await _record(books)], desk, books.documents, books.services)
    return [line["because"] for line in books.lines if line["message"].startswith("keys were made")]


async def test_key_that_came_to_a_lock_as_it_left_is_named_and_called_until_it_is_gone(mapped_anew, desk):
    books = mapped_anew
    assert (await take_out_of_use(ORDER, books.services))["keys"] == []
    entry, facts = books.requested()  # by whoever had read the hotel a moment before
    await books.ledger.save(Change(entry, facts, (books.kept(entry, LOCK.id),)))
    assert (await take_out_of_use(ORDER, books.services))["keys"] == [str(entry.id)]
    assert await _look(books, desk) == []  # until all processes know, another may come
    books.clock.advance(minutes=1)
    assert await _look(books, desk) == [str(entry.id)]
    books.clock.advance(hours=6)
    assert await _look(books, desk) == [str(entry.id)]  # once a day
    (kept,) = await books.ledger.grants(entry)
    await books.ledger.save(Change(await books.ledger.entry(entry.id), (), (_gone(kept, books),)))
    books.clock.advance(days=1)
    assert (await _look(books, desk), (await _record(books)).out_of_use.empty_at) == (
        [str(entry.id)],
        books.clock.now(),
    )


def _gone(kept, books):
    never = ConfirmRemoval(at=books.clock.now(), proof=RemovalProof.NEVER_PLACED)
    return kept.withdrawn(books.clock.now()).applied(never)


async def test_what_was_known_of_where_a_lock_hangs_is_over_when_it_leaves(mapped_anew):
    books, now = mapped_anew, mapped_anew.clock.now()
    known = replace(await _record(books), proven_at=now, swapped_at=now, hardware="aa:bb")
    await change_hotel(books.documents, KABUL, [known.write()])
    assert (await books.services.hotels.premises(SILK, KABUL)).quarantined == {LOCK.id}
    await take_out_of_use(ORDER, books.services)
    left = await _record(books)
    assert (left.proven_at, left.swapped_at, left.hardware) == (None, None, None)
    assert (await books.services.hotels.premises(SILK, KABUL)).quarantined == frozenset()


async def test_lock_that_is_looked_at_as_it_leaves_leaves_all_the_same(mapped_anew, monkeypatch):
    looks = []

    async def looked_at_meanwhile(*_):
        if not looks:
            looks.append(await _record(mapped_anew))
            await mapped_anew.documents.commit(
                [replace(looks[0], missing_since=mapped_anew.clock.now()).write()]
            )

    monkeypatch.setattr(out_of_use, "take_back", looked_at_meanwhile)
    await take_out_of_use(ORDER, mapped_anew.services)
    record = await _record(mapped_anew)
    assert (record.out_of_use.at, record.missing_since) == (mapped_anew.clock.now(),) * 2
