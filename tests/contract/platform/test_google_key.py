"""The first key on Google's ports: a booking becomes a key at its locks, and is taken back."""

import base64
from collections import Counter

import orjson
import pytest

from shared.domain.ids import KeyCredentialId
from shared.domain.kinds import KeyCredentialKind
from shared.gcp.cipher import MAGIC
from shared.ledger.sealed_keys import SealedKeys, SecretName
from shared.ports.vault import PurposeRefused
from shared.runtime.platform import deployed
from tests.support.sample_hotel import SILK
from tests.support.vendors import TTLOCK

LIFE = ["requested", "pending", "issued", "revoked", "revoke_settled"]
TELLERS = {"on-key-told": 2, "on-anything-told": len(LIFE), "hear-neighbours": 1}
"""Who hears of what became of a key, and how often."""


async def test_a_booking_becomes_a_key_at_its_locks_until_the_guest_leaves(house):
    await house.publish("evt_1")
    (entry,) = await house.issued()
    (event,) = house.cloud.post.of("issued")
    assert event["data"]["keyCredentialId"] == entry["credential"]["core"]["id"]
    assert entry["credential"]["state"]["type"] == "active"
    (at_room,), (at_front,) = await house.doors.keys_at("101"), await house.doors.keys_at("front")
    assert at_room["code"] == at_front["code"]
    entry = await house.taken_back()
    assert entry["credential"]["state"]["type"] == "revoked"
    assert [lock["ok"] for lock in entry["credential"]["state"]["settlement"]] == [True, True]
    assert [grant["state"]["type"] for grant in await house.grants()] == ["removed", "removed"]
    assert await house.doors.keys_at("101") == await house.doors.keys_at("front") == []


async def test_every_function_on_the_way_is_called_once_and_every_event_told_as_it_is_kept(house):
    await house.publish("evt_1")
    await house.issued()
    await house.taken_back()
    for teller, times in TELLERS.items():
        await house.called(teller, times)
    assert Counter(house.cloud.internet.log) == {
        ("on-booking-confirmed", 204): 1,
        ("on-booking-checked-out", 204): 1,
        ("on-guest-contact", 204): 1,
        ("adapter-ttlock", 200): 2,
        **{(teller, 204): times for teller, times in TELLERS.items()},
    }
    rows = list((await house.documents("outbox")).values())
    assert [row["subject"].split(".")[-2] for row in rows] == LIFE
    told = [house.cloud.post.of(word) for word in LIFE]
    assert [[event["id"] for event in events] for events in told] == [[row["eventId"]] for row in rows]


async def test_the_secret_of_a_key_is_sealed_by_kms_in_the_second_database_and_nowhere_else(house):
    await house.publish("evt_1")
    (entry,) = await house.issued()
    (at_room,) = await house.doors.keys_at("101")
    kept = await house.documents("key_secrets", sealed=True)
    ((name, secret),) = kept.items()
    assert name.startswith(entry["credential"]["core"]["id"])
    parts = [base64.b64decode(secret[part]) for part in ("artifact", "refs")]
    assert [part[: len(MAGIC)] for part in parts] == [MAGIC, MAGIC]
    assert house.cloud.kms.calls["encrypt"] == len(parts) + 2, (
        "with the key of blind indexes, and the guest's contact"
    )
    assert await house.documents("key_secrets") == {}
    elsewhere = [await house.documents(name) for name in ("reservations", "credentials", "grants", "outbox")]
    seen = [kept, *elsewhere, house.cloud.post.heard, _executed(house)]
    assert at_room["code"].encode() not in orjson.dumps(seen)


async def test_the_secret_of_a_key_goes_when_the_key_has_left_its_last_lock(house):
    await house.publish("evt_1")
    await house.issued()
    await house.taken_back()
    assert await house.documents("key_secrets", sealed=True) == {}


async def test_nobody_but_the_vendors_own_adapter_opens_a_keys_secret(house):
    await house.publish("evt_1")
    (entry,) = await house.issued()
    (at_room,) = await house.doors.keys_at("101")
    key = SecretName(KeyCredentialId(entry["credential"]["core"]["id"]), KeyCredentialKind.PIN_CODE, 0)
    opened, refused = {}, []
    for function in house.cloud.functions.values():
        try:
            opened[function.deployed.name] = await _opened(key, function.deployed, house)
        except PurposeRefused:
            refused.append(function.deployed.name)
    # Its next build is the same vendor's, and runs as the same account.
    assert opened == dict.fromkeys(("adapter-ttlock", "adapter-ttlock-next"), at_room["code"])
    assert {"adapter-mock", "on-booking-confirmed", "sweep-due"} <= set(refused)


@pytest.mark.parametrize(
    ("function", "caller", "status"),
    [
        ("on-booking-confirmed", "workflow-work-on-key", 403),
        ("adapter-mock", "pubsub-push", 403),
        ("adapter-ttlock", "operator", 403),
        ("adapter-ttlock", "workflow-probe-platform", 403),
        ("sweep-due", "pubsub-push", 403),
        ("sweep-due", "operator", 200),
    ],
)
async def test_a_function_lets_in_whom_its_descriptor_names_and_nobody_else(house, function, caller, status):
    assert (await house.cloud.internet.call(function, b"{}", caller=caller)).status == status


async def _opened(key, function, house):
    token = deployed.set(function)
    try:
        secrets = SealedKeys(house.platform.sealed.tenant(SILK), house.platform.cipher, TTLOCK)
        return (await secrets.find(key)).artifact.reveal()
    finally:
        deployed.reset(token)


def _executed(house):
    executions = house.cloud.waker.process.sagas.listed()
    return [[kept.argument, kept.execution.result] for kept in executions]
