"""A hotel's own colour: what can be read is taken, all else is refused by its field."""

import pytest

from shared.domain.colour import OURS, is_legible
from shared.domain.errors import InvalidInput
from shared.ledger.message_settings import MessageSettings


@pytest.mark.parametrize("colour", [OURS, "#000000", "#767676", "#8a1538"])
def test_a_colour_dark_enough_for_white_words_is_taken(colour):
    assert MessageSettings(phone="1", link_base="https://k.example", colour=colour).colour == colour


@pytest.mark.parametrize(
    "colour", ["#777777", "#ffffff", "#ffd700", "red", "#1F4F46", "#1f4f4", "", "#000000;}</style>"]
)
def test_one_that_cannot_be_read_or_is_none_is_refused_by_its_field(colour):
    assert not is_legible(colour)
    with pytest.raises(InvalidInput, match="colour"):
        MessageSettings(phone="1", link_base="https://k.example", colour=colour)
