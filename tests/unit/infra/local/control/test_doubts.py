"""What is valid in an event and changes nothing is said, and what is meant is not."""

import pytest

from infra.local.control.doubts import doubts

CONFIRMED = "melmastoon.reservation.booking.confirmed.v1"
STAY = {
    "reservationId": "rsv_1",
    "propertyId": "ppt_kabul",
    "guest": {"id": "gst_1"},
    "rooms": ["rmu_101"],
    "validFrom": "2026-05-01T09:00:00Z",
    "validUntil": "2026-05-02T09:00:00Z",
}
NESTED = {name: value for name, value in STAY.items() if not name.startswith("valid")} | {
    "window": {"from": "2026-05-01T09:00:00Z", "to": "2026-05-02T09:00:00Z"}
}


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"prefferedKinds": ["pin_code"]}, "data.prefferedKinds"),
        ({"guest": {"id": "gst_1", "vip": True}}, "data.guest.vip"),
        ({"preferredKinds": ["skeleton", "pin_code"]}, "data.preferredKinds"),
        ({"scope": {"areas": ["moon"]}}, "data.scope.areas"),
        ({"paymentStatus": "unpaid"}, "data.paymentStatus"),
    ],
)
def test_what_changes_nothing_is_named_by_its_field(more, field):
    (said,) = doubts(CONFIRMED, {**STAY, **more})
    assert said.path == field
    assert said.remedy


@pytest.mark.parametrize(
    "data",
    [
        STAY,
        NESTED,
        {**STAY, "paymentStatus": "captured", "preferredKinds": ["pin_code"], "scope": {"areas": ["pool"]}},
    ],
)
def test_what_is_read_and_known_is_not_doubted(data):
    assert doubts(CONFIRMED, data) == []


def test_a_word_that_is_passed_over_is_told_beside_those_that_are_known():
    (said,) = doubts(CONFIRMED, {**STAY, "preferredKinds": ["skeleton", "pin_code"]})
    assert "skeleton" in said.problem
    assert "pin_code" not in said.problem
    assert "pin_code" in said.remedy
