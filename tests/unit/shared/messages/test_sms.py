"""Segments are counted as handsets and operators count them."""

import pytest

from shared.messages.sms import folded, measured


@pytest.mark.parametrize(
    ("text", "encoding", "units", "segments"),
    [
        ("", "GSM-7", 0, 1),
        ("a" * 160, "GSM-7", 160, 1),
        ("a" * 161, "GSM-7", 161, 2),
        ("a" * 306, "GSM-7", 306, 2),
        ("a" * 307, "GSM-7", 307, 3),
        ("€" * 80, "GSM-7", 160, 1),
        ("a" * 152 + "€" + "a" * 10, "GSM-7", 164, 2),
        ("a" * 152 + "€" + "a" * 152, "GSM-7", 306, 3),  # the pair moves whole into the second segment
        ("éèàùìòÇ", "GSM-7", 7, 1),
        ("ç", "UCS-2", 1, 1),
        ("a\u202f", "UCS-2", 2, 1),
        ("a\u00a0", "UCS-2", 2, 1),
        ("ب" * 70, "UCS-2", 70, 1),
        ("ب" * 71, "UCS-2", 71, 2),
        ("ب" * 134, "UCS-2", 134, 2),
        ("ب" * 135, "UCS-2", 135, 3),
        ("😀" * 35, "UCS-2", 70, 1),
        ("ب" * 66 + "😀" + "ب" * 66, "UCS-2", 134, 3),
    ],
)
def test_a_text_has_its_segments(text, encoding, units, segments):
    length = measured(text)
    assert (length.encoding, length.units, length.segments) == (encoding, units, segments)


def test_a_latin_text_is_brought_into_gsm_7():
    assert folded("Hôtel « Le Chêne » – août, œuvre, ça…") == 'Hotel " Le Chene " - aout, oeuvre, ca...'
    assert measured(folded("l’été à l’hôtel\u202f: ç")).encoding == "GSM-7"


def test_folding_leaves_what_gsm_7_has_and_what_it_cannot_fold():
    assert folded("é è à ù €") == "é è à ù €"
    assert folded("هوتل Kabul") == "هوتل Kabul"
