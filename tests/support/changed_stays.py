"""A stay whose dates change, or that is doubted, and its key."""

import asyncio

from tests.support.sample_hotel import SILK

ADD, DELETE, CHANGE = "keyboardPwd/add", "keyboardPwd/delete", "keyboardPwd/change"
LATER, LATEST = "2026-03-01T11:00:00Z", "2026-03-01T12:00:00Z"
LONGER = "2026-03-06T07:30:00Z"


async def booked(house, **data):
    await house.publish("evt_1", version=1, **data)
    await asyncio.sleep(10)
    (key,) = await house.keys()
    assert key["state"]["type"] == "active"
    (row,) = await house.keys_at("101")
    return key["core"]["id"], row["code"]


async def changed(house, event="evt_2", version=2, **data):
    await house.publish(event, "dates_changed", version=version, time=LATER, **data)
    await asyncio.sleep(30)


async def ordered(house, what, reason="manual"):
    body = {"tenant": str(SILK), "reservation": "rsv_1", "reason": reason, "by": "usr_clerk"}
    status, _ = await house.on.send(what, body, caller="operator")
    assert status == 200
    await asyncio.sleep(30)


async def pins(house, door):
    return [row["code"] for row in await house.keys_at(door)]


async def states(house):
    return [key["state"]["type"] for key in await house.keys()]
