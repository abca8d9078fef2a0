"""Twenty million requests at the receivers' verifiers and readers, off the wire; few of them come twice.

Each is refused as not proven, refused as unreadable, or becomes a notice that is bounded and holds no secret.
How many there were, and what became of them, is printed. KEYFLEET_FUZZ_READ is how many each shard meets.
"""

import os
import re
import time
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from urllib.parse import parse_qsl, quote

import orjson
import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.domain.secret import Secret
from shared.ledger.vendor_webhook import webhook_id
from shared.usecases.webhooks.delivered import NotProven, delivered
from shared.vendor_kit.standard_webhooks import TOLERANCE, signature
from shared.vendor_kit.webhook import LONGEST_NAME, MOST_HINTS, Delivered, Notice
from shared.vendors.mock.webhook import MockHooks
from shared.vendors.ttlock.webhook import TTLockHooks
from tests.soak.doors.test_receivers_fuzzed import GUEST, KEY, PIN, form, headers, path, told
from tests.support.fuzzed import Corpus
from tests.support.heard_hotel import PATH, SECRET

pytestmark = [pytest.mark.soak, pytest.mark.timeout(0)]
INPUTS = int(os.environ.get("KEYFLEET_FUZZ_READ", "5000000"))
SHARDS = (1, 2)
SEEDS, ONE_IN, PATHS = 500, 16, 200_000
LONGEST_CODE = 128
OURS = re.compile(r"MM-[0-9a-f]{12}")
NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
LATE = SECONDS - int(TOLERANCE / timedelta(seconds=1)) - 1
ADDRESS = Secret(SECRET.encode())
SILK, KABUL = TenantId("tnt_silk"), PropertyId("ppt_kabul")
ROW = {"lockId": 7, "lockDate": 1767225600000, "recordType": 4, "success": 1, "keyboardPwd": PIN}
ATTEMPT = {"id": "e1", "lock": "7", "at": "2026-03-01T09:00:00Z", "opened": True, "key": "MM-0123456789ab"}
WORDS = [
    *(
        b'"',
        b"[",
        b"]",
        b"{",
        b"}",
        b",",
        b":",
        b"null",
        b"true",
        b"-1",
        b"1e99",
        b"9" * 70,
        b"\xff",
        b"\x00",
    ),
    *(b"&", b"=", b"%", b"%22", b"%5B", b"+", b"records=", b"notifyType=1", b"isOnline=0", b"gatewayId=5"),
    *(b'"lockId":8', b'"lockDate":4102444800000', b'"recordType":7', b'"success":0'),
    *(b'"lock":7', b'"opened":null', b'"at":"2026-03-01T09:00:00+04:30"', b'"refused":"wrong_code"', b"MM-"),
    *(b'"type":"access.attempts"', b'"attempts":[', b"\\u0000", b"\\ud800", "٣".encode()),
]


class Unsigned:
    """Callbacks whose address is all that proves them: a form, with records in it as JSON."""

    name, reader, secrets = "TTLock", TTLockHooks(), (ADDRESS,)

    def __init__(self, chance):
        self._chance = chance
        self._tokens = Corpus([SECRET.encode()], [b"=", b"-", b"\x00", SECRET.encode()], chance)

    def seeds(self):
        """Return forms, right and wrong ones; what is in them is spelt as it is, and as browsers do."""
        rows = [orjson.dumps([{**ROW, "username": GUEST}] * many).decode() for many in (1, 2, MOST_HINTS + 1)]
        right = [f"notifyType=1&records={told}" for each in rows for told in (each, quote(each))]
        reach = ["notifyType=2&gatewayId=5&isOnline=0", "notifyType=3&lockId=7&isOnline=1"]
        return [*(each.encode() for each in (*right, *reach)), *(form(self._chance) for _ in range(SEEDS))]

    def sent(self, body, *, forged):
        """Return a request, at an address that is not quite right if it is forged."""
        token = self._tokens.next().decode("latin-1") if forged else SECRET
        return posted(body, {}, token), token == SECRET

    def public(self, body):
        """Return what a body names locks by: that may look like anything, a PIN too."""
        return str([row["lockId"] for row in orjson.loads(dict(parse_qsl(body.decode()))["records"])])


