"""Doors that are heard: each attempt is kept and told once, traced to its key, and judged."""

import asyncio
import base64

import orjson

from shared.domain.grant import name_at_vendor
from shared.domain.secret import Secret
from shared.vendor_kit.standard_webhooks import signature
from tests.support.heard_hotel import PATH, RECEIVER, play
from tests.support.sample_hotel import DOORS, device_at

NOW = {"validFrom": "2026-03-01T08:00:00Z", "validUntil": "2026-03-03T08:00:00Z"}
MACHINE = "operator"
SIGNED = "webhook-mock/tnt_silk/ppt_kabul"
KEY = Secret(b"whsec_" + base64.b64encode(b"k" * 32))


async def guest_in_101(house):
    """Have a guest with a key that opens now, at a vendor that calls back; return the key and its PIN."""
    await house.listen()
    await house.publish("evt_1", **NOW)
    await house.settled()
    (key,) = await house.keys()
    (row,) = await house.keys_at("101")
    return key["core"]["id"], row["code"]


async def told(house, word):
    """Return the payloads of a subject, as they were kept to be told."""
    rows = (await house.documents("outbox")).values()
    return [orjson.loads(row["body"])["data"] for row in rows if row["subject"].endswith(f"{word}.v1")]


def callback(*records):
    """Return a callback as the vendor sends it."""
    rows = [
        {"recordType": 4, "success": 1, "keyboardPwd": "482913", "username": "A Guest", **r} for r in records
    ]
    return {"notifyType": "1", "lockId": DOORS["101"], "records": orjson.dumps(rows).decode()}


async def assert_told(house, key, kept):
    """Check what was told of a guest who opened room 101 and a stranger who could not; nothing is owed."""
    assert [(each["opened"], each["credential_id"]) for each in kept] == [(False, None), (True, key)]
    attempts = sorted(await told(house, "audit.attempt"), key=lambda each: each["outcome"])
    said = [(each["outcome"], each["denyReason"]) for each in attempts]
    assert said == [("denied", "unknown_credential"), ("granted", None)]
    assert {each["deviceId"] for each in attempts} == {device_at("101")}
    assert [each["signatureOk"] for each in await told(house, "vendor_webhook.received")] == [True, True]
    assert [e["outcome"] for e in await told(house, "vendor_webhook.processed")] == ["applied"] * 2
    assert not [each for each in await house.kept("webhooks") if "due_at" in each or "waiting" in each]


async def assert_shown(house, key):
    """Check what people see of them."""
    asked = await house.on.send(f"_cloud/attempts?key={key}", method="GET", caller=MACHINE)
    (mine,) = asked[1]["attempts"]
    assert (mine["label"], mine["opened"], mine["means"], mine["alarm"]) == ("Room 101", True, "pin", None)
    for query in ("", f"door={device_at('101')}", "property=ppt_kabul", "tenant=tnt_silk"):
        _, all_ = await house.on.send(f"_cloud/attempts?{query}", method="GET", caller=MACHINE)
        assert [each["opened"] for each in all_["attempts"]] == [False, True]
    _, board = await house.on.send("_cloud/readiness", method="GET", caller=MACHINE)
    (arrival,) = board["arrivals"]
    placements = {each["device"]: each["placement"] for each in arrival["doors"]}
    assert placements == {device_at("101"): "used", device_at("front"): "on_lock"}
    assert (arrival["ready"], arrival["risks"]) == ("on_lock", [])


def test_an_attempt_is_kept_and_told_once_and_shows_that_the_key_is_used(tmp_path):
    async def scenario(house):
        key, pin = await guest_in_101(house)
        assert await house.try_door("101", pin=pin) == "open"
        await asyncio.sleep(1)
        assert await house.try_door("101", pin="00000001") == "unknown"
        await house.heard()
        kept = sorted(await house.kept("attempts"), key=lambda each: each["opened"])
        assert house.answers == [200, 200]
        await assert_told(house, key, kept)
        await assert_shown(house, key)
        # The same told in other words, and a poll of all doors, change nothing.
        again = {"lockId": int(DOORS["101"]), "lockDate": kept[1]["at"], "serverDate": 1}
        assert await house.hook(callback(again, again)) == (200, b"success")
        body = {"tenant": "tnt_silk", "property": "ppt_kabul", "vendor": "ttlock", "poll": True}
        await house.on.send("hear-doors", body, caller=MACHINE)
        await house.heard()
        assert len(await house.kept("attempts")) == 2
        assert sorted(e["outcome"] for e in await told(house, "vendor_webhook.processed")) == [
            *("applied", "applied", "duplicate"),
        ]

    play(tmp_path, scenario)


