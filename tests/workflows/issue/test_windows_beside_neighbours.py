"""A key's window is rounded to what its lock keeps, and opens in no neighbour's stay, not for a minute."""

import asyncio
from datetime import UTC, datetime

import pytest

from tests.support.sample_hotel import play

EARLIER = {"reservationId": "rsv_a", "guest": {"id": "gst_a"}}
LATER = {"reservationId": "rsv_b", "guest": {"id": "gst_b"}}
BETWEEN = "2026-03-03T10:30:30Z"
STAYS = {
    "earlier": {**EARLIER, "validFrom": "2026-03-02T09:30:20Z", "validUntil": BETWEEN},
    "later": {**LATER, "validFrom": BETWEEN, "validUntil": "2026-03-05T07:30:40Z"},
}


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


async def windows(house):
    rows = await house.keys_at("101")
    found = [(row["window"]["start"] / 1000, row["window"]["end"] / 1000) for row in rows]
    return sorted(
        (datetime.fromtimestamp(start, UTC), datetime.fromtimestamp(end, UTC)) for start, end in found
    )


@pytest.mark.parametrize("order", [("earlier", "later"), ("later", "earlier")], ids=", then ".join)
def test_back_to_back_windows_of_half_minutes_do_not_overlap_whoever_was_booked_first(tmp_path, order):
    async def scenario(house):
        for number, which in enumerate(order):
            await house.publish(f"evt_{number}", **STAYS[which])
            await house.keys_active(number + 1)
        (start, end), (next_start, next_end) = await windows(house)
        # Down at the start and up at the end, but where somebody else's stay is.
        assert (start, next_end) == (at("2026-03-02T09:30:00"), at("2026-03-05T07:31:00"))
        assert end <= next_start
        assert all(
            abs((each - at("2026-03-03T10:30:30")).total_seconds()) <= 30 for each in (end, next_start)
        )
        warned = [[each["code"] for each in key["core"]["warnings"]] for key in await house.keys()]
        assert warned == [["WINDOW_ROUNDED"], ["WINDOW_ROUNDED"]]

    play(tmp_path, scenario)


def test_changed_end_is_rounded_into_no_next_guest_s_stay(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", **{**STAYS["earlier"], "validUntil": "2026-03-03T10:00:00Z"})
        await house.publish("evt_2", **STAYS["later"])
        await house.keys_active(2)
        changed = {"reservationId": "rsv_a", "validUntil": BETWEEN, "version": 2}
        await house.publish("evt_3", "dates_changed", time="2026-03-01T09:30:00Z", **changed)
        await asyncio.sleep(60)
        (_, end), (next_start, _) = await windows(house)
        assert end == next_start == at("2026-03-03T10:30:00")

    play(tmp_path, scenario)
