"""What a vendor says is shown only after everything that could open a door or name a person is out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.scrub import HIDDEN, MAX_LENGTH, scrub


@pytest.mark.parametrize(
    ("message", "secret"),
    [
        ("passcode 482139 exists", "482139"),
        ("passcode 48 21 39 exists", "48 21 39"),
        ("passcode 48-21-39", "48-21-39"),
        ("رمز ۴۸۲۱۳۹", "۴۸۲۱۳۹"),
        ("call +93 70 123 4567", "123 4567"),
        ("mail guest.name@example.org bounced", "guest.name"),
        ('{"password": "hunter two", "x": 1}', "hunter"),
        ("keyboardPwd=99x", "99x"),
        ("access_token: abc", "abc"),
        ("Authorization: Bearer abc.def", "abc.def"),
        ("bearer abc.def", "abc.def"),
        ("card 04a1b2c3d4", "04a1b2c3d4"),
        ("card 04:A2:2B:9C is on the encoder", "04:A2:2B:9C"),
        ("uid04 a2 2b 9c", "04 a2 2b 9c"),
        ("token eyJhbGciOiJIUzI1NiJ9", "eyJhbGci"),
        ("id abcdefghijklmnopqrst", "abcdefghijklmnopqrst"),
    ],
)
def test_what_could_be_a_secret_or_a_person_is_hidden(message, secret):
    assert secret not in scrub(message)
    assert HIDDEN in scrub(message)


@pytest.mark.parametrize(
    "message", ["gateway offline", "lock 12 is busy, try again", "rate limit of 100 reached"]
)
def test_ordinary_words_are_left_alone(message):
    assert scrub(message) == message


def test_lines_cannot_be_forged():
    assert scrub("busy\r\nERROR door open\u2028now") == "busy ERROR door open now"


def test_the_length_is_capped():
    assert len(scrub("busy " * 1000)) <= MAX_LENGTH


@pytest.mark.parametrize("hostile", ["pin-" * 5000, "a" * 20000, "1 " * 10000, "@" * 20000, '"' * 20000])
def test_a_hostile_message_is_scrubbed_in_good_time(hostile):
    assert len(scrub(hostile)) <= MAX_LENGTH


@given(st.text(max_size=60), st.from_regex(r"\A[0-9]{4,12}\Z"), st.text(max_size=60))
def test_a_pin_never_survives_whatever_surrounds_it(before, pin, after):
    assert pin not in scrub(f"{before} {pin} {after}")