class Signed:
    """Webhooks that bear a signature of their body."""

    name, reader, secrets = "signed", MockHooks(), (KEY,)

    def __init__(self, chance):
        self._chance, self._numbers = chance, count()

    def seeds(self):
        """Return bodies, right and wrong ones."""
        rows = [[{**ATTEMPT, "pin": PIN, "guest": GUEST}] * many for many in (1, 2, MOST_HINTS + 1)]
        right = [{"type": "access.attempts", "attempts": each} for each in rows]
        return [*map(orjson.dumps, right), *(told(self._chance) for _ in range(SEEDS))]

    def sent(self, body, *, forged):
        """Return a request: signed, or by another, or for another body or time."""
        if not forged:
            return posted(body, _signed(f"msg_{next(self._numbers)}", SECONDS, body)), True
        id_, kind = f"msg_{next(self._numbers)}", self._chance.randrange(3)
        if kind == 0:
            return posted(body, headers(self._chance, body, NOW, forged=True)), False
        return posted(
            body, _signed(id_, LATE, body) if kind == 1 else _signed(id_, SECONDS, body + b" ")
        ), False

    def public(self, body):
        """Return what a body names locks, attempts, causes and keys of ours by: `MM-` before a PIN too."""
        said = orjson.loads(body)
        named = [[each.get(name) for name in ("lock", "id", "refused")] for each in said["attempts"]]
        keys = [str(each.get("key")) for each in said["attempts"]]
        return str([said["type"], named, [key for key in keys if OURS.fullmatch(key)]])


def _signed(id_, seconds, body) -> Mapping[str, str]:
    said = signature(KEY, id_, seconds, body)
    return {"webhook-id": id_, "webhook-timestamp": str(seconds), "webhook-signature": said}


def posted(body, said, token="x" * 22):
    return Delivered(tenant=SILK, property_id=KABUL, token=token, headers=said, body=body)


def held(notice, body, vendor):
    """Check a notice: it is bounded, can be kept, and has nothing that only a guest should know."""
    assert isinstance(notice, Notice)
    assert len(notice.hints) <= MOST_HINTS
    for hint in notice.hints:
        assert len(hint.lock) <= LONGEST_NAME
        assert len(hint.event or "") <= LONGEST_CODE
        assert len(hint.refused or "") <= LONGEST_CODE
    assert webhook_id("ppt_kabul.x", notice.event_id, notice.newest).startswith("whk_")
    said = repr(notice)
    assert GUEST not in said
    assert PIN not in said or PIN in vendor.public(body)


def what_is_said(notice):
    """Return by which way a reader came to a notice."""
    shapes = {
        (each.event is None, each.opened, each.name is None, each.refused is None) for each in notice.hints
    }
    return min(len(notice.hints), 3), frozenset(shapes)


def answered(vendor, hook):
    """Return the status that a receiver gives, and what was said, as the receiver does: proof comes first."""
    if not vendor.reader.proven(hook, vendor.secrets, NOW):
        return 401, None
    try:
        notice = vendor.reader.read(hook, NOW)
    except InvalidInput as refusal:
        return 400, str(refusal)
    held(notice, hook.body, vendor)
    return 200, what_is_said(notice)


def tell(vendor, answers, said, seconds, capsys):
    """Print how many requests there were: that is what it is for."""
    counted = ", ".join(f"{status} {answers[status]:,}" for status in sorted(answers))
    with capsys.disabled():
        print(f"\n{vendor.name}: {answers.total():,} requests in {seconds:.0f} s of CPU")  # noqa: T201 - see above
        print(f"  {counted}; {len(said)} ways to an answer")  # noqa: T201 - see above


@pytest.mark.parametrize("shard", SHARDS)
@pytest.mark.parametrize("kind", [Unsigned, Signed])
def test_whatever_comes_is_unproven_unreadable_or_a_notice_without_a_secret(kind, shard, capsys):
    chance, began = Random(shard), time.process_time()
    vendor, answers = kind(chance), Counter()
    bodies = Corpus(vendor.seeds(), WORDS, chance)
    for number in range(INPUTS):
        body = bodies.next()
        hook, right = vendor.sent(body, forged=number % ONE_IN == 0)
        status, said = answered(vendor, hook)
        assert (status != 401) is right
        answers[status] += 1
        bodies.heard(body, said)
    tell(vendor, answers, bodies.said, time.process_time() - began, capsys)
    assert answers.total() == INPUTS
    assert answers.keys() == {200, 400, 401}
    assert not [said for said in bodies.said if isinstance(said, str) and (PIN in said or GUEST in said)]
    assert {many for many, _ in filter(lambda said: isinstance(said, tuple), bodies.said)} == {0, 1, 2, 3}


def test_no_path_but_the_right_one_bears_the_secret():
    chance = Random(15)
    for _ in range(PATHS):
        tried = path(chance, PATH)
        try:
            hook = delivered(tried.split("/")[1:], {}, b"")
        except NotProven:
            continue
        assert TTLockHooks().proven(hook, (ADDRESS,), NOW) is (hook.token == SECRET)
        assert not TTLockHooks().proven(hook, (), NOW)
