"""How a command says things to people."""

import pytest

from infra.cli.answer import span


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (1, "1 second"),
        (90, "1 minute 30 seconds"),
        (3600, "1 hour"),
        (-3661, "1 hour 1 minute"),
        (172_799.6, "2 days"),
        (172_799 - 3_600, "1 day 23 hours"),
        (14_161_800, "163 days 22 hours"),
    ],
)
def test_a_span_is_said_in_the_two_largest_units(seconds, said):
    assert span(seconds) == said
