"""A fleet process seen from outside: start it, speak to it, find it dead."""

import http.client
import http.server
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from infra.local.ambient import SystemClock
from infra.local.identity import LocalIdentity

GIVE_UP_SECONDS = 30


class Unreachable(Exception):
    """The fleet did not answer: it is not up yet, or it died."""


class FleetProcess:
    """One home, one port, one life after another."""

    def __init__(self, home: Path, port: int, workflows: Path):
        self.home, self.port, self.workflows = home, port, workflows
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, crash_at: str | None = None) -> bool:
        """Begin a life; True once it answers, False if it died before."""
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "CRASH_AT": crash_at or ""}
        command = [sys.executable, "-m", "tests.chaos.child", self.home, str(self.port), self.workflows]
        log = (self.home.parent / "fleet.log").open("ab")
        self.process = subprocess.Popen(command, env=environment, stderr=log, stdout=log)
        log.close()
        return self.until(lambda: self.ask("GET", "/_cloud/status") is not None)

    def until(self, holds) -> bool:
        """Wait until something holds; False if the process died first."""
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while time.monotonic() < deadline:
            try:
                if holds():
                    return True
            except Unreachable:
                if self.process.poll() is not None:
                    return False
            time.sleep(0.01)
        raise AssertionError("the fleet neither did it nor died")

    def ask(self, method: str, path: str, body=None) -> dict:
        """Ask the control plane; raise Unreachable where a caller would not know."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=GIVE_UP_SECONDS)
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
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """End this life in order."""
        self.process.terminate()
        assert self.process.wait(GIVE_UP_SECONDS) == 0

    def _token(self) -> str:
        key = self.home / "identity.key"
        if not key.exists():
            raise Unreachable
        identity = LocalIdentity.at(key, SystemClock().now, os.urandom)
        return identity.token("operator", f"http://127.0.0.1:{self.port}/_cloud")


class Outsider:
    """An HTTP server outside the fleet, which remembers every request."""

    def __init__(self):
        self.requests: list[dict] = []
        self.before_answering = lambda: None
        outsider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                outsider.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
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
        self.url = f"http://127.0.0.1:{self.server.server_port}"
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
