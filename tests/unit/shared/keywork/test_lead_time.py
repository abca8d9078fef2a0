"""How many places of a lock are for those who come soon."""

import pytest

from shared.keywork.lead_time import Places


@pytest.mark.parametrize(
    ("capacity", "rooms", "for_later"),
    [
        (250, 1, 200),  # four fifths
        (250, 16, 200),
        (250, 17, 199),  # three guests of three days for each room
        (250, 60, 70),
        (250, 84, 0),  # whoever comes later waits
        (10, 1, 7),
        (2, 1, 0),
        (1000, 100, 700),
    ],
)
def test_a_fifth_is_kept_or_a_place_for_each_guest_of_three_days(capacity, rooms, for_later):
    assert Places(capacity, rooms).for_later == for_later
