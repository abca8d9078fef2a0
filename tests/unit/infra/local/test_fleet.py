"""The fleet as a whole: identity at every function, crashes contained, room running out."""

import asyncio
import base64

import orjson
import pytest

from infra.manifest.load import load_manifest
from shared.ports.documents import StorageFull
from shared.usecases.hotels import reload_policy
from tests.support.simulated import play

FUNCTIONS = {name: function.deployable for name, function in load_manifest().functions.items()}
INTERNAL = [name for name, each in FUNCTIONS.items() if not (each.public or each.people)]
OF_PEOPLE = [name for name, each in FUNCTIONS.items() if each.people]
OF_ALL = {
    "lock-api": ("GET", "/lock/v1/me"),
    "account-api": ("GET", "/lock/v1/vendor-accounts"),
    "canary-api": ("GET", "/lock/v1/canaries"),
    "audit-api": ("GET", "/lock/v1/audit"),
    "backoffice": ("GET", "/bff/v1/preferences"),
    "backoffice-feed": ("GET", "/bff/v1/events"),
    "guest-api": ("POST", "/guest/v1/reservations/rsv_1/sessions"),
    "lock-reveal": ("POST", "/lock/v1/credentials/key_01KSAMP1E00000000000000001/reveal"),
}
"""A route of each."""


@pytest.mark.parametrize("name", INTERNAL)
def test_an_internal_function_refuses_whoever_its_descriptor_does_not_name(tmp_path, name):
    async def scenario(on):
        nobody, _ = await on.send(name, {})
        stranger, answer = await on.send(name, {}, caller="adapter-other")
        url = f"{on.fleet.config.base_url}/probe-other"
        misdirected, _ = await on.send(name, {}, caller="cloud-tasks", audience=url)
        return nobody, stranger, misdirected, answer

    *statuses, answer = play(tmp_path, scenario)
    assert statuses == [401, 403, 401]
    assert "see its fleet.yaml" in answer["error"]["detail"]


@pytest.mark.parametrize("name", OF_PEOPLE)
def test_a_function_of_people_refuses_nobody_and_every_service(tmp_path, name):
    async def scenario(on):
        method, path = OF_ALL[name][0], f"{name}{OF_ALL[name][1]}"
        url = f"{on.fleet.config.base_url}/{name}"
        nobody = await on.send(path, method=method)
        service = await on.send(path, method=method, caller="operator", audience=url)
        return nobody, service

    for status, answer in play(tmp_path, scenario):
        assert (status, answer["code"]) == (401, "unauthenticated")


def test_a_refused_caller_leaves_a_line_without_its_token(tmp_path):
    async def scenario(on):
        await on.send("probe-answer", {}, headers={"authorization": "Bearer canary.canary.canary"})
        return on.log.getvalue()

    line = play(tmp_path, scenario).splitlines()[-1]
    assert "caller not proven" in line
    assert "canary" not in line


def test_a_crash_in_a_function_is_a_500_and_the_fleet_goes_on(tmp_path, monkeypatch):
    async def scenario(on):
        def broken(*_):
            raise ZeroDivisionError("canary 4711")

        monkeypatch.setattr(on.fleet.platform.sagas, "start", broken)
        crashed = await on.send("probe-start", {}, caller="operator")
        monkeypatch.undo()
        return crashed, await on.send("probe-start", {}, caller="operator"), on.log.getvalue()

    crashed, fine, lines = play(tmp_path, scenario)
    assert crashed[0] == 500
    assert fine[0] == 200
    assert "ZeroDivisionError" in lines
    assert "canary" not in lines + str(crashed)


def test_a_crashing_subscriber_is_retried_and_then_dead_lettered(tmp_path, monkeypatch):

    async def scenario(on):
        async def broken(*_):
            raise KeyError("canary")

        monkeypatch.setattr(reload_policy, "reload_policy", broken)
        data = {"keyKindPolicy": {"pinDigits": 7}}
        event = {"subject": "melmastoon.tenant.config_updated.v1", "tenant": "tnt_silk", "data": data}
        await on.send("_cloud/publish", event, caller="operator")
        async with on.unscheduled():
            await asyncio.sleep(16 * 3600)
        monkeypatch.undo()
        _, letters = await on.send("_cloud/dead-letters", caller="operator", method="GET")
        return letters["messages"], on.log.getvalue()

    (letter,), lines = play(tmp_path, scenario)
    assert "canary" not in lines
    assert letter["topic"] == "melmastoon.lock.dead_letter.v1"
    assert letter["subscription"] == "on-config-updated"
    assert "canary" not in str(letter)


