"""A function may do what its descriptor says and nothing else, as IAM holds it; the platform may do all."""

from contextlib import contextmanager

import pytest

from infra.local import roles
from infra.manifest.load import load_manifest
from infra.manifest.resolved import roles_of
from shared.domain.secret import Secret
from shared.kernel.identity import Forbidden
from shared.ports.bus import Message
from shared.runtime.platform import QUARANTINE_TOPIC, Deployed, deployed

TOLD = "melmastoon.lock.credential.issued.v1"
SALTO = "lock-salto-tnt_1-ppt_1-api"


@contextmanager
def acting(*granted, secrets=()):
    """Be a function of some roles for a while."""
    token = deployed.set(Deployed("probe-answer", "", roles=frozenset(granted), secrets=secrets))
    try:
        yield
    finally:
        deployed.reset(token)


class Port:
    """Anything: says what it was asked to do."""

    def __init__(self):
        self.done = []

    def __getattr__(self, name):
        async def do(*given):
            self.done.append((name, *given))

        return do


HELD = {
    "documents": (roles.DOCUMENTS, "tenant"),
    "sealed": (roles.SEALED, "sweep"),
    "tasks-enqueue": (roles.TASKS, "enqueue"),
    "workflows-start": (roles.SAGAS, "start"),
    "workflows-callback": (roles.SAGAS, "call_back"),
    "dead-letters": (roles.DEAD_LETTERS, "replay"),
    "executions": (roles.EXECUTIONS, "history"),
    "schedules": (roles.SCHEDULES, "run"),
    "objects": (roles.OBJECTS, "add"),
}


@pytest.mark.parametrize("role", HELD)
async def test_a_port_is_open_to_its_own_role_alone(role):
    methods, method = HELD[role]
    held = roles.held_to(Port(), methods)
    with (
        acting(*HELD.keys() - {role}),
        pytest.raises(Forbidden, match=f"no role {role}: add it to its fleet"),
    ):
        getattr(held, method)
    with acting(role):
        await getattr(held, method)()
    await getattr(held, method)()


async def test_what_is_set_aside_takes_another_right_than_what_is_told():
    bus = roles.HeldBus(port := Port())
    with acting("publish"), pytest.raises(Forbidden, match="no role quarantine"):
        await bus.publish(QUARANTINE_TOPIC, [Message(b"x")])
    with acting("quarantine"), pytest.raises(Forbidden, match="no role publish"):
        await bus.publish(TOLD, [Message(b"x")])
    assert port.done == []
    with acting("quarantine", "publish"):
        await bus.publish(QUARANTINE_TOPIC, [Message(b"x")])
        await bus.publish(TOLD, [Message(b"x")])
    assert [topic for _, topic, _ in port.done] == [QUARANTINE_TOPIC, TOLD]


async def test_a_secret_is_read_by_whoever_names_it_and_changed_by_whoever_may_write_too():
    secrets = roles.HeldSecrets(port := Port())
    with acting("secrets-write", secrets=("lock-mock-*",)), pytest.raises(Forbidden, match="no such secret"):
        secrets.latest(SALTO)
    with acting(secrets=("lock-salto-*-api",)):
        await secrets.latest(SALTO)
        with pytest.raises(Forbidden, match="no role secrets-write"):
            secrets.add(SALTO, Secret(b"new"))
        with pytest.raises(Forbidden, match="no role secrets-write"):
            secrets.destroy(SALTO, 1)
    with acting("secrets-write", secrets=("lock-salto-*-api",)):
        await secrets.destroy(SALTO, 1)
    assert [name for name, *_ in port.done] == ["latest", "destroy"]


SETS_ASIDE = ("hear-neighbours", "keep-telemetry")
"""Who hears, for the backoffice, what may not be readable."""


def test_a_subscriber_reads_no_sealed_document_and_only_adapters_read_vendors_secrets():
    functions = load_manifest().functions
    for name, function in functions.items():
        granted, adapter = roles_of(function), function.deployable.adapter
        if name.startswith("on-"):
            assert "sealed" not in granted
            assert "quarantine" in granted
        else:
            assert ("quarantine" in granted) is (name in SETS_ASIDE), name
        of_vendors = [each for each in function.deployable.secrets if each.startswith("lock-")]
        assert bool(of_vendors) is (adapter is not None or name.startswith("webhook-")), name


async def test_l1_a_vendor_whose_code_begins_anothers_reads_nothing_of_it():
    pattern = load_manifest().functions["adapter-ttlock"].deployable.secrets[0]
    held = roles.HeldSecrets(Port())
    with acting(secrets=(pattern,)):
        await held.latest("lock-ttlock-tnt_1-ppt_1-api")
        with pytest.raises(Forbidden):
            await held.latest("lock-ttlock-pro-tnt_1-ppt_1-api")
