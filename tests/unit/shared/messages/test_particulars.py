"""What a message is about is checked when it comes in, and no refusal repeats it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.messages.kinds import Channel
from shared.messages.particulars import Particulars, grouped

WINDOW = StayWindow(datetime(2026, 3, 21, tzinfo=UTC), datetime(2026, 3, 24, tzinfo=UTC), "Asia/Kabul")
SAID = Particulars("Kabul Palace", "+93 70 123 4567", ("204",), WINDOW)


@pytest.mark.parametrize(
    ("pin", "groups"),
    [
        ("4821", "4821"),
        ("482179", "482 179"),
        ("4821793", "482 1793"),
        ("48217930", "4821 7930"),
        ("482179301", "482 179 301"),
        ("482179301234", "4821 7930 1234"),
    ],
)
def test_a_pin_is_grouped_to_be_kept_in_mind(pin, groups):
    assert grouped(pin) == groups


def test_every_length_of_pin_keeps_all_its_digits():
    for length in range(4, 13):
        pin = "123456789012"[:length]
        assert grouped(pin).replace(" ", "") == pin


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hotel", "\u202e\n"),
        ("phone", " "),
        ("rooms", ()),
        ("rooms", ("1",) * 51),
        ("pin", Secret("482")),
        ("pin", Secret("48217930#")),
        ("pin", Secret("۴۸۲۱۷۹۳۰")),
        ("link", Secret("http://keys.example/k/a1")),
        ("link", Secret("https://keys.example/k/a1\u200e")),
        ("link", Secret('https://keys.example/"><script>')),
        ("link", Secret("https://user@keys.example/k/a1")),
        ("link", Secret("https://keys.example/k/a1.")),
        ("link", Secret("https://keys.example/" + "a" * 200)),
    ],
)
def test_what_no_message_can_say_is_refused(field, value):
    with pytest.raises(InvalidInput) as refused:
        replace(SAID, **{field: value})
    assert refused.value.field == field
    if isinstance(value, Secret):
        assert value.reveal() not in str(refused.value)


def test_secrets_do_not_show():
    said = replace(SAID, pin=Secret("48217930"), link=Secret("https://keys.example/k/a1"))
    assert "4821" not in repr(said)
    assert "keys.example" not in repr(said)


def test_a_hotel_name_is_cut_to_what_the_channel_holds():
    said = replace(SAID, hotel="Grand Continental Kabul Palace Hotel and Gardens")
    assert said.hotel_for(Channel.SMS) == "Grand Continental Kabul…"
    assert len(said.hotel_for(Channel.PUSH)) == 40
