"""Inserted values are one clean line, and isolates are counted."""

import pytest

from shared.messages.bidi import CONTROLS, balanced, clean, first_strong, isolated, led, marked

LRM, RLM, LRI, RLI, FSI, PDI = "\u200e", "\u200f", "\u2066", "\u2067", "\u2068", "\u2069"


@pytest.mark.parametrize(
    "control", sorted(CONTROLS | set("\x00\x07\x1b\x7f\x9f\u200b\u2028\ufeff\U000e0041"))
)
def test_control_and_bidi_characters_do_not_come_in(control):
    assert clean(f"Kabul{control} Palace", 80) == "Kabul Palace"


def test_line_breaks_cannot_start_a_header_or_a_line():
    assert clean("Kabul\r\nBcc: all@example.org\t\n", 80) == "Kabul Bcc: all@example.org"


def test_the_joiners_that_persian_words_need_stay():
    assert clean("مهمان\u200cخانه", 80) == "مهمان\u200cخانه"


def test_a_long_value_is_cut():
    assert clean("Grand Continental Palace", 10) == "Grand Con…"
    assert clean("Grand", 5) == "Grand"


@pytest.mark.parametrize(
    ("text", "sound"),
    [
        ("plain", True),
        (f"{LRI}48{PDI} {FSI}x {RLI}y{PDI}{PDI}", True),
        (f"{LRI}48", False),
        (f"48{PDI}", False),
        (f"{PDI}48{LRI}", False),
        (f"{LRI}48\n{PDI}", False),
        ("\u202e48\u202c", False),
    ],
)
def test_isolates_close_within_their_line(text, sound):
    assert balanced(text) is sound


def test_a_value_is_isolated_by_its_direction():
    assert isolated("48", "ltr") == f"{LRI}48{PDI}"
    assert isolated("هوتل", None) == f"{FSI}هوتل{PDI}"


def test_a_value_in_an_sms_is_marked_only_where_the_line_runs_against_it():
    assert marked("4821 7930", "ltr", "rtl") == f"{LRM}4821\u00a07930{LRM}"
    assert marked("4821 7930", "ltr", "ltr") == "4821 7930"
    assert marked("Kabul Palace", None, "rtl") == f"{LRM}Kabul Palace{LRM}"
    assert marked("هوتل کابل", None, "rtl") == "هوتل کابل"


def test_a_line_is_led_by_its_own_direction():
    assert led(f"{LRM}Kabul{LRM}: کود") == f"{RLM}{LRM}Kabul{LRM}: کود"
    assert led("کود Kabul") == "کود Kabul"
    assert first_strong("48 - ") is None
