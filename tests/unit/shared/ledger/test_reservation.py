"""What we know of a stay: the newest event counts, each is heard once, each incarnation has its claim."""

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.ids import KeyCredentialId, PropertyId, ReservationId
from shared.events.idempotency import claim_key
from shared.ledger.booking_notes import BookingEventNote, BookingOutcome
from shared.ledger.reservation import Reservation, Status, ref_of, reservation_from
from shared.ledger.stay import Recency
from shared.ports.documents import AlreadyExists, Document, StaleVersion, StoredUnreadable
from tests.support.ledger_books import NOW

EARLY, LATE = NOW, NOW + timedelta(microseconds=1)
SECOND = timedelta(seconds=1)
STAY = Reservation(id=ReservationId("rsv_1"), status=Status.CONFIRMED, standing=Recency(None, EARLY))
BOOKING = "melmastoon.reservation.booking"
CONFIRMED, CANCELLED = f"{BOOKING}.confirmed.v1", f"{BOOKING}.cancelled.v1"


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        (Recency(2, EARLY), Recency(1, LATE)),
        (Recency(2, LATE), Recency(1, EARLY)),
        (Recency(1, LATE), Recency(1, EARLY)),
        (Recency(None, LATE), Recency(None, EARLY)),
        (Recency(None, LATE), Recency(9, EARLY)),
        (Recency(1, LATE), Recency(None, EARLY)),
    ],
)
def test_standing_goes_by_version_where_both_have_one_and_differ_else_by_time(newer, older):
    assert newer.after(older)
    assert not older.after(newer)


@pytest.mark.parametrize("standing", [Recency(3, EARLY), Recency(None, EARLY)])
def test_no_event_is_newer_than_itself(standing):
    assert not standing.after(standing)


def test_hearing_remembers_the_event_and_takes_the_newer_standing():
    newer, older = Recency(2, LATE), Recency(1, EARLY)
    heard = STAY.noting(BookingEventNote("evt_2", CANCELLED, newer, BookingOutcome.APPLIED))
    heard = heard.noting(BookingEventNote("evt_1", CONFIRMED, older, BookingOutcome.IGNORED))
    assert heard.standing == newer
    assert [(each.event_id, each.outcome) for each in heard.heard] == [
        ("evt_2", BookingOutcome.APPLIED),
        ("evt_1", BookingOutcome.IGNORED),
    ]
    assert heard.note_of("evt_1").outcome is BookingOutcome.IGNORED
    assert heard.note_of("evt_3") is None


def test_stay_that_was_never_confirmed_has_no_claim():
    assert STAY.claim is None


def test_every_incarnation_has_a_claim_of_its_own_by_the_published_recipe():
    claims = [replace(STAY, incarnation=number).claim for number in (1, 2)]
    assert claims == [STAY.claim_of(1), STAY.claim_of(2)]
    assert claims[0] != claims[1]
    assert claims[0] == claim_key("issue", reservation_id="rsv_1", incarnation=1)
    other = replace(STAY, id=ReservationId("rsv_2"))
    assert other.claim_of(1) != STAY.claim_of(1)


async def test_record_comes_back_whole(books):
    record = replace(
        STAY,
        status=Status.CHECKED_OUT,
        standing=Recency(4, LATE),
        incarnation=2,
        property_id=PropertyId("ppt_kabul"),
        credentials=(KeyCredentialId.mint(books.ids.ulid()), KeyCredentialId.mint(books.ids.ulid())),
    ).noting(
        BookingEventNote("evt_1", CONFIRMED, Recency(None, LATE), BookingOutcome.IGNORED, LATE, "a reason")
    )
    (version,) = await books.documents.commit([record.write()])
    found = await books.documents.get(ref_of("rsv_1"))
    assert reservation_from(found) == replace(record, version=version)
    assert found.data["claim"] == record.claim


async def test_record_that_never_had_a_key_comes_back_whole(books):
    (version,) = await books.documents.commit([STAY.write()])
    found = await books.documents.get(ref_of("rsv_1"))
    assert reservation_from(found) == replace(STAY, version=version)
    assert found.data["claim"] is None


async def test_first_record_of_two_stands_and_a_change_names_its_version(books):
    (version,) = await books.documents.commit([STAY.write()])
    with pytest.raises(AlreadyExists):
        await books.documents.commit([STAY.write()])
    kept = replace(STAY, version=version)
    await books.documents.commit([replace(kept, status=Status.CANCELLED).write()])
    with pytest.raises(StaleVersion):
        await books.documents.commit([replace(kept, status=Status.CHECKED_OUT).write()])


async def test_record_of_another_schema_is_refused_with_what_to_do(books):
    await books.documents.commit([STAY.write()])
    found = await books.documents.get(ref_of("rsv_1"))
    with pytest.raises(StoredUnreadable, match="deploy"):
        reservation_from(Document(found.ref, {**found.data, "schema_version": 2}, found.version))
