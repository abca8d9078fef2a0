"""Vendors' accounts replaced, night by night."""

import asyncio

import orjson

from shared.audit.entries import action_entry
from shared.audit.subjects import Subject
from shared.ledger.indexes import DUE_DEEDS
from tests.support.sample_hotel import KABUL, SILK

NEXT, WRONG = "canary-next-secret-81", "canary-wrong-secret-17"


def secret_of(vendor):
    return f"lock-{vendor}-{SILK}-{KABUL}-api"


async def used(house, vendor):
    """Return the version of an account that is used, and what it says."""
    found = await house.fleet.platform.secrets.latest(secret_of(vendor))
    return found.version, orjson.loads(found.value.reveal())


def entries(house):
    """Return what the audit log will hold of what was done about accounts, in order; the sweeper told it."""
    kept = house.fleet.means.engine.read(
        "SELECT unpacked(body) FROM packed WHERE collection = 'outbox' AND id LIKE 'deed_%' ORDER BY id"
    )
    made = [action_entry(orjson.loads(row), Subject(bytes(32))) for (row,) in kept]
    return [orjson.loads(each.header) | orjson.loads(each.body)["data"] for each in made]


async def untold(house):
    """Return how many deeds nobody was told of, once the sweeper has been."""
    await sweep(house)
    return len(await house.fleet.platform.documents.sweep(DUE_DEEDS, {}, until=1 << 52))


def alerts(house):
    return [line["message"] for line in house.logged("ALERT")]


async def assert_hidden(house, *secrets):
    """Check that no secret of an account stands in any document, journal or line."""
    engine = house.fleet.means.engine
    tables = ("id, keys, unpacked(body) FROM packed", "execution, seq, unpacked(entry) FROM journal")
    kept = [str(engine.read(f"SELECT {table}", ())) for table in tables]
    text = "\n".join([*kept, house.on.log.getvalue()])
    assert not [each for each in secrets if each in text]


async def sweep(house):
    status, answer = await house.on.send("sweep-due", {}, caller="operator")
    assert status == 200, answer


async def pass_time(house, span):
    house.fleet.world.clock._beginning += span
    await asyncio.sleep(1)


def died(*_args):
    raise RuntimeError("the process, at this line")
