"""What a stay's events amount to: the same in whichever order they came, and what the newest says."""

from dataclasses import replace
from itertools import permutations

import pytest

from shared.domain.ids import GuestId, ReservationId, RoomId
from shared.ledger.booking_notes import BookingEventNote, BookingOutcome, in_order
from shared.ledger.course import HEARD_OF, course_of, trimmed
from shared.ledger.reservation import BEFORE, Reservation, Status, ref_of, reservation_from
from shared.ledger.stay import Amendment, Recency, Stay
from shared.ports.documents import Document
from tests.support.ledger_books import ARRIVAL, DAY, HOUR, KABUL, MINUTE, NOW

BOOKING = "melmastoon.reservation.booking"
NOBODY = Reservation(id=ReservationId("rsv_1"), status=Status.AWAITED, standing=Recency(None, NOW))
FAR = 300 * 24 * 60
"""Minutes that no clock is wrong by."""


def stay(room="rmu_1", days=3):
    return Stay(
        property_id=KABUL,
        guest_id=GuestId("gst_1"),
        rooms=(RoomId(room),),
        start=ARRIVAL,
        end=ARRIVAL + days * DAY,
    )


def note(name, word, at, version=None, booked=None, changed=None, heard=60):
    """Return an event of a minute, heard within the hour."""
    standing = Recency(version, NOW + at * MINUTE)
    subject = f"{BOOKING}.{word}.v1"
    event = BookingEventNote(
        name, subject, standing, BookingOutcome.APPLIED, NOW + heard * MINUTE, booked=booked
    )
    return event if changed is None else replace(event, changed=Amendment(recency=standing, **changed))


def confirmed(name, at, version=None, room="rmu_1", **how):
    return note(name, "confirmed", at, version, booked=stay(room), **how)


def cancelled(name, at, version=None, **how):
    return note(name, "cancelled", at, version, **how)


def moved(name, at, version=None, **how):
    return note(name, "dates_changed", at, version, changed=how)


def course(*notes):
    record = NOBODY
    for each in notes:
        record = trimmed(record.noting(each))
    return course_of(record)


def ends(notes):
    """Return how a stay stands after all orders of its events; one way, if the order does not matter."""
    found = [course(*order) for order in permutations(notes)]
    return {(each.status, each.stay and each.stay.opens) for each in found}


CANCEL_AND_CONFIRM = [
    ("confirmed", 1, stay("rmu_1")),
    ("cancelled", 2, None),
    ("confirmed", 3, stay("rmu_2")),
]


@pytest.mark.parametrize("numbered", range(8), ids="{:03b}".format)
def test_trial_el1_confirmed_cancelled_and_confirmed_again_is_confirmed_in_every_order(numbered):
    notes = [
        note(f"evt_{at}", word, at, at if numbered & (1 << at - 1) else None, booked=booked)
        for word, at, booked in CANCEL_AND_CONFIRM
    ]
    assert ends(notes) == {(Status.CONFIRMED, stay("rmu_2").opens)}


@pytest.mark.parametrize("at", [5, 15], ids=["dated before", "dated after"])
def test_trial_2_6_ending_of_the_only_confirmation_is_never_void_for_its_date(at):
    assert {status for status, _ in ends([confirmed("evt_1", 10), cancelled("evt_2", at)])} == {
        Status.CANCELLED
    }


@pytest.mark.parametrize("word", ["cancelled", "checked_out", "early_checkout"])
def test_trial_2_6_confirmation_from_the_future_does_not_make_the_ending_void(word):
    future = confirmed("evt_1", FAR)
    assert {status for status, _ in ends([future, note("evt_2", word, 30)])} <= {
        Status.CANCELLED,
        Status.CHECKED_OUT,
    }
    changed = confirmed("evt_3", FAR + 1, room="rmu_2")
    assert len(ends([confirmed("evt_0", 10), changed, note("evt_2", word, 30)])) == 1
    assert course(confirmed("evt_0", 10), changed, note("evt_2", word, 30)).status is not Status.CONFIRMED


def test_trial_2_6_ending_from_the_future_ends_and_a_later_confirmation_opens_again():
    ended = [confirmed("evt_1", 10), cancelled("evt_2", FAR)]
    assert {status for status, _ in ends(ended)} == {Status.CANCELLED}
    again = confirmed("evt_3", 100, heard=100)
    assert course(*ended, again).status is Status.CONFIRMED


def test_producer_whose_clock_is_ahead_is_followed_in_its_own_order():
    notes = [confirmed("evt_1", FAR), cancelled("evt_2", FAR + 1), confirmed("evt_3", FAR + 2, room="rmu_2")]
    assert ends(notes) == {(Status.CONFIRMED, stay("rmu_2").opens)}


def test_higher_version_opens_again_though_its_date_is_ahead():
    notes = [confirmed("evt_1", 1, 1), cancelled("evt_2", 2, 2), confirmed("evt_3", FAR, 3)]
    assert {status for status, _ in ends(notes)} == {Status.CONFIRMED}


def test_trial_el7_of_two_confirmations_of_one_second_the_later_id_counts_in_either_order():
    notes = [confirmed("evt_1", 1, room="rmu_1"), confirmed("evt_2", 1, room="rmu_2")]
    assert ends(notes) == {(Status.CONFIRMED, stay("rmu_2").opens)}


