"""A changed stay is remembered as it is, in whichever order its news came, and its keys are for that."""

import itertools
from datetime import timedelta
from types import SimpleNamespace

import pytest

from shared.domain.states import Failed
from shared.ledger.course import course_of
from shared.ledger.indexes import LIVE_AT, STAYS_AT, STAYS_OF
from shared.ledger.reservation import Status, ref_of, reservation_from
from shared.ports.documents import Update
from shared.usecases.stays.reactions import react
from tests.support.few_doors import ROOMS, booking, door, move_in
from tests.support.ledger_books import ARRIVAL, DAY, KABUL, NOW

LONGER = ARRIVAL + 5 * DAY


def confirmed(version=1, id_="evt_1", **changes):
    whole = booking(**changes)
    whole.data.version = version
    return SimpleNamespace(**{**vars(whole), **told(id_, "confirmed", version)})


def told(id_, word, version):
    subject = f"melmastoon.reservation.booking.{word}.v1"
    return {"id": id_, "subject": subject, "time": NOW + timedelta(seconds=version), "trace_id": None}


def changed(version=2, id_="evt_2", rooms=None, start=None, end=None):
    data = SimpleNamespace(
        reservation_id="rsv_1", version=version, rooms=rooms, valid_from=start, valid_until=end
    )
    return SimpleNamespace(tenant_id="tnt_silk", data=data, **told(id_, "dates_changed", version))


def cancelled(version=3):
    data = SimpleNamespace(reservation_id="rsv_1", version=version)
    return SimpleNamespace(tenant_id="tnt_silk", data=data, **told("evt_9", "cancelled", version))


@pytest.fixture
async def hotel(books):
    await move_in(books, *(door(number, [room], "pin") for number, room in enumerate(ROOMS, 1)))
    return books


async def record(books):
    return reservation_from(await books.documents.get(ref_of("rsv_1")))


async def living(books):
    found = await record(books)
    keys = [(await books.ledger.entry(each)).credential for each in found.credentials]
    return [key.core for key in keys if not isinstance(key.state, Failed)]


async def test_stay_is_remembered_as_it_was_booked(hotel):
    await react(confirmed(kinds=("pin_code",)), hotel.services)
    stay = (await record(hotel)).stay
    assert (stay.guest_id, stay.property_id, stay.rooms) == ("gst_1", KABUL, tuple(ROOMS[:1]))
    assert (stay.start, stay.end, stay.wished) == (ARRIVAL, ARRIVAL + 3 * DAY, ("pin_code",))


async def test_stays_and_keys_are_found_by_property_and_guest(hotel):
    await react(confirmed(), hotel.services)
    stays = await hotel.documents.query(STAYS_AT, {"property_id": KABUL})
    assert [each.ref.id for each in stays] == ["rsv_1"]
    assert [each.ref.id for each in await hotel.documents.query(STAYS_OF, {"guest_id": "gst_1"})] == ["rsv_1"]
    assert len(await hotel.documents.query(LIVE_AT, {"property_id": KABUL})) == 1
    await react(cancelled(), hotel.services)
    assert await hotel.documents.query(LIVE_AT, {"property_id": KABUL}) == []


async def test_key_is_for_the_changed_stay(hotel):
    await react(confirmed(), hotel.services)
    await react(changed(end=LONGER, rooms=ROOMS[1:2]), hotel.services)
    (core,) = await living(hotel)
    assert (core.window.end, core.rooms) == (LONGER, tuple(ROOMS[1:2]))


NEWS = {
    "confirmed": lambda hotel: react(confirmed(1, "evt_1"), hotel.services),
    "other rooms": lambda hotel: react(changed(2, "evt_2", rooms=ROOMS[1:2]), hotel.services),
    "later end": lambda hotel: react(changed(3, "evt_3", end=LONGER), hotel.services),
}


@pytest.mark.parametrize("order", list(itertools.permutations(NEWS)), ids=", ".join)
async def test_every_order_of_the_news_ends_with_the_same_stay_and_one_key_for_it(hotel, order):
    for word in (*order, *order):
        await NEWS[word](hotel)
    found = await record(hotel)
    assert (found.status, found.stay.rooms, found.stay.end) == (Status.CONFIRMED, tuple(ROOMS[1:2]), LONGER)
    (core,) = await living(hotel)
    assert (core.rooms, core.window.start, core.window.end) == (tuple(ROOMS[1:2]), ARRIVAL, LONGER)
    assert sorted(each.event_id for each in found.heard) == ["evt_1", "evt_2", "evt_3"]


async def test_change_before_any_confirmation_makes_no_key(hotel):
    await react(changed(end=LONGER), hotel.services)
    found = await record(hotel)
    assert (found.status, found.credentials) == (Status.AWAITED, ())
    assert course_of(found).changed.end == LONGER


async def test_stay_that_ended_before_it_was_confirmed_is_not_confirmed_by_its_change(hotel):
    await react(changed(2, end=LONGER), hotel.services)
    await react(cancelled(3), hotel.services)
    await react(confirmed(1), hotel.services)
    found = await record(hotel)
    assert (found.status, found.credentials) == (Status.CANCELLED, ())


async def test_newer_confirmation_has_the_last_word_over_an_older_change(hotel):
    await react(changed(2, end=LONGER), hotel.services)
    await react(confirmed(3), hotel.services)
    found = await record(hotel)
    assert found.stay.end == ARRIVAL + 3 * DAY


async def test_change_of_an_ended_stay_changes_nothing(hotel):
    await react(confirmed(1), hotel.services)
    await react(cancelled(2), hotel.services)
    await react(changed(3, end=LONGER), hotel.services)
    assert (await record(hotel)).status is Status.CANCELLED
    assert await living(hotel) == []


async def test_stay_of_a_record_that_an_earlier_release_wrote_is_known_by_its_keys(hotel):
    await react(confirmed(), hotel.services)
    found = await hotel.documents.get(ref_of("rsv_1"))
    forgotten = {
        name: value
        for name, value in found.data.items()
        if name not in ("stay", "holds", "planned", "by_order", "guest_id", "arrives")
    }
    await hotel.documents.commit([Update(found.ref, forgotten, found.version)])
    await react(changed(end=LONGER), hotel.services)
    (core,) = await living(hotel)
    assert (core.rooms, core.window.end) == (tuple(ROOMS[:1]), LONGER)
