"""Clients: made when first needed, kept, of the cell's own endpoint, or sent to an emulator."""

import subprocess
import sys
from pathlib import Path

import google.auth
import pytest
from google.api_core import grpc_helpers_async
from google.auth.credentials import AnonymousCredentials

import shared.gcp
from shared.gcp.access import SCOPES
from shared.gcp.clients import CLASSES, Clients
from shared.gcp.settings import EMULATED
from tests.emulators.google import settings

ROOT = Path(shared.gcp.__file__).parents[2]
HEAVY = {"google.api_core", "google.auth", "grpc", "nacl", "aiohttp", "requests", "pydantic"}
HOSTS = {
    "firestore": "firestore.googleapis.com:443",
    "pubsub": "europe-west6-pubsub.googleapis.com:443",
    "subscriber": "europe-west6-pubsub.googleapis.com:443",
    "tasks": "cloudtasks.googleapis.com:443",
    "executions": "workflowexecutions.googleapis.com:443",
    "secrets": "secretmanager.googleapis.com:443",
    "kms": "cloudkms.googleapis.com:443",
}


def test_every_service_has_a_client_and_an_emulator():
    assert CLASSES.keys() == EMULATED.keys() == HOSTS.keys()


@pytest.mark.parametrize("service", HOSTS)
async def test_a_client_is_of_its_service_and_kept(service, monkeypatch):
    monkeypatch.setattr(google.auth, "default", lambda **_: (AnonymousCredentials(), "hotel"))
    clients = Clients(settings())
    connect = clients.of(service)
    client = connect()
    assert client.transport.host == HOSTS[service]
    assert connect() is clients.of(service)() is client
    await clients.close()


async def test_all_clients_share_one_set_of_credentials(monkeypatch):
    asked = []

    def default(**wanted):
        asked.append(wanted)
        return AnonymousCredentials(), "hotel"

    monkeypatch.setattr(google.auth, "default", default)
    clients = Clients(settings())
    for service in HOSTS:
        clients.of(service)()
    assert asked == [{"scopes": SCOPES}]
    await clients.close()


async def test_a_connection_that_died_while_we_slept_is_found_dead(monkeypatch):
    opened = []
    monkeypatch.setattr(google.auth, "default", lambda **_: (AnonymousCredentials(), "hotel"))
    create = grpc_helpers_async.create_channel

    def noted(*args, **options):
        opened.append(dict(options["options"]))
        return create(*args, **options)

    monkeypatch.setattr(grpc_helpers_async, "create_channel", noted)
    clients = Clients(settings())
    clients.of("firestore")()
    assert opened[0]["grpc.keepalive_time_ms"] == 30_000
    assert opened[0]["grpc.keepalive_timeout_ms"] == 5_000
    await clients.close()


@pytest.mark.parametrize("service", HOSTS)
async def test_an_emulator_is_spoken_to_without_credentials(service):
    clients = Clients(settings(**{service: "127.0.0.1:9"}))
    assert clients.of(service)().transport.kind == "grpc_asyncio"
    await clients.close()


def test_nothing_heavy_is_imported_before_it_is_needed():
    parts = [path.stem for path in (ROOT / "shared/gcp").iterdir() if not path.name.startswith("_")]
    statement = f"import sys, {', '.join(f'shared.gcp.{part}' for part in sorted(parts))}"
    loaded = f"sorted({HEAVY} & {{name.rpartition('.')[0] or name for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", f"{statement}; print({loaded})"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
