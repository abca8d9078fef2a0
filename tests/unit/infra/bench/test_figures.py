"""A floor is kept from the better side."""

import pytest

from infra.bench.figures import Figure


@pytest.mark.parametrize(
    ("better", "value", "kept"),
    [
        ("higher", 11, True),
        ("higher", 10, True),
        ("higher", 9, False),
        ("lower", 9, True),
        ("lower", 11, False),
    ],
)
def test_a_floor_is_kept_by_values_at_least_as_good(better, value, kept):
    assert Figure("1/s", better, floor=10).keeps(10, value) is kept


def test_without_a_floor_there_is_nothing_to_keep():
    assert Figure("1/s").keeps(None, 0) is None
