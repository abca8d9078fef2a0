"""A fleet process seen from outside: start it, speak to it, find it dead."""

import http.client
import http.server
import json
import multiprocessing
import os
import secrets
import socket
import threading
import time
from pathlib import Path

from infra.cli.cloud import Cloud
from infra.local.ambient import SystemClock
from infra.local.identity import LocalIdentity
from infra.local.own_socket import HomeConnection
from tests.chaos.child import Life, live

GIVE_UP_SECONDS = 30
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.chaos.warm"])


class Unreachable(Exception):
    """The fleet did not answer: it is not up yet, or it died."""


class FleetProcess:
    """One home, one port, one life after another."""

    def __init__(self, home: Path, port: int, workflows: Path, platform: Cloud = Cloud.EMBEDDED):
        self.home, self.port, self.workflows, self.platform = home, port, workflows, platform
        self.process: multiprocessing.Process | None = None

    def start(self, crash_at: str | None = None, **more) -> bool:
        """Begin a life; True once it answers, False if it died before."""
        life = Life(self.home, self.port, self.workflows, crash_at, platform=self.platform, **more)
        self.process = FORKS.Process(target=live, args=(life, self.home.parent / "fleet.log"))
        self.process.start()
        return self.until(lambda: self.ask("GET", "/_cloud/status") is not None)

    def until(self, holds) -> bool:
        """Wait until something holds; False if the process died first."""
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while time.monotonic() < deadline:
            try:
                if holds():
                    return True
            except Unreachable:
                if not self.process.is_alive():
                    return False
            time.sleep(0.01)
        raise AssertionError("the fleet neither did it nor died")

    def ask(self, method: str, path: str, body=None) -> dict:
        """Ask the control plane; raise Unreachable where a caller would not know."""
        connection = HomeConnection(self.home, self.port, GIVE_UP_SECONDS)
        try:
            token = self._token()
            connection.request(method, path, json.dumps(body or {}), {"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            content = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Unreachable from error
        finally:
            connection.close()
        assert answer.status == 200, content
        return content

    def kill(self) -> None:
        """Kill -9, if it lives."""
        if self.process is not None:
            self.process.kill()
            self.process.join()

    def stop(self) -> None:
        """End this life in order."""
        self.process.terminate()
        self.process.join(GIVE_UP_SECONDS)
        assert self.process.exitcode == 0

    def _token(self) -> str:
        key = self.home / "identity.key"
        if not key.exists():
            raise Unreachable
        identity = LocalIdentity.at(key, SystemClock().now, os.urandom)
        return identity.token("operator", f"http://127.0.0.1:{self.port}/_cloud")


class Outsider:
    """An HTTP server outside the fleet, which remembers every request that is for it.

    Its port may have been another test's a moment ago, and that one's fleet may still ask there.
    """

    def __init__(self):
        path = f"/{secrets.token_hex(8)}"
        self.requests: list[dict] = []
        self.before_answering = lambda: None
        outsider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                if not self.path.startswith(path):
                    self.send_error(404)
                    return
                outsider.requests.append(json.loads(body))
                outsider.before_answering()
                body = json.dumps({"count": len(outsider.requests)}).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = type("Server", (http.server.ThreadingHTTPServer,), {"request_queue_size": 128})
        self.server = server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}{path}"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()


def free_port() -> int:
    """A port below the ephemeral range is not needed: the fleet binds it again within milliseconds."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
