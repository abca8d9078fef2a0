"""Who has a room right before a stay, or at its time: told by grants that say whose they are, or by keys."""

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.core import Guest, Staff
from shared.domain.documents import to_document
from shared.domain.ids import GuestId, ReservationId, UserId
from shared.domain.window import StayWindow
from shared.keywork.prepare import new_grant
from shared.ledger.key_record import Target
from shared.ledger.ledger import Change
from shared.ledger.stay import Stay
from shared.usecases.stays.room_at_once import stays_beside
from shared.usecases.stays.turn import TURN
from tests.support.few_doors import door, move_in
from tests.support.ledger_books import ARRIVAL, DAY, KABUL, ROOM, SILK

OURS, THEIRS = GuestId("gst_1"), GuestId("gst_2")
MOMENT = timedelta(milliseconds=1)
NEAR = door(1, (ROOM,), "pin")


@pytest.fixture
async def setup(books):
    await move_in(books, NEAR)
    return await books.services.hotels.premises(SILK, KABUL)


async def another(books, guest, until, *, says):
    """Keep a key of an earlier stay in the room, whose grant says its guest, or is of an earlier release."""
    entry, _ = books.requested()
    core = books.core(
        holder=Guest(guest, ReservationId("rsv_before")), window=StayWindow(until - DAY, until, "Asia/Kabul")
    )
    credential, facts = type(entry.credential).request(core, at=books.clock.now())
    entry = replace(entry, credential=credential)
    grant = new_grant(entry, NEAR, Target(core.rooms, core.window), (), books.clock.now(), books.ids)
    assert grant.guest == guest
    await books.ledger.save(Change(entry, facts, (grant if says else replace(grant, guest=None),)))
    return entry


async def beside(books, setup):
    """Return what is found beside a stay, and how many documents that took."""
    stay = Stay(property_id=KABUL, guest_id=OURS, rooms=(ROOM,), start=ARRIVAL, end=ARRIVAL + 3 * DAY)
    reads = books.engine.counters["document_reads"]
    found = await stays_beside(stay, stay.held_by(ReservationId("rsv_1")), setup, books.ledger, TURN)
    return found, books.engine.counters["document_reads"] - reads


@pytest.mark.parametrize(("says", "reads"), [(True, 1), (False, 2)], ids=["says so", "of an earlier release"])
async def test_another_guest_s_key_before_a_stay_is_read_only_if_its_grant_does_not_say_whose_it_is(
    books, setup, says, reads
):
    await another(books, THEIRS, ARRIVAL, says=says)
    found, cost = await beside(books, setup)
    assert (found.sharers, found.before, cost) == ((), None, reads)


@pytest.mark.parametrize("says", [True, False], ids=["says so", "of an earlier release"])
async def test_own_guest_s_key_right_before_a_stay_is_found_whether_its_grant_says_so_or_not(
    books, setup, says
):
    entry = await another(books, OURS, ARRIVAL - TURN, says=says)
    found, _ = await beside(books, setup)
    assert found.before is not None
    assert (found.sharers, found.before.id) == ((), entry.id)


@pytest.mark.parametrize("says", [True, False], ids=["says so", "of an earlier release"])
@pytest.mark.parametrize("guest", [OURS, THEIRS])
async def test_key_that_opens_at_a_time_of_a_stay_shares_its_room_whatever_its_grant_says(
    books, setup, guest, says
):
    await another(books, guest, ARRIVAL + MOMENT, says=says)
    found, _ = await beside(books, setup)
    assert [(each.room, each.guest.guest_id) for each in found.sharers] == [(ROOM, guest)]


async def test_grant_of_staff_says_no_guest_and_one_that_does_not_is_kept_without_a_word_of_it(books):
    entry, _ = books.requested()
    core = replace(entry.credential.core, holder=Staff(UserId("usr_1")))
    theirs = replace(entry, credential=replace(entry.credential, core=core))
    kept = new_grant(theirs, NEAR, Target(core.rooms, core.window), (), books.clock.now(), books.ids)
    assert kept.guest is None
    assert "guest_id" not in to_document(kept)
