"""A control plane of canned answers, and the command line run against it."""

import json
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from typer.testing import CliRunner

from infra.cli.address import FleetAddress
from infra.cli.main import app
from infra.cli.polling import Patience
from infra.local.own_socket import listen_at_home

WELL = {"failed_keys": 0, "waiting_keys": 0, "residual_locks": 0, "keyless_stays": [], "keys_at_the_door": []}
WELL |= {"strange_keys": 0, "lost_keys": []}
WRONG_HOST = {"error": {"kind": "WrongHost", "detail": "call the fleet by its own address"}}


@dataclass
class FakeFleet:
    """Answers as told, and remembers what it was asked."""

    place: FleetAddress
    on_port: ThreadingHTTPServer
    """Whoever listens on the port: of a real fleet, the functions; here, whatever is told."""
    answers: dict[tuple[str, str], tuple[int, Any]] = field(default_factory=dict)
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)

    def will(self, method: str, path: str, answer: Any, status: int = 200) -> None:
        """Answer so from now on."""
        self.answers[method, f"/_cloud{path}"] = (status, answer)

    def serves(self, function: str, answer: Any, status: int = 200) -> None:
        """Have a function that answers so from now on."""
        self.answers["POST", f"/{function}"] = (status, answer)


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self._serve("GET", None)

    def do_POST(self):
        self._serve("POST", json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def log_message(self, *args):
        pass

    def _serve(self, method, body):
        fake = self.server.fake
        fake.asked.append((method, self.path.removeprefix("/_cloud"), body))
        fake.authorizations.append(self.headers["authorization"])
        means_another = self.headers["host"] != f"127.0.0.1:{fake.place.port}"
        known = {} if means_another else fake.answers
        unknown = (421, WRONG_HOST) if means_another else (404, {"error": {"detail": "no such route"}})
        status, answer = known.get((method, self.path), unknown)
        raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


class StillClock:
    """A clock that moves only by what is waited."""

    def __init__(self):
        self.at = datetime(2026, 5, 1, tzinfo=UTC)

    def now(self):
        """Return the instant it stands at."""
        return self.at

    def pass_by(self, seconds):
        """Let time pass."""
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def patience():
    """Patience that costs no time."""
    clock = StillClock()
    return Patience(clock, clock.pass_by)


class _AtHome(ThreadingHTTPServer):
    """Serves the socket of a home, as a fleet does."""

    address_family = socket.AF_UNIX

    def server_bind(self):
        self.socket.close()
        self.socket = listen_at_home(self.server_address)

    def get_request(self):
        connection, _ = self.socket.accept()
        return connection, ("", 0)


@contextmanager
def _serving(server):
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def fleet(tmp_path):
    """A fake fleet that runs, with the identity in its home."""
    on_port = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    fake = on_port.fake = FakeFleet(FleetAddress(tmp_path / "home", on_port.server_port), on_port)
    fake.will("GET", "/attention", WELL)
    key = fake.place.home / "identity.key"
    key.parent.mkdir(mode=0o700)
    key.write_bytes(bytes(32))
    key.chmod(0o600)
    at_home = _AtHome(fake.place.home, _Handler)
    at_home.fake = fake
    with _serving(on_port), _serving(at_home):
        yield fake


@pytest.fixture
def run():
    """The command line, run with some arguments."""
    return lambda *arguments, stdin=None: CliRunner().invoke(app, list(arguments), input=stdin)


@pytest.fixture
def ask(fleet, run):
    """The command line, run against the fake fleet."""
    place = ("--home", str(fleet.place.home), "--port", str(fleet.place.port))
    return lambda *arguments, stdin=None: run(*arguments, *place, stdin=stdin)


@pytest.fixture
def facts(ask):
    """What a command prints with --json, which must be one document."""

    def read(*arguments: str, exit_code: int = 0) -> Any:
        result = ask(*arguments, "--json")
        assert result.exit_code == exit_code, result.output
        return json.loads(result.stdout)

    return read
