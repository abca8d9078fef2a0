"""The hunt: canaries go in wherever a secret or a guest's name may, and must not come out to be read."""

import asyncio

from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.ports.documents import Create, Ref
from shared.ports.vault import SealContext
from shared.runtime.platform import deployed
from tests.simulated import play

CANARY = "c4n4ry"
SUBJECT = "melmastoon.tenant.config_updated.v1"
TOKEN = f"{CANARY}.{CANARY}.{CANARY}"


def _events():
    base = {"subject": SUBJECT, "tenant": "tnt_silk"}
    yield {
        **base,
        "data": {"guest": {"displayName": CANARY}, "pin": CANARY, "keyKindPolicy": {"pinDigits": 7}},
    }
    yield {**base, "data": {"propertyId": CANARY}}
    yield {**base, "data": {"keyKindPolicy": {CANARY: 1}}}
    yield {**base, "data": {"keyKindPolicy": {"pinDigits": CANARY, "vendorRef": CANARY}}}
    yield {**base, "tenant": f"tnt_{CANARY}", "data": {"pin": CANARY}}
    yield {**base, "data": CANARY}
    yield {"subject": SUBJECT, "event": {"subject": SUBJECT, "data": {"pin": CANARY}, "tenantId": CANARY}}


async def _misbehave(on):
    """Send canaries by every door, and return every answer that came back."""
    answers = [await on.send("_cloud/publish", event, caller="operator") for event in _events()]
    for path in ("probe-answer", "on-config-updated", "_cloud/status"):
        answers.append(await on.send(path, {"pin": CANARY}, headers={"authorization": f"Bearer {TOKEN}"}))
        answers.append(await on.send(path, CANARY.encode(), headers={"cookie": CANARY}))
    answers.append(
        await on.send("probe-handover", {"probe": {"pin": CANARY}}, caller="workflow-probe-platform")
    )
    answers.append(await on.send("probe-handover", CANARY.encode(), caller="workflow-probe-platform"))
    push = {"message": {"data": CANARY, "attributes": {"pin": CANARY}}, "subscription": "projects/p/s/x"}
    answers.append(await on.send("on-config-updated", push, caller="pubsub-push"))
    argument = {"workflow": "probe_platform", "argument": {"probe": {"pin": CANARY}}}
    answers.append(await on.send("_cloud/executions", argument, caller="operator"))
    await asyncio.sleep(3600)
    return answers


async def _seen_by_operators(on):
    """Return what an operator may look at, bar the arguments an operator gave."""
    paths = ("status", "dead-letters", "executions")
    return [await on.send(f"_cloud/{path}", caller="operator", method="GET") for path in paths]


def test_no_canary_reaches_a_log_an_answer_or_an_operators_view(tmp_path):
    async def scenario(on):
        answers = await _misbehave(on)
        return answers, await _seen_by_operators(on), on.log.getvalue()

    answers, shown, lines = play(tmp_path, scenario)
    assert len(lines.splitlines()) >= 6
    places = {"answers": str(answers), "log": lines}
    places |= {f"view {number}": str(view) for number, view in enumerate(shown)}
    assert [place for place, text in places.items() if CANARY in text.replace(f"tnt_{CANARY}", "")] == []


def test_no_sealed_canary_reaches_the_file_a_log_or_a_repr(tmp_path):
    async def scenario(on):
        platform, tenant = on.fleet.platform, TenantId("tnt_silk")
        token = deployed.set(on.fleet._functions["probe-reply"].deployed)
        sealed = await platform.cipher.seal(
            SealContext("saga-callback", tenant, "r", "f"), Secret(CANARY.encode())
        )
        deployed.reset(token)
        store = platform.sealed.tenant(tenant)
        await store.commit([Create(Ref("artifacts", "a"), {"pin": sealed.hex()})])
        await platform.secrets.add("lock-ttlock-silk-kabul-api", Secret(CANARY.encode()))
        version = await platform.secrets.latest("lock-ttlock-silk-kabul-api")
        platform.log.info("added", version=version, nested={"deep": [version.value]})
        return repr(version), on.log.getvalue()

    shown, lines = play(tmp_path, scenario)
    assert CANARY not in shown + lines
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
    assert len(kept) > 10_000
    assert CANARY.encode() not in kept
