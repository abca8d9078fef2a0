"""What a comparison tells of one lock: only one that came to its end was at each."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.ids import LockDeviceId, PropertyId
from shared.domain.kinds import VendorCode
from shared.ledger.comparison import Comparison, Occasion, Progress

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
NIGHT = NOW - timedelta(hours=7)
DOOR, ANOTHER = LockDeviceId(f"lck_{1:026}"), LockDeviceId(f"lck_{2:026}")


def comparison(**news):
    told = {"property_id": PropertyId("ppt_kabul"), "vendor": VendorCode("mock"), "run": "1"}
    told |= {"occasion": Occasion.NIGHTLY, "began_at": NOW, "moved_at": NOW, "whole_at": NIGHT}
    return Comparison(**told | news)


@pytest.mark.parametrize(
    ("news", "at"),
    [
        ({"progress": Progress.DONE}, NOW),
        ({"progress": Progress.BRAKED}, NOW),
        ({"progress": Progress.DONE, "only": DOOR}, NOW),
        ({"progress": Progress.DONE, "only": ANOTHER}, NIGHT),
        ({"progress": Progress.UNDER_WAY}, NIGHT),
        ({"progress": Progress.BROKEN_OFF}, NIGHT),
        ({"progress": Progress.BROKEN_OFF, "whole_at": None}, None),
        ({"progress": Progress.DONE, "unread": (DOOR,)}, None),
    ],
)
def test_a_lock_was_compared_when_a_comparison_of_it_came_to_its_end(news, at):
    assert comparison(**news).of_lock_at(DOOR) == at
