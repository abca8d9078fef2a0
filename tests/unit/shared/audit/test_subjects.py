"""A guest is an alias that their own key makes, and nothing else can."""

import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audit.errors import Malformed
from shared.audit.subjects import Subject, keyed

KEY, OTHER = b"k" * 32, b"o" * 32


def test_a_guest_has_one_alias_under_one_key_and_another_under_each_other():
    assert Subject(KEY, "gst_1").alias == Subject(KEY, "gst_1").alias
    assert len({Subject(KEY, "gst_1").alias, Subject(OTHER, "gst_1").alias, Subject(KEY, "gst_2").alias}) == 3


def test_nobody_in_particular_has_no_alias_but_salts():
    assert Subject(KEY).alias is None
    assert Subject(KEY).salt("evt_1") != Subject(KEY).salt("evt_2")
    assert Subject(KEY).salt("evt_1") == Subject(KEY, "gst_1").salt("evt_1")


def test_a_salt_is_no_alias_even_of_the_same_word():
    subject = Subject(KEY, "gst_1")
    assert subject.salt("gst_1").hex() not in subject.alias


def test_neither_key_nor_guest_is_in_what_a_log_line_would_show():
    shown = repr(Subject(b"secret-key-secret-key-secret-key", "gst_canary"))
    assert "secret" not in shown
    assert "canary" not in shown


@pytest.mark.parametrize("key", [b"", b"short", b"k" * 33])
def test_a_key_that_could_be_guessed_is_refused(key):
    with pytest.raises(Malformed, match="32 bytes"):
        Subject(key, "gst_1")


@given(st.binary(max_size=64), st.binary(max_size=80), st.lists(st.binary(max_size=200), max_size=3))
def test_a_key_taken_in_once_makes_the_digests_that_hmac_makes_each_time(key, beginning, messages):
    digest = keyed(key, beginning)
    assert [*map(digest, messages)] == [hmac.digest(key, beginning + each, "sha256") for each in messages]


@pytest.mark.parametrize("guest", [None, "gst_1"])
def test_what_is_made_of_a_guests_key_is_what_a_release_before_made_of_it(guest):
    subject, body_key = Subject(KEY, guest), hmac.digest(KEY, b"keyfleet/audit/body/v1", "sha256")
    assert subject.salt("evt_1") == hmac.digest(KEY, b"keyfleet/audit/salt/v1\nevt_1", "sha256")
    assert subject.body_key == body_key
    assert subject.body_digest(b"header and body") == hmac.digest(body_key, b"header and body", "sha256")
    alias = hmac.digest(KEY, b"keyfleet/audit/subject/v1\ngst_1", "sha256").hex()
    assert subject.alias == (None if guest is None else f"alias:{alias}")
