"""The copy of a hotel is never behind what it copies, whoever writes when, and however large the hotel."""

from dataclasses import replace

import pytest

from shared.domain.documents import to_document
from shared.domain.errors import InvalidInput
from shared.ledger import premises as copies
from shared.ledger.device_record import DeviceRecord
from shared.ledger.premises import PREMISES, change_hotel, page_at, premises_of, refresh_policy
from shared.ports.documents import AlreadyExists, Create, Delete, Ref, StaleVersion, StoredUnreadable, Update
from tests.support.few_doors import ROOMS, door, move_in
from tests.support.ledger_books import KABUL, SILK

ONE, TWO, THREE = (door(number, ROOMS[:1], "pin") for number in (1, 2, 3))


def device(lock):
    return Ref("devices", lock.id)


def mapped(lock):
    return Create(device(lock), to_document(lock))


@pytest.fixture
async def store(books):
    await move_in(books, ONE)
    return books.documents


async def locks(store):
    """Return the locks of the copy, which must be those that are kept one by one."""
    copied = (await premises_of(store, KABUL)).devices
    assert {name: (await store.get(Ref("devices", name))).data for name in copied} == copied
    return set(copied)


async def drop_copy(store):
    found = await store.get(page_at(KABUL))
    await store.commit([Delete(found.ref, found.version)])


async def change(store, lock, **fields):
    found = await store.get(device(lock))
    await change_hotel(store, KABUL, [Update(found.ref, {**found.data, **fields}, found.version)])


async def remove(store, lock):
    found = await store.get(device(lock))
    await change_hotel(store, KABUL, [Delete(found.ref, found.version)])


async def test_lock_that_is_added_changed_or_removed_is_so_in_the_copy(store):
    await change_hotel(store, KABUL, [mapped(TWO)])
    assert await locks(store) == {ONE.id, TWO.id}
    await change(store, ONE, label="Suite")
    assert (await premises_of(store, KABUL)).devices[ONE.id]["label"] == "Suite"
    await remove(store, ONE)
    assert await locks(store) == {TWO.id}


async def test_hotel_of_a_release_without_copies_is_read_one_by_one_once(books, store):
    await drop_copy(store)
    assert await locks(store) == {ONE.id}
    before = books.engine.counters["document_reads"]
    await premises_of(store, KABUL)
    assert books.engine.counters["document_reads"] - before == 1


async def test_change_of_a_hotel_without_a_copy_makes_one(store):
    await drop_copy(store)
    await change_hotel(store, KABUL, [mapped(TWO)])
    assert (await store.get(page_at(KABUL))).data["devices"].keys() == {ONE.id, TWO.id}


async def test_lock_that_is_mapped_while_another_process_reads_one_by_one_is_in_its_copy(store, monkeypatch):
    await drop_copy(store)
    read, mapping = copies._one_by_one, [mapped(TWO)]

    async def _one_by_one(*of):
        found = await read(*of)
        if mapping:
            await change_hotel(store, KABUL, [mapping.pop()])
        return found

    monkeypatch.setattr(copies, "_one_by_one", _one_by_one)
    assert await locks(store) == {ONE.id, TWO.id}


async def test_two_who_map_locks_at_once_lose_neither(store, monkeypatch):
    read, mapping = copies._kept, [mapped(TWO)]

    async def _kept(*of):
        found = await read(*of)
        if mapping:
            await change_hotel(store, KABUL, [mapping.pop()])
        return found

    monkeypatch.setattr(copies, "_kept", _kept)
    await change_hotel(store, KABUL, [mapped(THREE)])
    assert await locks(store) == {ONE.id, TWO.id, THREE.id}


async def test_lock_that_somebody_else_changed_is_not_overwritten_nor_is_the_copy(store):
    stale = await store.get(device(ONE))
    await change(store, ONE, label="Suite")
    with pytest.raises(StaleVersion):
        await change_hotel(store, KABUL, [Update(stale.ref, {**stale.data, "label": "Attic"}, stale.version)])
    with pytest.raises(AlreadyExists):
        await change_hotel(store, KABUL, [mapped(ONE)])
    assert (await premises_of(store, KABUL)).devices[ONE.id]["label"] == "Suite"


async def test_lock_does_not_change_its_property_by_the_way(store):
    found = await store.get(device(ONE))
    moved = {**found.data, "property_id": "ppt_herat"}
    for of in (KABUL, "ppt_herat"):
        with pytest.raises(InvalidInput, match="another property"):
            await change_hotel(store, of, [Update(found.ref, moved, found.version)])
    assert await locks(store) == {ONE.id}


