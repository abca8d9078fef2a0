"""A simulator that listens, and the command line run against it."""

import asyncio
import json
import threading
import urllib.request
from datetime import UTC, datetime
from hashlib import md5
from random import Random
from urllib.parse import urlencode

import pytest
import uvicorn

from infra.cli.sim.simulator import Simulator
from infra.local.server import free_port
from infra.simulators.kit.world import SimWorld
from infra.simulators.ttlock.app import ttlock_app

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ACCOUNT = {"clientId": "sim-client", "clientSecret": "sim-secret", "username": "owner"}


class Vendor:
    """The vendor's side: asked as a customer of its cloud would."""

    def __init__(self, url):
        self._url = url
        password = md5(b"sim-password").hexdigest()
        self._token = self._post("/oauth2/token", {**ACCOUNT, "password": password})["access_token"]

    def add_code(self, lock, code):
        """Write a passcode into a lock, from now on for ever."""
        fields = {"lockId": lock, "keyboardPwd": code, "startDate": 0, "endDate": 0, "addType": 2}
        date = int(NOON.timestamp() * 1000)
        account = {"clientId": "sim-client", "accessToken": self._token, "date": date}
        return self._post("/v3/keyboardPwd/add", {**account, **fields})

    def _post(self, path, fields):
        with urllib.request.urlopen(f"{self._url}{path}", urlencode(fields).encode(), timeout=10) as answer:
            return json.load(answer)


@pytest.fixture
def simulator(tmp_path):
    """A simulator of the sample hotel, at noon, with the token of its control plane in a home."""
    at = Simulator(tmp_path / "home", free_port())
    options = {"control_token": at.token(), "authority": f"127.0.0.1:{at.port}"}
    world = SimWorld(now=lambda: NOON, chance=Random(1), sleep=asyncio.sleep, **options)
    settings = {"lifespan": "off", "log_config": None, "access_log": False}
    server = uvicorn.Server(uvicorn.Config(ttlock_app(world), port=at.port, **settings))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
    yield at
    server.should_exit = True
    thread.join()


@pytest.fixture
def vendor(simulator):
    """The vendor's cloud that is simulated."""
    return Vendor(simulator.base_url)


@pytest.fixture
def ask(simulator, run):
    """The command line, run against the simulator."""
    place = ("--home", str(simulator.home), "--port", str(simulator.port))
    return lambda *arguments: run("sim", *arguments, *place)
