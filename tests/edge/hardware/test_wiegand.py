"""Wiegand: every public vector both ways, and parities that catch any single misread bit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.hardware.wiegand import FORMATS, WiegandRefused, from_proximity, to_proximity
from tests.edge.vectors import vectors

FILE = vectors("wiegand")
CARDS = st.sampled_from(sorted(FORMATS)).flatmap(
    lambda name: st.tuples(
        st.just(FORMATS[name]),
        st.integers(0, (1 << FORMATS[name].card[1] - FORMATS[name].card[0]) - 1),
        st.just(None)
        if FORMATS[name].facility is None
        else st.integers(0, (1 << FORMATS[name].facility[1] - FORMATS[name].facility[0]) - 1),
    )
)


@pytest.mark.parametrize("row", FILE["vectors"], ids=lambda row: f"{row['format']}-{row['card']}")
def test_card_is_the_vector(row):
    found = FORMATS[row["format"]]

    assert found.bits(row["card"], row["facility"]) == row["bits"]
    assert found.read(row["bits"]) == (row["facility"], row["card"])


@pytest.mark.parametrize("row", FILE["hid_prox_hex"], ids=lambda row: row["raw"])
def test_raw_number_is_the_vector(row):
    raw = bytes.fromhex(row["raw"])
    bits = from_proximity(raw)

    assert FORMATS[row["format"]].read(bits) == (row["facility"], row["card"])
    assert to_proximity(bits) == raw


@given(CARDS)
def test_any_card_comes_back(card):
    found, number, facility = card

    assert found.read(found.bits(number, facility)) == (facility, number)


@given(CARDS, st.data())
def test_any_misread_bit_is_refused(card, data):
    found, number, facility = card
    bits = found.bits(number, facility)
    at = data.draw(st.integers(0, found.length - 1))
    misread = bits[:at] + "10"[int(bits[at])] + bits[at + 1 :]

    with pytest.raises(WiegandRefused):
        found.read(misread)


@pytest.mark.parametrize(
    ("name", "card", "facility"),
    [("H10301", 1, None), ("H10302", 1, 1), ("H10301", 65536, 1), ("H10301", -1, 1), ("H10304", 1, 65536)],
)
def test_number_that_does_not_fit_is_refused(name, card, facility):
    with pytest.raises(WiegandRefused):
        FORMATS[name].bits(card, facility)


@pytest.mark.parametrize("bits", ["", "0" * 25, "2" * 26])
def test_bits_of_no_format_are_refused(bits):
    with pytest.raises(WiegandRefused):
        FORMATS["H10301"].read(bits)


@pytest.mark.parametrize("raw", [b"", bytes(5), b"\xff" * 5, b"\x20\0\0\0\0"])
def test_raw_number_of_no_card_is_refused(raw):
    with pytest.raises(WiegandRefused):
        from_proximity(raw)


def test_bits_too_long_for_a_proximity_card_are_refused():
    with pytest.raises(WiegandRefused):
        to_proximity("0" * 37)
