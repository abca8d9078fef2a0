"""Staff and their shifts, told as their services tell them."""

import asyncio

import orjson

from shared.ports.bus import Message

STAFF = "melmastoon.staff.shift"
ADD, CHANGE, DELETE = "keyboardPwd/add", "keyboardPwd/change", "keyboardPwd/delete"
BEGINS, ENDS = "2026-03-02T02:00:00Z", "2026-03-02T10:00:00Z"


def said(subject, event, time="2026-03-01T09:00:00Z", **data):
    """Return an event of staff as their services publish it."""
    document = {
        "specVersion": "1.0",
        "id": event,
        "subject": subject,
        "time": time,
        "tenantId": "tnt_silk",
        "data": data,
    }
    return Message(orjson.dumps(document))


async def tell(house, subject, event, seconds=90, time="2026-03-01T09:00:00Z", **data):
    """Publish an event, and give what follows from it a moment."""
    await house.fleet.bus.publish(subject, [said(subject, event, time, **data)])
    await asyncio.sleep(seconds)


async def begun(house, event="evt_on", shift="shift_1", **data):
    told = {
        "shiftId": shift,
        "staffUserId": "usr_7",
        "propertyId": "ppt_kabul",
        "validFrom": BEGINS,
        "validUntil": ENDS,
        "scopes": ["floor:1"],
    }
    await tell(house, f"{STAFF}.started.v1", event, **{**told, **data})


async def ended(house, event="evt_off", shift="shift_1", **data):
    await tell(house, f"{STAFF}.ended.v1", event, shiftId=shift, **data)


async def pins(house, *doors):
    return [sorted(row["code"] for row in await house.keys_at(door)) for door in doors]


async def events_of(house, about):
    """Return what was told of a kind of thing, in order: subject's word and payload."""
    rows = (await house.documents("outbox")).items()
    return [
        (row["subject"].split(".")[-2], orjson.loads(row["body"])["data"])
        for name, row in rows
        if name.startswith(about)
    ]


async def words(house, about="mky_"):
    return [word for word, _ in await events_of(house, about)]