def test_who_is_not_proven_changes_nothing(tmp_path):
    async def scenario(house):
        await house.listen()
        before = {name: await house.documents(name) for name in ("webhooks", "outbox", "attempts")}
        form = callback({"lockId": DOORS["101"], "lockDate": 1})
        wrong = [
            f"{RECEIVER}/tnt_silk/ppt_kabul/x3Jd0kqYw6ZtU1rSg7aBcB",
            f"{RECEIVER}/tnt_silk/ppt_kabul",
            f"{RECEIVER}/tnt_silk/ppt_other/x3Jd0kqYw6ZtU1rSg7aBcA",
            f"{RECEIVER}/tnt_other/ppt_kabul/x3Jd0kqYw6ZtU1rSg7aBcA",
            f"{RECEIVER}/x/y/z",
            RECEIVER,
            f"{PATH}/more",
        ]
        answers = [await house.hook(form, path) for path in wrong]
        assert {status for status, _ in answers} == {401}
        assert len({str(answer) for _, answer in answers}) == 1
        assert {name: await house.documents(name) for name in before} == before
        (alert,) = house.logged("ALERT")
        assert (alert["message"], alert["runbook"]) == (
            "MELMASTOON.LOCK.WEBHOOK_SIGNATURE_INVALID",
            "lock/webhooks",
        )
        assert (await house.hook({"records": "[1]"}))[0] == 400
        assert (await house.on.send(PATH, b"x" * 70_000))[0] == 413
        assert {name: await house.documents(name) for name in before} == before

    play(tmp_path, scenario)


def test_a_secret_that_changes_counts_beside_the_new_one_for_a_while(tmp_path):
    async def scenario(house):
        await house.listen()
        name, secrets = "lock-ttlock-tnt_silk-ppt_kabul-webhook", house.fleet.platform.secrets
        await secrets.add(name, Secret(b"another-address-of-128-bits"))
        new = PATH.rpartition("/")[0] + "/another-address-of-128-bits"
        form = callback({"lockId": DOORS["101"], "lockDate": 1})
        assert [(await house.hook(form, path))[0] for path in (PATH, new)] == [200, 200]
        await secrets.destroy(name, 1)
        await house.heard(20)
        assert [(await house.hook(form, path))[0] for path in (PATH, new)] == [401, 200]

    play(tmp_path, scenario)


def test_a_key_that_opened_though_it_was_ended_wakes_somebody(tmp_path):
    async def scenario(house):
        key, pin = await guest_in_101(house)
        await house.fault("errcode:-3002", "keyboardPwd/delete")
        await house.publish("evt_2", "checked_out", time="2026-03-01T10:00:00Z")
        await house.heard(15 * 60)
        assert await house.try_door("101", pin=pin) == "open"
        await house.heard()
        kinds = {each["kind"] for each in await house.kept("anomalies")}
        assert kinds == {"revoked_key_opened", "used_after_checkout"}
        _, shown = await house.on.send("_cloud/anomalies", method="GET", caller=MACHINE)
        assert {each["kind"] for each in shown["anomalies"]} == kinds
        (alert,) = [a for a in house.logged("ALERT") if a["message"].startswith("a door opened")]
        assert (alert["keyCredentialId"], alert["because"]) == (key, "revoked_key_opened")
        # Whoever tries codes at a door is told of once an hour.
        for code in range(6):
            await house.try_door("102", pin=f"9999{code:02}")
            await asyncio.sleep(1)
        await house.heard()
        odd = [each for each in await house.kept("anomalies") if each["kind"] == "repeated_denials"]
        assert [(each["device_id"], len(each["facts"])) for each in odd] == [(device_at("102"), 5)]

    play(tmp_path, scenario)


