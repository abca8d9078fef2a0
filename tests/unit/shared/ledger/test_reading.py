"""A record is taken apart once a version: what anything else was changed in is read anew."""

from dataclasses import replace

import pytest

from shared.domain.documents import to_document
from shared.ledger import reading
from shared.ledger.key_record import KeyRecord
from shared.ledger.reading import read_once, read_record
from shared.ledger.reservation import Reservation, Status, ref_of, reservation_from
from shared.ports.documents import Document, StoredUnreadable
from tests.unit.shared.ledger.test_reservation import STAY


def found(stay=STAY, version="7"):
    """Return a document as a store reads it: never the same object twice."""
    return Document(ref_of(stay.id), to_document(stay), version)


def test_what_is_as_it_was_is_not_taken_apart_again():
    assert reservation_from(found()) is reservation_from(found())


def test_another_version_and_other_words_are_read_anew():
    first = reservation_from(found())
    assert reservation_from(found(version="8")).version == "8"
    gone = replace(STAY, status=Status.CANCELLED)
    assert reservation_from(found(gone)).status is Status.CANCELLED
    assert reservation_from(found()) == first


def test_what_cannot_be_read_is_refused_each_time():
    broken = Document(ref_of("rsv_broken"), {"schema_version": 99}, "1")
    for _ in range(2):
        with pytest.raises(StoredUnreadable):
            read_record(KeyRecord, broken)


def test_of_too_many_those_that_came_first_give_way(monkeypatch):
    monkeypatch.setattr(reading, "MOST_KEPT", 2)
    monkeypatch.setattr(reading, "_before", {})
    times = []

    def read(kind, document):
        times.append(document.ref.id)
        return STAY

    for name in ("rsv_1", "rsv_2", "rsv_3", "rsv_3", "rsv_1"):
        read_once(Reservation, Document(ref_of(name), {}, "1"), read)
    assert times == ["rsv_1", "rsv_2", "rsv_3", "rsv_1"]
