"""Millions of bodies at the receivers' readers, off the wire: each is a notice without a secret, or refused.

As many as fit into the seconds of CPU that KEYFLEET_FUZZ_SECONDS gives each reader; how many those were is
printed. Issue 14's ten millions of each take some minutes on a quiet machine.
"""

import contextlib
import os
import time
from datetime import UTC, datetime
from random import Random

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.domain.secret import Secret
from shared.ledger.vendor_webhook import webhook_id
from shared.usecases.webhooks.receive_webhook import NotProven, delivered
from shared.vendor_kit.webhook import LONGEST_NAME, MOST_HINTS, Delivered, Notice
from shared.vendors.mock.webhook import MockHooks
from shared.vendors.ttlock.webhook import TTLockHooks
from tests.soak.doors.test_receivers_fuzzed import GUEST, KEY, PIN, form, headers, mutated, path, told
from tests.support.heard_hotel import PATH, SECRET

pytestmark = [pytest.mark.soak, pytest.mark.timeout(0)]
SECONDS = float(os.environ.get("KEYFLEET_FUZZ_SECONDS", "25"))
NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
SEEDS, AT_A_TIME = 3000, 500
LONGEST_CODE = 128
ADDRESS = Secret(SECRET.encode())
SILK, KABUL = TenantId("tnt_silk"), PropertyId("ppt_kabul")


def posted(body, said=None):
    return Delivered(tenant=SILK, property_id=KABUL, token="x" * 22, headers=said or {}, body=body)


def held(notice):
    """Check a notice: it is bounded, can be kept, and has nothing that only a guest should know."""
    assert isinstance(notice, Notice)
    assert len(notice.hints) <= MOST_HINTS
    assert all(len(hint.lock) <= LONGEST_NAME for hint in notice.hints)
    assert all(
        len(text or "") <= LONGEST_CODE for hint in notice.hints for text in (hint.event, hint.refused)
    )
    assert webhook_id("ppt_kabul.x", notice.event_id, notice.newest).startswith("whk_")
    said = repr(notice)
    assert PIN not in said
    assert GUEST not in said


def bodies(seeds, chance):
    """Yield bodies for ever: from the seeds, each changed in some places, or two that are joined."""
    while True:
        body = chance.choice(seeds)
        kind = chance.random()
        if kind < 0.1:
            other = chance.choice(seeds)
            body = body[: chance.randrange(len(body) + 1)] + other[chance.randrange(len(other) + 1) :]
        yield body if kind > 0.9 else mutated(body, chance)


def read_for(reader, seeds, chance, said=None):
    """Read bodies as long as there is time; return how many were read, and how many of them were notices."""
    until, source = time.process_time() + SECONDS, bodies(seeds, chance)
    many = notices = 0
    while time.process_time() < until:
        for body in (next(source) for _ in range(AT_A_TIME)):
            many += 1
            try:
                notice = reader.read(posted(body, said), NOW)
            except InvalidInput:
                continue
            notices += 1
            held(notice)
    return many, notices


@pytest.mark.parametrize(
    ("reader", "seeded", "said"),
    [(TTLockHooks(), form, None), (MockHooks(), told, {"webhook-id": "msg_1"})],
    ids=["unsigned", "signed"],
)
def test_whatever_is_read_is_a_notice_without_a_secret_or_refused(reader, seeded, said, capsys):
    chance = Random(14)
    seeds = [seeded(chance) for _ in range(SEEDS)]
    many, notices = read_for(reader, seeds, chance, said)
    with capsys.disabled():
        said = f"{many} bodies read in {SECONDS:.0f} s of CPU, {notices} of them notices"
        print(f"\n{type(reader).__name__}: {said}")  # noqa: T201 - how many is what it is for
    assert 0 < notices < many


def test_no_stranger_is_proven_by_an_address_or_a_signature_that_he_made_up(capsys):
    chance, until, many = Random(15), time.process_time() + SECONDS / 2, 0
    while time.process_time() < until:
        for _ in range(AT_A_TIME):
            many += 2
            tried, body = path(chance, PATH), chance.randbytes(40)
            with contextlib.suppress(NotProven):
                hook = delivered(tried.split("/")[1:], {}, body)
                assert TTLockHooks().proven(hook, (ADDRESS,), NOW) is (hook.token == SECRET)
            forged = posted(body, headers(chance, body, NOW, forged=True))
            assert not MockHooks().proven(forged, (KEY,), NOW)
            assert not MockHooks().proven(forged, (), NOW)
    with capsys.disabled():
        print(f"\n{many} made-up proofs in {SECONDS / 2:.0f} s of CPU")  # noqa: T201 - how many is what it is for