def test_an_attempt_at_a_silent_lock_is_heard_when_a_poll_can(tmp_path):
    async def scenario(house):
        _, pin = await guest_in_101(house)
        await house.steer("PUT", "callbacks", client_id="sim-client", url=None)
        await house.try_door("101", pin=pin)
        await house.heard(3600)
        assert await house.kept("attempts") == []
        body = {"tenant": "tnt_silk", "property": "ppt_kabul", "vendor": "ttlock", "poll": True}
        await house.fault("http_500", "lockRecord/list", times=1)
        await house.on.send("hear-doors", body, caller=MACHINE)
        await house.heard(120)
        (hearing,) = await house.kept("hearings")
        assert hearing["polled_at"]
        before = len(await house.kept("attempts"))
        await house.on.send("hear-doors", body, caller=MACHINE)
        await house.heard(120)
        assert (before, len(await house.kept("attempts"))) in ((0, 1), (1, 1))

    play(tmp_path, scenario)


def test_webhooks_that_a_crash_left_are_applied_by_the_sweeper(tmp_path):
    async def scenario(house):
        _, pin = await guest_in_101(house)
        enqueue = house.fleet.tasks.enqueue

        async def lost(task):
            from shared.ports.trouble import ServiceTrouble

            raise ServiceTrouble

        house.fleet.tasks.enqueue = lost
        await house.try_door("101", pin=pin)
        assert house.answers == [200]
        house.fleet.tasks.enqueue = enqueue
        await house.heard(60)
        assert await house.kept("attempts") == []
        await house.heard(180)
        assert [each["opened"] for each in await house.kept("attempts")] == [True]
        assert [e["outcome"] for e in await told(house, "vendor_webhook.processed")] == ["applied"]

    play(tmp_path, scenario)


def test_a_vendor_that_signs_is_believed_and_a_replay_changes_nothing(tmp_path):
    async def scenario(house):
        await house.refit("102", "mock")
        await house.open_account("mock", b"mock://")
        await house.fleet.platform.secrets.add("lock-mock-tnt_silk-ppt_kabul-webhook", KEY)
        await house.publish("evt_1", rooms=["rmu_102"], **NOW)
        await house.settled()
        (kept,) = [each["grant"] for each in await house.kept("grants") if each["grant"]["vendor"] == "mock"]
        attempt = {
            "lock": DOORS["102"],
            "at": "2026-03-01T09:00:00Z",
            "key": name_at_vendor(kept["vendor_key"]),
        }
        attempts = [
            {**attempt, "id": "e1", "opened": True},
            {**attempt, "id": "e2", "opened": False, "key": "Farid"},
        ]
        body = orjson.dumps({"type": "access.attempts", "attempts": attempts})
        seconds = int(house.fleet.platform.clock.now().timestamp())
        sent = {
            "webhook-id": "msg_1",
            "webhook-timestamp": str(seconds),
            "webhook-signature": signature(KEY, "msg_1", seconds, body),
        }
        for _ in range(3):
            assert await house.on.send(SIGNED, body, headers=sent) == (200, {})
        assert (await house.on.send(SIGNED, body + b" ", headers=sent))[0] == 401
        await house.heard()
        said = {each["vendorEventId"]: each for each in await told(house, "audit.attempt")}
        assert (said["e1"]["outcome"], said["e1"]["keyCredentialId"]) == ("granted", kept["credential_id"])
        assert (said["e2"]["outcome"], said["e2"]["denyReason"]) == ("denied", "unknown_credential")
        assert [each["outcome"] for each in await told(house, "vendor_webhook.processed")] == ["applied"]
        assert "Farid" not in str(await house.documents("webhooks"))
        await asyncio.sleep(301)
        assert (await house.on.send(SIGNED, body, headers=sent))[0] == 401

    play(tmp_path, scenario)