def _push(data, **message):
    encoded = base64.b64encode(data).decode()
    return {
        "message": {"data": encoded, "messageId": "1", **message},
        "subscription": "projects/p/subscriptions/s",
    }


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (b"not json", "(document)"),
        (b"{}", "subject"),
        (orjson.dumps({"subject": "melmastoon.nothing.v1"}), "subject"),
        (b'{"subject": "' + b"x" * 300_000 + b'"}', "(document)"),
    ],
)
def test_a_push_that_can_never_succeed_is_acked_and_set_aside_with_its_reason(tmp_path, data, field):
    async def scenario(on):
        status, _ = await on.send("on-config-updated", _push(data), caller="pubsub-push")
        _, letters = await on.send("_cloud/dead-letters", caller="operator", method="GET")
        return status, letters["messages"]

    status, (letter,) = play(tmp_path, scenario)
    assert status == 204
    assert letter["field"] == field
    assert letter["reason"]
    assert letter["remedy"]


def test_a_push_with_as_many_attributes_as_there_may_be_can_still_be_set_aside(tmp_path):
    async def scenario(on):
        push = _push(b"not json", attributes={f"a{number:03d}": "x" for number in range(100)})
        status, _ = await on.send("on-config-updated", push, caller="pubsub-push")
        (letter,) = on.fleet.bus.dead_letters.page()
        return status, letter

    status, letter = play(tmp_path, scenario)
    assert status == 204
    assert len(letter.attributes) == 96
    assert letter.notes["field"] == "(document)"


def test_an_event_of_another_subject_is_set_aside_and_told_where_it_belongs(tmp_path):
    event = {
        "specVersion": "1.0",
        "id": "evt_1",
        "subject": "melmastoon.iam.user.deactivated.v1",
        "time": "2026-03-01T10:00:00Z",
        "tenantId": "tnt_silk",
        "data": {"userId": "usr_1"},
    }

    async def scenario(on):
        status, _ = await on.send("on-config-updated", _push(orjson.dumps(event)), caller="pubsub-push")
        _, letters = await on.send("_cloud/dead-letters", caller="operator", method="GET")
        return status, letters["messages"]

    status, (letter,) = play(tmp_path, scenario)
    assert status == 204
    assert "melmastoon.iam.user.deactivated.v1" in letter["remedy"]


def test_a_full_disk_is_507_to_callers_and_a_retry_to_pushes(tmp_path, monkeypatch):
    async def scenario(on):
        event = {"subject": "melmastoon.tenant.config_updated.v1", "tenant": "tnt_silk", "data": {}}

        def no_room(_operation):
            raise StorageFull("nothing was written: database or disk is full")

        begin = on.fleet.means.engine.begin
        on.fleet.means.engine.begin = no_room
        refused = await on.send("_cloud/publish", event, caller="operator")
        started = await on.send("probe-start", {}, caller="operator")
        pushed, _ = await on.send("on-config-updated", _push(b"broken"), caller="pubsub-push")
        on.fleet.means.engine.begin = begin
        accepted = await on.send("_cloud/publish", event, caller="operator")
        return refused[0], started[0], pushed, accepted[0]

    assert play(tmp_path, scenario) == (507, 507, 507, 200)


def test_what_has_expired_is_tidied_away_each_hour_also_after_the_disk_was_full(tmp_path):
    from datetime import timedelta

    from shared.domain.ids import TenantId
    from shared.ports.documents import Create, Ref

    async def scenario(on):
        soon = on.fleet.means.clock.now() + timedelta(minutes=5)
        store = on.fleet.documents.tenant(TenantId("tnt_silk"))
        await store.commit([Create(Ref("probes", "old"), {}, soon)])
        engine, full = on.fleet.means.engine, []
        write = engine.write

        async def no_room(work):
            full.append(1)
            raise StorageFull("full")

        engine.write = no_room
        async with on.unscheduled():
            await asyncio.sleep(3700)
        engine.write = write
        async with on.unscheduled():
            await asyncio.sleep(3600)
        rows = on.fleet.means.engine.read("SELECT count(*) FROM packed WHERE id = 'old'")
        return full, rows[0][0], on.log.getvalue()

    full, left, lines = play(tmp_path, scenario)
    assert full
    assert left == 0
    assert "could not tidy up" in lines


