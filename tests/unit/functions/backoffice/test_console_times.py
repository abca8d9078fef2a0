"""A hotel's page tells the time as the clock on its wall, and which hotel it is by its name."""

import pytest

from functions.backoffice.console_paper import Paper, shown
from functions.backoffice.console_times import on_the_wall
from shared.messages.locales import Locale
from shared.queries.hotels import House

NOON = "2026-10-25T00:30:05.123Z"


@pytest.mark.parametrize(
    ("at", "zone", "told"),
    [
        (NOON, "Asia/Kabul", "2026-10-25 05:00:05 +04:30"),
        (NOON, "Europe/Berlin", "2026-10-25 02:30:05 +02:00"),
        ("2026-10-25T01:30:05Z", "Europe/Berlin", "2026-10-25 02:30:05 +01:00"),
        ("2026-10-25T00:30:05+00:00", "America/New_York", "2026-10-24 20:30:05 -04:00"),
    ],
)
def test_an_instant_is_told_by_the_hotel_s_clock_and_its_utc_stays_at_hand(at, zone, told):
    text = on_the_wall(f"<td>{shown(at)}</td>", zone)
    assert f">{told}</time>" in text
    assert f'datetime="{at}" title="2026-10-25 0' in text
    assert ' UTC">' in text


def test_where_no_hotel_is_looked_at_times_are_utc():
    assert on_the_wall(shown(NOON), "") == shown(NOON)


def test_a_stranger_s_text_that_looks_like_a_time_is_left_alone():
    planted = shown('<time dir="ltr" datetime="x">2026 UTC</time>')
    assert on_the_wall(planted, "Asia/Kabul") == planted


def test_a_hotel_is_called_by_its_name_and_a_stranger_by_its_id():
    paper = Paper(Locale("en"), "n", "/", "ppt_a", (House("ppt_a", '<b>"Silk"'),))
    assert paper.called("ppt_a").startswith('<span title="ppt_a">')
    assert "&lt;b&gt;&quot;Silk&quot;" in paper.called("ppt_a")
    assert "ppt_b" in paper.called("ppt_b")
