"""What we know of a stay: the newest event counts, each is heard once, each incarnation has its claim."""

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.ids import KeyCredentialId, PropertyId, ReservationId
from shared.events.idempotency import claim_key
from shared.ledger.reading import StoredUnreadable
from shared.ledger.reservation import (
    HEARD_OF,
    Heard,
    Heeded,
    Reservation,
    Standing,
    Status,
    ref_of,
    reservation_from,
)
from shared.ports.documents import AlreadyExists, Document, StaleVersion
from tests.unit.shared.ledger.ledgering import NOW

EARLY, LATE = NOW, NOW + timedelta(microseconds=1)
SECOND = timedelta(seconds=1)
STAY = Reservation(id=ReservationId("rsv_1"), status=Status.CONFIRMED, standing=Standing(None, EARLY))
CONFIRMED, CANCELLED = "booking.confirmed", "booking.cancelled"


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        (Standing(2, EARLY), Standing(1, LATE)),
        (Standing(2, LATE), Standing(1, EARLY)),
        (Standing(1, LATE), Standing(1, EARLY)),
        (Standing(None, LATE), Standing(None, EARLY)),
        (Standing(None, LATE), Standing(9, EARLY)),
        (Standing(1, LATE), Standing(None, EARLY)),
    ],
)
def test_standing_goes_by_version_where_both_have_one_and_differ_else_by_time(newer, older):
    assert newer.after(older)
    assert not older.after(newer)


@pytest.mark.parametrize("standing", [Standing(3, EARLY), Standing(None, EARLY)])
def test_no_event_is_newer_than_itself(standing):
    assert not standing.after(standing)


def test_hearing_remembers_the_event_and_takes_the_newer_standing():
    newer, older = Standing(2, LATE), Standing(1, EARLY)
    heard = STAY.hearing(Heard("evt_2", CANCELLED, newer, Heeded.APPLIED))
    heard = heard.hearing(Heard("evt_1", CONFIRMED, older, Heeded.IGNORED))
    assert heard.standing == newer
    assert [(each.event_id, each.outcome) for each in heard.heard] == [
        ("evt_2", Heeded.APPLIED),
        ("evt_1", Heeded.IGNORED),
    ]
    assert heard.knows("evt_1")
    assert not heard.knows("evt_3")


def test_hearing_forgets_the_oldest_and_never_how_new_the_record_is():
    record = STAY.hearing(Heard("evt_first", CONFIRMED, Standing(99, LATE), Heeded.APPLIED))
    for number in range(HEARD_OF):
        record = record.hearing(Heard(f"evt_{number}", CONFIRMED, Standing(1, EARLY), Heeded.IGNORED))
    assert len(record.heard) == HEARD_OF
    assert not record.knows("evt_first")
    assert record.standing == Standing(99, LATE)


@pytest.mark.parametrize(
    ("status", "standing", "why"),
    [
        (Status.CANCELLED, Standing(9, LATE), "the stay is cancelled"),
        (Status.CHECKED_OUT, Standing(9, LATE), "the stay is checked out"),
        (Status.CONFIRMED, Standing(6, LATE), "older than version 7"),
        (Status.CONFIRMED, Standing(None, EARLY), "older than what was heard of 2026-"),
        (Status.CONFIRMED, Standing(7, LATE), "the stay is as it says already"),
    ],
)
def test_it_is_said_why_an_event_changes_nothing(status, standing, why):
    record = replace(STAY, status=status, standing=Standing(7, LATE))
    assert record.why_ignored(standing).startswith(why)


def test_an_event_that_was_refused_may_be_replayed_while_it_is_the_newest_and_is_remembered_once():
    newest = Standing(5, LATE)
    record = STAY.hearing(Heard("evt_5", CONFIRMED, newest, Heeded.REFUSED))
    assert record.standing == newest
    assert record.refused("evt_5", newest)
    assert not record.refused("evt_other", newest)
    overtaken = record.hearing(Heard("evt_6", CONFIRMED, Standing(6, LATE), Heeded.IGNORED))
    assert not overtaken.refused("evt_5", newest)
    ended = record.hearing(Heard("evt_5b", CONFIRMED, newest, Heeded.APPLIED))
    assert not ended.refused("evt_5", newest)
    replayed = record.hearing(Heard("evt_5", CONFIRMED, newest, Heeded.APPLIED))
    assert not replayed.refused("evt_5", newest)
    assert [heard.event_id for heard in replayed.heard].count("evt_5") == 1


@pytest.mark.parametrize(
    ("event", "newer", "older"),
    [
        (Standing(2, LATE + SECOND), False, True),
        (Standing(3, LATE + SECOND), True, False),
        (Standing(4, EARLY), False, True),
        (Standing(4, LATE + SECOND), True, False),
        (Standing(None, LATE + SECOND), True, False),
        (Standing(None, LATE), False, False),
    ],
)
def test_an_event_without_a_version_does_not_make_an_old_version_new(event, newer, older):
    record = STAY.hearing(Heard("evt_3", CONFIRMED, Standing(3, EARLY), Heeded.APPLIED))
    record = record.hearing(Heard("evt_none", CONFIRMED, Standing(None, LATE), Heeded.IGNORED))
    again = reservation_from(Document(ref_of("rsv_1"), record.write().data, "1"))
    assert (again.outdated_by(event), again.outdates(event)) == (newer, older)


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
        standing=Standing(4, LATE),
        incarnation=2,
        property_id=PropertyId("ppt_kabul"),
        credentials=(KeyCredentialId.mint(books.ids.ulid()), KeyCredentialId.mint(books.ids.ulid())),
    ).hearing(Heard("evt_1", CONFIRMED, Standing(None, LATE), Heeded.IGNORED, LATE, "a reason"))
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
