"""A body is sealed as libsodium's own binding seals it, under its guest's key and no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_encrypt as by_binding

from shared.audit.entries import LARGEST_BODY, Entry
from shared.audit.subjects import Subject
from shared.usecases.audit.guests import _sealing, close_body, open_body

GUEST, OTHER = Subject(b"k" * 32, "gst_1"), Subject(b"o" * 32, "gst_2")


@given(st.binary(min_size=1, max_size=700), st.binary(max_size=700))
def test_a_body_is_sealed_to_the_byte_as_the_binding_seals_it(header, body):
    sealed = close_body(Entry(header, body), GUEST)
    nonce = sealed[:24]
    assert sealed[24:] == by_binding(body, header, nonce, GUEST.body_key)
    assert sealed == close_body(Entry(header, body), GUEST)


@pytest.mark.parametrize("size", [0, 1, LARGEST_BODY])
def test_a_body_of_any_size_is_opened_by_its_guests_key_and_by_no_other(size):
    entry = Entry(b'{"v":1}', b"b" * size)
    sealed = close_body(entry, GUEST)
    assert len(sealed) == 24 + size + 16
    assert open_body(entry.header, sealed, GUEST) == entry.body
    assert open_body(entry.header, sealed, OTHER) is None
    assert open_body(b'{"v":2}', sealed, GUEST) is None


@pytest.mark.parametrize(("nonce", "key"), [(b"n" * 23, b"k" * 32), (b"n" * 24, b"k" * 31), (b"", b"")])
def test_no_nonce_or_key_of_another_length_comes_before_libsodium(nonce, key):
    with pytest.raises(ValueError, match="24 bytes"):
        _sealing()(b"body", b"header", nonce, key)
