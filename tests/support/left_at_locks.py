"""What locks would not let go of, and what was told of it."""

import asyncio

import orjson

LATER = "2026-03-01T11:00:00Z"


async def told_of(house, what):
    """Return the payloads of every event of a kind, in order."""
    rows = (await house.documents("outbox")).values()
    return [orjson.loads(row["body"])["data"] for row in rows if row["subject"].endswith(f".{what}.v1")]


async def residues(house):
    """Return what should be gone and may still open a lock, as operators are told."""
    status, shown = await house.on.send("_cloud/residues", caller="operator", method="GET")
    assert status == 200
    return shown["residues"]


async def settlements(house):
    """Return what each revoke_settled event said of the locks."""
    return [(data["vendorRevokeOk"], data["locks"]) for data in await told_of(house, "revoke_settled")]


async def stuck_at_its_locks(house):
    """Issue a key, jam its locks, and cancel the stay."""
    await house.publish("evt_1")
    await asyncio.sleep(5)
    await house.fault("errcode:-3037", "keyboardPwd/delete")
    await house.publish("evt_2", "cancelled", time=LATER)