def test_of_an_ending_and_a_confirmation_of_one_second_the_ending_counts():
    notes = [confirmed("evt_0", 1), cancelled("evt_1", 2), confirmed("evt_2", 2)]
    assert {status for status, _ in ends(notes)} == {Status.CANCELLED}


@pytest.mark.parametrize(("version", "status"), [(1, Status.CANCELLED), (2, Status.CANCELLED), (3, None)])
def test_stay_that_ended_before_it_was_confirmed_is_opened_by_a_higher_version_only(version, status):
    notes = [cancelled("evt_2", 2, 2), confirmed("evt_3", 30, version)]
    assert {found for found, _ in ends(notes)} == {status or Status.CONFIRMED}


def test_next_confirmation_after_the_one_that_was_overtaken_opens_a_stay_again():
    notes = [cancelled("evt_1", 1), confirmed("evt_2", 2), confirmed("evt_3", 3, room="rmu_2")]
    assert ends(notes) == {(Status.CONFIRMED, stay("rmu_2").opens)}


def test_changes_add_up_in_every_order_and_one_that_clashes_is_left_out_in_every_order():
    longer, elsewhere = ARRIVAL + 5 * DAY, (RoomId("rmu_3"),)
    notes = [confirmed("evt_1", 1), moved("evt_2", 2, end=longer), moved("evt_3", 3, rooms=elsewhere)]
    clash = moved("evt_4", 4, start=ARRIVAL + 9 * DAY)
    expected = replace(stay(), rooms=elsewhere, end=longer)
    assert ends([*notes, clash]) == {(Status.CONFIRMED, expected.opens)}
    assert course(clash, *notes).clashing == {"evt_4"}


def test_versions_and_dates_that_contradict_each_other_have_one_order():
    """By pairs each of these is newer than the one before it, all round."""
    notes = [confirmed("evt_1", 5, 1), confirmed("evt_2", 1, 2), confirmed("evt_3", 3)]
    orders = {tuple(each.event_id for each in in_order(order)) for order in permutations(notes)}
    assert orders == {("evt_1", "evt_2", "evt_3")}


def test_late_old_version_is_old_though_one_without_a_version_came_between():
    notes = [confirmed("evt_1", 1, 1), confirmed("evt_3", 3, 3), confirmed("evt_none", 4)]
    late = [confirmed("evt_2", 9, 2, room="rmu_2"), cancelled("evt_2b", 9, 2)]
    assert ends([*notes, *late]) == {(Status.CONFIRMED, stay().opens)}


@pytest.mark.parametrize("late", [confirmed("evt_z", 1, 2, room="rmu_2"), cancelled("evt_z", 1, 2)])
def test_record_forgets_its_oldest_events_and_never_what_they_amount_to(late):
    many = [confirmed(f"evt_{number:03}", number, number) for number in range(1, HEARD_OF + 20)]
    last = cancelled("evt_end", 500, 500, heard=600)
    record = NOBODY
    for each in (*many[::-1], last, late):
        record = trimmed(record.noting(each))
    assert len(record.heard) == HEARD_OF
    assert record.note_of("evt_001") is None
    assert record.beginning.event_id == BEFORE
    assert course_of(record).status is Status.CANCELLED
    written = record.write().data
    assert course_of(reservation_from(Document(ref_of("rsv_1"), written, "1"))) == course_of(record)
    again = trimmed(record.noting(confirmed("evt_again", 501, heard=600, room="rmu_2")))
    assert course_of(again).stay.opens == stay("rmu_2").opens


def test_ended_stay_whose_confirmation_is_forgotten_is_opened_by_a_later_date():
    many = [cancelled(f"evt_{number:03}", number) for number in range(1, HEARD_OF + 5)]
    record = NOBODY
    for each in (confirmed("evt_000", 0), *many):
        record = trimmed(record.noting(each))
    assert record.note_of("evt_000") is None
    assert course_of(trimmed(record.noting(confirmed("evt_z", 59)))).status is Status.CONFIRMED


STANDINGS = {
    "confirmed": Status.CONFIRMED,
    "cancelled": Status.CANCELLED,
    "checked_out": Status.CHECKED_OUT,
}


@pytest.mark.parametrize(("word", "status"), STANDINGS.items())
def test_record_of_the_release_that_went_by_arrival_means_what_it_meant_then(word, status):
    """It ignored an ending that by its order would count now: what it made of its events stands."""
    heard = [
        {"event_id": "evt_1", "subject": f"{BOOKING}.confirmed.v1", "version": None, "outcome": "applied"},
        {"event_id": "evt_2", "subject": f"{BOOKING}.cancelled.v1", "version": None, "outcome": "ignored"},
    ]
    times = {"time": (NOW + HOUR).isoformat(), "at": NOW.isoformat(), "because": None}
    stored = {
        "schema_version": 1,
        "status": word,
        "version": None,
        "time": (NOW + HOUR).isoformat(),
        "highest": 4,
        "incarnation": 1,
        "heard": [{**each, **times} for each in heard],
    }
    record = reservation_from(Document(ref_of("rsv_1"), stored, "1"))
    assert course_of(record).status is status
    assert record.note_of("evt_2") is not None
    older = record.noting(cancelled("evt_3", 30, 3))
    assert course_of(older).status is status
    newer = record.noting(confirmed("evt_4", 90, heard=90))
    assert course_of(newer).status is Status.CONFIRMED
