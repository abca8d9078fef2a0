"""A guest is forgotten: the key of their alias goes, then their bodies, and the log verifies as before."""

import json
from hashlib import sha256

import pytest

from infra.verifier.verify_pack import verify
from shared.audit.entries import Entry, expiry_entry
from shared.audit.pack import Anchor, Span
from shared.audit.subjects import Subject
from shared.audit.text import parsed
from tests.support.audit_pack import BUCKET, DAYS, DESK, POLICY, three_days
from tests.support.audited import TENANT, key_of, row, subject_of

GUEST, STAY = "gst_of_key_a", "rsv_of_key_a"


def forgotten(book):
    """Erase the bodies of a guest, as expiry does: it is announced in the log first."""
    alias = Subject(key_of(GUEST), GUEST).alias
    theirs = [at for at, each in enumerate(book.tenant.kept) if alias.encode() in each.header]
    expiry = expiry_entry(TENANT, "2033-11-18T00:00:00Z", "regulated", min(theirs), len(theirs))
    note = book.tenant.add([expiry])
    cell = book.cell.add([Entry(note.text.encode())])
    cosigned = BUCKET.cosigned(DESK.cosigned(cell, 2_000_000_000), 2_000_000_000)
    book.anchors.append(Anchor(note, len(DAYS), cosigned))
    for at in theirs:
        book.tenant.kept[at] = Entry(book.tenant.kept[at].header)
    return theirs


@pytest.fixture
def book():
    return three_days()


def stored(book):
    """Return every byte that is left: files, bodies, and a pack of everything."""
    bodies = b"".join(each.body + each.salt for each in book.tenant.kept)
    return b"".join([*book.tenant.files.values(), *book.cell.files.values(), bodies, book.whole()])


def test_the_log_verifies_after_a_guest_was_forgotten(book):
    theirs = forgotten(book)
    assert len(theirs) == 2
    report = verify(book.whole(), POLICY)
    assert report.failures == []
    assert report.checked["bodies"] == 3


def test_nothing_that_is_left_names_the_guest_or_the_stay(book):
    assert STAY.encode() in stored(book)
    forgotten(book)
    left = stored(book)
    assert GUEST.encode() not in left
    assert STAY.encode() not in left
    assert b"rsv_of_key_b" in left


def test_nothing_that_is_left_can_be_tried_out_against_a_guess(book):
    """Whoever knows guest, stay and the very body finds no hash of them, without a key or with another's."""
    erased = next(each for each in book.tenant.kept if STAY.encode() in each.body)
    forgotten(book)
    left = stored(book)
    keys = [b"\x00" * 32, key_of("gst_of_key_b"), key_of(TENANT)]
    guesses = [GUEST.encode(), STAY.encode(), erased.body, row()["body"].encode()]
    for guess in guesses:
        assert sha256(guess).hexdigest().encode() not in left
        assert sha256(guess).digest() not in left
    for key in keys:
        guessed = Subject(key, GUEST)
        assert guessed.alias.encode() not in left
        assert guessed.salt("evt_key_a_1") not in left


def test_while_the_key_is_kept_it_shows_that_guests_entries_and_nobody_elses(book):
    alias = Subject(key_of(GUEST), GUEST).alias
    headers = [parsed(each.header) for each in book.tenant.kept]
    theirs = [each for each in headers if each.get("guest") == alias]
    assert {each["stream"] for each in theirs} == {"key_a"}
    assert len(theirs) == sum(each.get("stream") == "key_a" for each in headers)


def test_the_alias_in_a_body_is_the_one_in_its_header():
    entry = book_entry()
    assert json.loads(entry.body)["data"]["guestId"] == parsed(entry.header)["guest"]


def book_entry():
    from shared.audit.entries import action_entry

    return action_entry(row(), subject_of(row()))


def test_withheld_entries_of_others_leave_a_span_complete(book):
    only = [Entry(each.header) if b"key_b" in each.header else each for each in book.tenant.kept]
    book.tenant.kept[:] = only
    pack = book.pack(Span(0, 9), range(9))
    assert verify(pack, POLICY).failures == []
    assert b"rsv_of_key_b" not in pack
