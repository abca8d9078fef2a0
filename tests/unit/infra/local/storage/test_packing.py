"""Documents lie packed: what is put in comes out, by whichever release, and nothing else passes for one."""

import hashlib
import json
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.storage.packing import (
    FORMER,
    MAGIC,
    SHORTEST,
    dictionary,
    former_words,
    pack,
    unpack,
    unpacked,
)
from tests.unit.shared.ledger.test_released_documents import ALL, LEDGER

DICTIONARY = "760b9707792e463933f0aa5f2a8156024adea632df7eaf44eb9cdaf0687d5d3b"
FORMER_WORDS = "640fd87d595d419b1dc2d2739044a95ee1240479a9d95527fa81fbbfdb3b46d0"
"""As they were released: whoever changes a byte of one can read no file that is older."""
PACKED_FIRST = b" \xa2}\x00\x00\x08{\x03\xfc\x8d\xe2\xf7\xf3\xc8X\x82\xcaS\xe6\x03"
"""What this release made of `PLAIN`, the day it was released."""
PLAIN = b'{"state":"active"}' * 9


@given(st.one_of(st.text(), st.dictionaries(st.text(), st.text() | st.integers()).map(json.dumps)))
def test_whatever_is_packed_comes_out_as_it_was(text):
    try:
        plain = text.encode()
    except UnicodeEncodeError:  # half a character, which no store takes
        return
    assert unpack(pack(plain)) == plain
    assert unpacked(pack(plain)) == text


@pytest.mark.parametrize("plain", [b"", b"{}", b'{"floor":2}'])
def test_what_is_short_stays_text(plain):
    assert len(plain) < SHORTEST
    assert pack(plain) == plain.decode()


def test_what_gains_nothing_stays_text():
    drawn = b"".join(hashlib.sha256(b"%d" % seed).digest() for seed in range(9))
    noise = "".join(chr(33 + byte % 90) for byte in drawn)
    kept = pack(noise.encode())
    assert len(kept) <= len(noise)
    assert unpack(kept) == noise.encode()


def test_documents_of_the_ledger_lie_in_a_third_of_their_length():
    kept = [each.values[2] for each in ALL if each.values[0] in LEDGER]
    plain = [json.dumps(each, separators=(",", ":")).encode() for each in kept]
    assert sum(map(len, map(pack, plain))) * 3 < sum(map(len, plain))


@pytest.mark.parametrize(("words", "digest"), [(dictionary, DICTIONARY), (former_words, FORMER_WORDS)])
def test_the_dictionaries_are_those_that_were_released(words, digest):
    assert hashlib.sha256(words()).hexdigest() == digest


def test_what_this_release_packed_first_is_read_for_ever():
    assert unpack(MAGIC + PACKED_FIRST) == PLAIN


def test_what_a_release_before_packed_is_read_for_ever():
    press = zlib.compressobj(9, zlib.DEFLATED, -13, 8, zlib.Z_DEFAULT_STRATEGY, former_words())
    assert unpack(FORMER + press.compress(PLAIN) + press.flush()) == PLAIN


def test_threads_press_and_read_beside_each_other():
    texts = [
        json.dumps({"id": f"key_{number:026d}", "rooms": ["rmu_1"] * number}).encode() for number in range(40)
    ]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: unpack(pack(text)), texts * 5)) == texts * 5


@pytest.mark.parametrize("kept", [b"", b"{}", MAGIC[:-1] + b"\x03...."])
def test_what_a_later_release_packed_is_not_guessed_at(kept):
    with pytest.raises(ValueError, match="deploy that one"):
        unpack(kept)


def test_no_text_begins_as_packed_bytes_do():
    with pytest.raises(UnicodeDecodeError):
        MAGIC.decode()