def test_only_the_purposes_a_descriptor_opens_can_be_opened(tmp_path):
    from shared.domain.ids import TenantId
    from shared.domain.secret import Secret
    from shared.ports.vault import PurposeRefused, SealContext
    from shared.runtime.platform import deployed

    async def scenario(on):
        platform, functions = on.fleet.platform, on.fleet._functions
        context = SealContext("saga-callback", TenantId("tnt_silk"), "r", "f")
        opened = set()
        with_leave = deployed.set(functions["probe-reply"].deployed)
        sealed = await platform.cipher.seal(context, Secret(b"canary"))
        deployed.reset(with_leave)
        for name, hosted in functions.items():
            token = deployed.set(hosted.deployed)
            try:
                assert (await platform.cipher.open(context, sealed)).reveal() == b"canary"
                opened.add(name)
            except PurposeRefused:
                pass
            finally:
                deployed.reset(token)
        with pytest.raises(PurposeRefused):
            await platform.cipher.open(context, sealed)
        return opened

    assert play(tmp_path, scenario) == {"probe-handover", "probe-reply"}


def test_what_breaks_in_the_background_reaches_the_log_without_its_words(tmp_path):
    async def scenario(on):
        async def breaks():
            raise ValueError("canary")

        context = {
            "message": "a push failed",
            "exception": (await asyncio.gather(breaks(), return_exceptions=True))[0],
        }
        asyncio.get_running_loop().call_exception_handler(context)
        return on.log.getvalue()

    lines = play(tmp_path, scenario)
    assert "a push failed" in lines
    assert "ValueError" in lines
    assert "canary" not in lines


def test_after_a_move_to_another_port_a_waiting_saga_is_still_called_back(tmp_path):
    from dataclasses import replace

    from infra.local.fleet import open_fleet
    from infra.local.simulation.loop import run_virtually
    from infra.local.world import FleetConfig, World
    from shared.ports.sagas import ExecutionState
    from tests.support.simulated import Nowhere

    async def main(clock):
        config = FleetConfig(tmp_path, 8787, sample=True)
        world = World(clock=clock, threaded=False, outside=Nowhere())
        async with open_fleet(config, world) as fleet:
            execution = await fleet.sagas.start("probe_platform", {"probe": "p", "wait_seconds": 60})
            await asyncio.sleep(30)
        async with open_fleet(replace(config, port=8788), world) as fleet:
            await asyncio.sleep(120)
            return (await fleet.sagas.get(execution)).state

    assert run_virtually(main) is ExecutionState.SUCCEEDED


def test_a_function_may_do_only_what_its_descriptor_allows(tmp_path):
    from shared.domain.ids import TenantId
    from shared.domain.secret import Secret
    from shared.kernel.identity import Forbidden
    from shared.ports.tasks import Task
    from shared.runtime.platform import Deployed, deployed

    async def scenario(on):
        platform = on.fleet.platform
        await platform.secrets.add("lock-ttlock-silk-kabul-api", Secret(b"x"))
        doors = {
            "documents": lambda: platform.documents.tenant(TenantId("tnt_silk")),
            "sealed": lambda: platform.sealed.tenant(TenantId("tnt_silk")),
            "tasks-enqueue": lambda: platform.tasks.enqueue(Task("probe-reply", {"probe": "p"})),
            "workflows-start": lambda: platform.sagas.start("probe_platform", {"probe": "p"}),
            "workflows-callback": lambda: platform.sagas.call_back(
                "http://127.0.0.1:1/_cloud/callbacks/a/b", {}
            ),
            "secrets": lambda: platform.secrets.latest("lock-ttlock-tnt_silk-ppt_kabul-api"),
        }
        opened = {}
        for may in (Deployed("none", ""), Deployed("vendor", "", secrets=("lock-ttlock-*",))):
            token = deployed.set(may)
            opened[may.name] = []
            for name, door in doors.items():
                try:
                    result = door()
                    if asyncio.iscoroutine(result):
                        await result
                    opened[may.name].append(name)
                except Forbidden:
                    continue
            deployed.reset(token)
        return opened

    assert play(tmp_path, scenario) == {"none": [], "vendor": ["secrets"]}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "probe"),
        ({"probe": 5}, "probe"),
        ({"probe": "p"}, "callback_url"),
        ({"probe": "p", "callback_url": "u", "wait_seconds": "1"}, "wait_seconds"),
        (b"[1]", "body"),
        (b"{", "body"),
        (b'{"probe": "' + b"x" * 1_100_000 + b'"}', "body"),
    ],
)
def test_a_step_names_the_field_it_cannot_accept(tmp_path, body, field):
    async def scenario(on):
        return await on.send("probe-handover", body, caller="workflow-probe-platform")

    status, answer = play(tmp_path, scenario)
    assert status == 400
    assert answer["error"]["field"] == field
    assert answer["error"]["remedy"]
