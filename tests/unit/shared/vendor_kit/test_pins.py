"""PINs are drawn evenly, are long enough, and are none that a stranger would try first."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.ambient import SeededEntropy, SystemEntropy
from shared.domain.errors import InvalidInput
from shared.vendor_kit.pins import draw_pin, too_simple


class Dice:
    """Chance that says what it is told to say, in turn."""

    def __init__(self, *numbers):
        self._numbers = list(numbers)

    def token(self, size):
        return self._numbers.pop(0).to_bytes(size)


@given(st.integers(), st.sampled_from([6, 7, 8]))
def test_pin_has_its_digits_and_is_not_simple(seed, digits):
    pin = draw_pin(SeededEntropy(seed), digits).reveal()
    assert (len(pin), pin.isdecimal(), pin[0] != "0", too_simple(pin)) == (digits, True, True, False)


@pytest.mark.parametrize("digits", [5, 9])
def test_pin_of_another_length_is_refused(digits):
    with pytest.raises(InvalidInput, match="pinDigits"):
        draw_pin(SystemEntropy(), digits)


@pytest.mark.parametrize("pin", ["012345", "111111", "121212", "112211", "234567", "987654", "78901234"])
def test_simple_pin_is_known_as_such(pin):
    assert too_simple(pin)


def test_simple_pin_is_drawn_again():
    assert draw_pin(Dice(123_456, 583_914), 6).reveal() == "583914"


def test_what_would_favour_low_numbers_is_drawn_again():
    assert draw_pin(Dice(2**64 - 1, 583_914), 6).reveal() == "583914"


def test_pins_are_spread_evenly():
    entropy = SeededEntropy(7)
    firsts = Counter(draw_pin(entropy, 6).reveal()[0] for _ in range(9000))
    assert set(firsts) == set("123456789")
    assert all(850 < count < 1150 for count in firsts.values())
