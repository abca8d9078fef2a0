"""A vendor's bare codes, with the words of its own table."""

import pytest

from infra.cli.vendor_words import meant


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("ttlock keyboardPwd/add: -3002", " (gateway offline)"),
        ("ttlock keyboardPwd/delete: 80000", " (clock off)"),
        ("ttlock keyboardPwd/add: -3009", " (lock full)"),
        ("ttlock keyboardPwd/add: -99999", ""),
        ("ttlock gateway/listLock: yes", ""),
        ("ttlock was asked to place pin_code at Room 101: gateway_busy", ""),
        ("nobody keyboardPwd/add: -3002", ""),
        ("..ttlock keyboardPwd/add: -3002", ""),
    ],
)
def test_a_code_is_told_with_what_it_means_and_nothing_else_is_touched(said, words):
    assert meant(said) == words