@pytest.mark.parametrize("limit", [("MOST_LOCKS", 2), ("MOST_CHARACTERS", 1000)])
async def test_many_locks_lie_on_several_pages_that_come_and_go_together(store, monkeypatch, limit):
    monkeypatch.setattr(copies, *limit)
    more = [door(number, ROOMS[:1], "pin") for number in range(2, 6)]
    await change_hotel(store, KABUL, [mapped(lock) for lock in more])
    assert await locks(store) == {ONE.id, *(lock.id for lock in more)}
    assert (await store.get(page_at(KABUL))).data["pages"] >= 3
    for lock in more:
        await remove(store, lock)
    assert await locks(store) == {ONE.id}
    assert await store.get(page_at(KABUL, 1)) is None


async def test_pages_of_two_editions_are_read_again(store, monkeypatch):
    monkeypatch.setattr(copies, "MOST_LOCKS", 1)
    await change_hotel(store, KABUL, [mapped(TWO)])
    get, renamed = type(store).get, []

    async def _get(self, ref):
        if ref == page_at(KABUL, 1) and not renamed:
            renamed.append(ref)
            await change(store, ONE, label="Suite")
            await change(store, TWO, label="Attic")
        return await get(self, ref)

    monkeypatch.setattr(type(store), "get", _get)
    read = (await premises_of(store, KABUL)).devices
    assert [read[lock.id]["label"] for lock in (ONE, TWO)] == ["Suite", "Attic"]


async def test_property_that_is_gone_stays_gone_though_its_locks_are_there(store):
    found = await store.get(Ref("properties", KABUL))
    await change_hotel(store, KABUL, [Delete(found.ref, found.version)])
    assert (await premises_of(store, KABUL)).hotel is None


async def test_property_that_is_set_up_after_its_locks_has_them_and_its_tenant_s_settings(store):
    elsewhere = replace(TWO, property_id=type(KABUL)("ppt_herat"))
    await change_hotel(store, "ppt_herat", [mapped(elsewhere)])
    await store.commit([Create(Ref("policies", "tenant"), {"settings": {"pinDigits": 7}})])
    kabul = (await store.get(Ref("properties", KABUL))).data
    await change_hotel(
        store, "ppt_herat", [Create(Ref("properties", "ppt_herat"), {**kabul, "id": "ppt_herat"})]
    )
    herat = await premises_of(store, "ppt_herat")
    assert (set(herat.devices), herat.settings) == ({TWO.id}, ({"pinDigits": 7}, {}))


async def test_settings_that_change_nothing_write_nothing(store):
    before = await store.get(page_at(KABUL))
    await refresh_policy(store, KABUL)
    assert await store.get(page_at(KABUL)) == before


async def test_copy_of_another_release_s_form_is_left_alone(store):
    found = await store.get(page_at(KABUL))
    await store.commit([Update(found.ref, {**found.data, "schema_version": 2}, found.version)])
    with pytest.raises(StoredUnreadable, match="schema_version"):
        await change_hotel(store, KABUL, [mapped(TWO)])
    assert found.ref.collection == PREMISES
    assert await store.get(device(TWO)) is None


async def test_quarantine_is_in_the_copy_and_in_one_that_is_made_anew(store, books):
    record = DeviceRecord(
        id=ONE.id,
        tenant=SILK,
        property_id=KABUL,
        vendor=ONE.vendor,
        vendor_device=ONE.vendor_device,
        registered_at=books.clock.now(),
        swapped_at=books.clock.now(),
    )
    (version, *_) = await change_hotel(store, KABUL, [record.write()])
    assert (await premises_of(store, KABUL)).quarantined == {ONE.id}
    await change(store, ONE, label="Suite")
    assert (await premises_of(store, KABUL)).quarantined == {ONE.id}
    await drop_copy(store)
    assert (await premises_of(store, KABUL)).quarantined == {ONE.id}
    proven = replace(record, swapped_at=None, version=version)
    await change_hotel(store, KABUL, [proven.write()])
    assert (await premises_of(store, KABUL)).quarantined == frozenset()
    with pytest.raises(StaleVersion):
        await change_hotel(store, KABUL, [proven.write()])


async def test_what_a_newer_release_copied_beside_ours_stays_whoever_writes_and_goes_with_the_copy(store):
    found = await store.get(page_at(KABUL))
    await store.commit([Update(found.ref, {**found.data, "of_tomorrow": {"a": 1}}, found.version)])
    await change_hotel(store, KABUL, [mapped(TWO)])
    await remove(store, TWO)
    kept = (await store.get(page_at(KABUL))).data
    assert kept == {**found.data, "edition": found.data["edition"] + 2, "of_tomorrow": {"a": 1}}
    await drop_copy(store)
    assert "of_tomorrow" not in {**(await premises_of(store, KABUL)).strays}
