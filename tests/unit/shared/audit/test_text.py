"""Each value has one spelling; what a library would forgive is refused."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audit.errors import Malformed
from shared.audit.text import (
    canonical,
    decode_base64,
    decode_hash,
    decode_lines,
    decode_number,
    encode_base64,
    parsed,
)


@given(st.binary(max_size=40))
def test_base64_comes_back_as_it_was(value):
    assert decode_base64(encode_base64(value)) == value


def test_stray_bits_that_python_forgives_are_refused():
    assert base64.b64decode("AB==", validate=True) == base64.b64decode("AA==", validate=True)
    with pytest.raises(Malformed, match="stray"):
        decode_base64("AB==")


@pytest.mark.parametrize("text", ["A", "AA", "AA=", "AA== ", "AA==\n", "AA-_", "A A==", "ａａ==", "===="])
def test_what_is_no_base64_is_refused(text):
    with pytest.raises(Malformed):
        decode_base64(text)


@pytest.mark.parametrize(
    "text", ["", "00", "01", "+1", "-1", " 1", "1 ", "1_0", "１", "1e3", "9" * 19, "1\n"]
)
def test_what_is_no_plain_number_is_refused(text):
    with pytest.raises(Malformed):
        decode_number(text)


@pytest.mark.parametrize("text", ["0", "1", "20852163", str((1 << 63) - 1)])
def test_plain_numbers_are_read(text):
    assert str(decode_number(text)) == text


def test_a_hash_has_its_length():
    assert decode_hash(encode_base64(b"x" * 32)) == b"x" * 32
    with pytest.raises(Malformed, match="32 bytes"):
        decode_hash(encode_base64(b"x" * 31))


@pytest.mark.parametrize("text", [b"", b"open", b"tab\there\n", b"\xff\n", b"return\r\n", b"zero\x00\n"])
def test_lines_are_whole_and_plain(text):
    with pytest.raises(Malformed):
        decode_lines(text)


DOCUMENTS = st.dictionaries(
    st.text("abcxyzID_", max_size=5),
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(max_size=9)
    | st.lists(st.text(max_size=3)),
)


@given(DOCUMENTS)
def test_a_document_has_one_spelling(document):
    text = canonical(document)
    assert parsed(text) == document
    assert canonical(dict(reversed(document.items()))) == text


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{} ",
        b'{"a": 1}',
        b'{"b":1,"a":2}',
        b'{"a":1,"a":1}',
        b'{"a":01}',
        b'{"a":1e0}',
        b'{"a":"\\u0041"}',
        b'{"a":NaN}',
        b'{"a":1.0e0}',
        b"\xff",
        b"[" * 100_000,
    ],
)
def test_every_other_spelling_is_refused(text):
    with pytest.raises(Malformed):
        parsed(text)


def test_what_json_cannot_say_is_refused_without_being_repeated():
    for odd in ({"a": {1, 2}}, {"a": float("nan")}, {"a": "\ud800"}):
        with pytest.raises(Malformed) as refused:
            canonical(odd)
        assert "ud800" not in str(refused.value)
