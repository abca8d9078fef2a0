"""A code that a lock computes by itself has whole hours, and never those of the next guest (trial ES4)."""

import asyncio
from datetime import UTC, datetime

import pytest

from tests.support.sample_hotel import play

LEAVES = "2026-03-02T07:10:00Z"
"""Ten to twelve on the wall in Kabul: a code of whole hours there would end at noon, half an hour later."""
NOW = {"validFrom": "2026-03-01T09:30:00Z", "validUntil": LEAVES}


async def next_guest(house, comes):
    other = {"reservationId": "rsv_2", "guest": {"id": "gst_2"}}
    await house.publish("evt_0", **other, validFrom=comes, validUntil="2026-03-04T07:30:00Z")
    await house.settled()


async def computed(house):
    """Return until when the code opens that is computed while the gateway is away."""
    await house.steer("PATCH", "gateways/501", online=False)
    await house.publish("evt_1", **NOW)
    await asyncio.sleep(30)
    key = next(k for k in await house.keys() if k["core"]["holder"]["reservation_id"] == "rsv_1")
    assert key["state"]["type"] == "active"
    grants = [row["grant"] for row in (await house.documents("grants")).values()]
    (grant,) = [each for each in grants if each["credential_id"] == key["core"]["id"]]
    return datetime.fromisoformat(grant["exposure_until"])


@pytest.mark.parametrize(
    ("comes", "latest"), [(LEAVES, 7), ("2026-03-02T07:30:00Z", 8), ("2026-03-02T12:30:00Z", 8)]
)
def test_es4_a_code_that_is_computed_ends_before_the_next_guest_comes(tmp_path, comes, latest):
    async def scenario(house):
        await house.unmap("front")
        await next_guest(house, comes)
        until = await computed(house)
        assert until <= datetime.fromisoformat(comes)
        assert datetime(2026, 3, 2, 6, tzinfo=UTC) <= until <= datetime(2026, 3, 2, latest, tzinfo=UTC)

    play(tmp_path, scenario)
