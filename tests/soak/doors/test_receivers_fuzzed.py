"""Strangers at the receivers: whatever comes, only 2xx, 400, 401 and 413, no state of it, and no secret kept.

These come over the whole way, from the connection to the commit; what their verifiers and readers make of
twenty millions more is `test_receivers_read`'s. KEYFLEET_FUZZ is how many strangers each receiver meets.
"""

import asyncio
import base64
import os
from random import Random
from urllib.parse import quote, urlencode

import orjson
import pytest

from shared.domain.secret import Secret
from shared.vendor_kit.standard_webhooks import signature
from tests.support.heard_hotel import PATH, SECRET, play
from tests.support.sample_hotel import DOORS

pytestmark = [pytest.mark.soak, pytest.mark.timeout(0)]
INPUTS = int(os.environ.get("KEYFLEET_FUZZ", "15000"))
ALLOWED = {200, 400, 401, 413}
TOO_MANY = 70_000
PIN, GUEST = "48291357", "Farid Ahmadi"
SIGNED = "webhook-mock/tnt_silk/ppt_kabul"
KEY = Secret(b"whsec_" + base64.b64encode(b"k" * 32))
PLAIN = ("notifyType", "records", "lockId", "lockDate", "recordType", "success")
KEPT = ("webhooks", "attempts", "outbox", "anomalies", "device_health")
WORDS = [
    "notifyType",
    "records",
    "lockId",
    "lockDate",
    "recordType",
    "keyboardPwd",
    "username",
    "admin",
    "success",
]
ODD = [
    "",
    "0",
    "-1",
    "1e99",
    "null",
    "[]",
    "{}",
    "[[",
    '"',
    "\\",
    "\x00",
    "\ud7ff",
    "٣",
    "9" * 400,
    "[" * 3000,
    "%",
    "&=&",
]


def value(chance):
    return chance.choice([chance.choice(ODD), DOORS["101"], str(chance.getrandbits(70)), chance.random()])


def record(chance):
    """Return a record as odd as can be, with what only a guest and a lock should know where it belongs."""
    secrets = {"keyboardPwd": PIN, "username": GUEST, "admin": GUEST}
    if chance.random() < 0.3:
        return secrets | {"lockId": int(DOORS["101"]), "lockDate": 1767225600000, "recordType": 4}
    return secrets | {chance.choice(PLAIN): value(chance) for _ in range(chance.randrange(8))}


def form(chance):
    """Return a callback's body: right, nearly right, or nothing of the kind."""
    kind = chance.randrange(4)
    if kind == 0:
        return chance.randbytes(chance.randrange(300))
    records = orjson.dumps([record(chance) for _ in range(chance.randrange(4))]).decode()
    fields = {chance.choice(WORDS): str(value(chance)) for _ in range(chance.randrange(6))}
    if kind > 1:
        fields |= {"notifyType": chance.choice("1234567"), "records": records}
    body = urlencode(fields, errors="replace").encode()
    return body if kind != 3 else mutated(body, chance)


def mutated(body, chance):
    changed = bytearray(body)
    for _ in range(chance.randrange(1, 6)):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def path(chance, right):
    """Return the right path seldom, and else what a stranger tries."""
    parts = right.split("/")
    spoilt = chance.randrange(5)
    if spoilt == 0:
        parts[-1] = base64.urlsafe_b64encode(chance.randbytes(16)).decode().rstrip("=")
    elif spoilt == 1:
        parts[chance.randrange(1, len(parts))] = quote(str(value(chance)), safe="")
    elif spoilt == 2:
        parts = parts[: chance.randrange(1, len(parts))]
    elif spoilt == 3:
        parts += ["more"]
    else:
        parts[-1] = parts[-1].swapcase()
    return "/".join(parts)


def told(chance):
    """Return a signed receiver's body."""
    attempt = {
        "id": f"e{chance.randrange(99)}",
        "lock": "7",
        "at": "2026-03-01T09:00:00Z",
        "opened": True,
        "key": GUEST,
    }
    attempt[chance.choice(list(attempt)[:4])] = value(chance)
    attempt |= {"pin": PIN, "guest": GUEST}
    body = orjson.dumps({"type": chance.choice(["access.attempts", value(chance)]), "attempts": [attempt]})
    return chance.choice([body, mutated(body, chance), chance.randbytes(50)])


def headers(chance, body, now, *, forged):
    seconds, id_ = int(now.timestamp()), f"msg_{chance.getrandbits(60)}"
    signed = signature(
        Secret(b"whsec_" + base64.b64encode(chance.randbytes(32))) if forged else KEY, id_, seconds, body
    )
    sent = {"webhook-id": id_, "webhook-timestamp": str(seconds), "webhook-signature": signed}
    if forged and chance.random() < 0.5:
        sent[chance.choice(list(sent))] = chance.choice(
            ["", "v1,", "v1," + "A" * 43 + "=", str(chance.getrandbits(80))]
        )
    return sent


async def state(house):
    return {name: await house.documents(name) for name in KEPT}


def test_a_stranger_changes_nothing_whatever_he_sends(tmp_path):
    async def scenario(house):
        await house.listen()
        await house.fleet.platform.secrets.add("lock-mock-tnt_silk-ppt_kabul-webhook", KEY)
        before, chance, answers = await state(house), Random(14), set()
        for number in range(INPUTS):
            now = house.fleet.platform.clock.now()
            answers.add((await house.on.send(path(chance, PATH), form(chance)))[0])
            body = told(chance)
            sent = headers(chance, body, now, forged=True)
            answers.add((await house.on.send(SIGNED, body, headers=sent))[0])
            if number % 1000 == 0:
                answers.add((await house.on.send(PATH, b"x" * TOO_MANY))[0])
                await asyncio.sleep(1)
        assert answers == {401, 413}, answers
        assert await state(house) == before
        text = house.on.log.getvalue()
        assert SECRET not in text
        assert PIN not in text
        assert GUEST not in text

    play(tmp_path, scenario)


def test_a_vendor_that_sends_nonsense_is_answered_and_none_of_its_secrets_is_kept(tmp_path):
    async def scenario(house):
        await house.listen()
        await house.fleet.platform.secrets.add("lock-mock-tnt_silk-ppt_kabul-webhook", KEY)
        chance, answers = Random(15), set()
        for _ in range(INPUTS // 5):
            now = house.fleet.platform.clock.now()
            answers.add((await house.on.send(PATH, form(chance)))[0])
            body = told(chance)
            sent = headers(chance, body, now, forged=False)
            answers.add((await house.on.send(SIGNED, body, headers=sent))[0])
        assert answers <= ALLOWED, answers
        assert {200, 400} <= answers
        everything = str(await state(house)) + house.on.log.getvalue()
        assert PIN not in everything
        assert GUEST not in everything
        assert SECRET not in everything

    play(tmp_path, scenario)
