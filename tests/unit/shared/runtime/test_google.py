"""On Google Cloud a function finds its platform, and itself, in the environment."""

import os
import subprocess
import sys

import pytest

from shared.gcp.bus import PubSubBus
from shared.gcp.cipher import KmsCipher
from shared.gcp.dead_letters import PubSubDeadLetters
from shared.gcp.documents import FirestoreDocuments
from shared.gcp.executions import ExecutionRecords
from shared.gcp.identity import ISSUERS
from shared.gcp.nudges import FirestoreNudges
from shared.gcp.objects import CloudStorage
from shared.gcp.sagas import WorkflowExecutions
from shared.gcp.schedules import CloudScheduler
from shared.gcp.secrets import SecretManager
from shared.gcp.tasks import CloudTasks
from shared.runtime import platform as runtime
from shared.runtime.google import PORTS
from shared.runtime.google_ports import Later
from shared.runtime.platform import Deployed, PlatformUnbound, deployed
from shared.vendor_kit.guard import Guards
from shared.vendor_kit.leases import DocumentLeases

WHERE = {"GOOGLE_CLOUD_PROJECT": "hotel", "KEYFLEET_REGION": "europe-west6"}
WHO = {"K_SERVICE": "sweep-ledger", "FUNCTION_TARGET": "sweep_ledger"}
PARTS = {
    "documents": ("tenant", FirestoreDocuments),
    "sealed": ("tenant", FirestoreDocuments),
    "bus": ("publish", PubSubBus),
    "tasks": ("enqueue", CloudTasks),
    "sagas": ("start", WorkflowExecutions),
    "secrets": ("latest", SecretManager),
    "cipher": ("seal", KmsCipher),
    "leases": ("acquire", DocumentLeases),
    "guards": ("of", Guards),
    "dead_letters": ("waiting", PubSubDeadLetters),
    "executions": ("listed", ExecutionRecords),
    "schedules": ("states", CloudScheduler),
    "objects": ("add", CloudStorage),
    "nudges": ("ring", FirestoreNudges),
}


@pytest.fixture
def environment(monkeypatch, no_platform):
    """Set the environment of a function anew."""
    monkeypatch.setattr(runtime, "_alone", [])

    def set_to(values):
        for name in [name for name in os.environ if name in WHO or name.startswith(("KEYFLEET_", "GOOGLE_"))]:
            monkeypatch.delenv(name)
        for name, value in values.items():
            monkeypatch.setenv(name, value)

    set_to({})
    return set_to


def test_nobody_is_anywhere_without_an_environment(environment):
    for ask in (runtime.platform, runtime.this_function):
        with pytest.raises(PlatformUnbound, match="through its host"):
            ask()


@pytest.mark.parametrize("mark", WHO)
def test_a_function_on_google_cloud_has_googles_platform_once(environment, mark):
    environment({**WHERE, mark: WHO[mark]})
    found = runtime.platform()
    assert {name: type(getattr(found, name)) for name in PARTS} == dict.fromkeys(PARTS, Later)
    assert {*PORTS} == {*PARTS, "sign_in"}
    assert found.cell == "europe-west6"
    assert found.documents is not found.sealed
    assert runtime.platform() is found


@pytest.mark.parametrize("port", PARTS)
def test_what_is_loaded_later_is_then_what_it_stands_for(environment, port):
    environment({**WHERE, **WHO})
    asked, kind = PARTS[port]
    assert isinstance(getattr(getattr(runtime.platform(), port), asked).__self__, kind)


def test_google_signs_in_services_alone(environment):
    environment({**WHERE, **WHO})
    assert runtime.platform().sign_in.services == ISSUERS


def test_whoever_uses_a_port_uses_the_same(environment):
    environment({**WHERE, **WHO})
    found = runtime.platform()
    assert found.leases._documents is found.documents


def test_ids_of_googles_platform_only_grow(environment):
    environment({**WHERE, **WHO})
    ids = [runtime.platform().ids.ulid() for _ in range(50)]
    assert ids == sorted(set(ids))


def test_a_platform_that_somebody_bound_comes_first(environment):
    environment({**WHERE, **WHO})
    runtime.bind("another")
    assert runtime.platform() == "another"


def test_what_is_not_set_up_is_named(environment):
    environment(WHO)
    for ask in (runtime.platform, runtime.this_function):
        with pytest.raises(PlatformUnbound, match="GOOGLE_CLOUD_PROJECT: not set"):
            ask()


def test_a_function_knows_itself_from_its_environment(environment):
    descriptor = {
        "KEYFLEET_CALLERS": "cloud-tasks, operator",
        "KEYFLEET_OPENS": "saga-callback",
        "KEYFLEET_SEALS": "guest-contact",
        "KEYFLEET_ROLES": "documents,tasks-enqueue",
        "KEYFLEET_SECRETS": "lock-ttlock",
        "KEYFLEET_TIMEOUT": "120",
        "KEYFLEET_BUILD": "0123456789ab",
    }
    environment({**WHERE, **WHO, **descriptor})
    assert runtime.this_function() == Deployed(
        name="sweep-ledger",
        audience="https://europe-west6-hotel.cloudfunctions.net/sweep-ledger",
        public=False,
        callers=frozenset({"cloud-tasks", "operator"}),
        opens=frozenset({"saga-callback"}),
        seals=frozenset({"guest-contact"}),
        roles=frozenset({"documents", "tasks-enqueue"}),
        secrets=("lock-ttlock",),
        timeout=120.0,
        build="0123456789ab",
    )


def test_what_is_not_said_is_not_granted(environment):
    environment({**WHERE, "FUNCTION_TARGET": "sweep_ledger"})
    alone = runtime.this_function()
    assert alone == Deployed("sweep-ledger", alone.audience, build="unnamed")


def test_a_public_function_and_another_audience_are_said(environment):
    environment({**WHERE, **WHO, "KEYFLEET_PUBLIC": "true", "KEYFLEET_AUDIENCE": "https://keys.example"})
    alone = runtime.this_function()
    assert (alone.public, alone.audience) == (True, "https://keys.example")


def test_the_hosts_choice_comes_first(environment):
    environment({**WHERE, **WHO})
    chosen = Deployed("another", "audience")
    token = deployed.set(chosen)
    assert runtime.this_function() is chosen
    deployed.reset(token)


def test_building_the_platform_imports_no_client(environment):
    heavy = {"google.api_core", "google.auth", "grpc", "nacl", "aiohttp"}
    code = f"import sys, shared.runtime.platform as r; r.platform(); print({heavy} & sys.modules.keys())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **WHERE, **WHO},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "set()"
