"""A day of a million events is spelt by a faster writer, and to the byte as everybody else spells it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audit.entries import action_entry
from shared.audit.errors import Malformed
from shared.audit.kept import KEPT, Kind
from shared.audit.subjects import Subject
from shared.audit.text import LARGEST_NUMBER, LIBRARY, canonical
from shared.usecases.audit.spelling import FAST, spelt
from tests.support.audited import row

TEXTS = st.text(max_size=12)
NUMBERS = sorted(name for name, kind in KEPT.items() if Kind.NUMBER in kind)
NAMES = st.text(st.characters(codec="ascii"), max_size=8)
PLAIN = TEXTS | st.booleans() | st.integers(-LARGEST_NUMBER, LARGEST_NUMBER)
VALUES = st.recursive(
    PLAIN, lambda some: st.lists(some, max_size=3) | st.dictionaries(NAMES, some, max_size=3), max_leaves=6
)


@given(st.dictionaries(NAMES, VALUES, max_size=8))
def test_what_has_no_fractions_is_spelt_as_the_library_spells_it(document):
    assert spelt(document) == canonical(document)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(NUMBERS))
def test_a_body_with_a_fraction_is_the_librarys_wherever_it_stands(fraction, name):
    told = row(data={"metric": {name: [fraction]}, "pin": True})
    by_library, by_fast = (action_entry(told, Subject(b"k" * 32), each) for each in (LIBRARY, FAST))
    assert json.loads(by_library.body)["data"]["metric"] == {name: [fraction]}
    assert by_fast == by_library


@pytest.mark.parametrize("value", ["\ud800", b"bytes", {"a", "b"}])
def test_what_json_cannot_hold_is_refused_as_everywhere(value):
    with pytest.raises(Malformed, match="JSON"):
        spelt({"at": value})


def test_a_number_beyond_the_fast_writer_is_spelt_by_the_library():
    assert spelt({"seq": 1 << 70}) == canonical({"seq": 1 << 70}) == b'{"seq":1180591620717411303424}'
