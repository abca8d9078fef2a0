"""A guest is an alias that their own key makes, and nothing else can."""

import pytest

from shared.audit.errors import Malformed
from shared.audit.subjects import Subject

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
