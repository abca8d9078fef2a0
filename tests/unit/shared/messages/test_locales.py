"""A guest gets the language asked for, then the hotel's, then English."""

import pytest

from shared.messages.locales import Locale, choose


@pytest.mark.parametrize(
    ("tags", "locale"),
    [
        (["ps-AF"], Locale.PS),
        (["PS_af"], Locale.PS),
        (["prs"], Locale.FA_AF),
        (["fa-IR"], Locale.FA_AF),
        (["fa"], Locale.FA_AF),
        (["ar-SA"], Locale.AR),
        (["en-GB"], Locale.EN),
        ([" fr_CA "], Locale.FR),
        (["de", "ar"], Locale.AR),
        ([None, "fr"], Locale.FR),
        (["", "xx"], Locale.EN),
        (["pseudo"], Locale.EN),
        ([], Locale.EN),
    ],
)
def test_the_first_language_we_speak_is_chosen(tags, locale):
    assert choose(tags) is locale


def test_lines_run_the_way_of_their_script():
    assert [locale.value for locale in Locale if locale.direction == "rtl"] == ["ps", "fa-AF", "ar"]
