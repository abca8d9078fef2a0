"""TTLock's simulator in a process of its own, which outlives the fleets that call it."""

import http.client
import json
import subprocess
import sys
import time

GIVE_UP_SECONDS = 30
CONTROL = "steer"


class SimulatorProcess:
    """The doors of the sample hotel, on a port of their own."""

    def __init__(self, port):
        self.port = port
        command = [sys.executable, "-m", "infra.simulators", "ttlock", "--port", str(port), "--seed", "7"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen([*command, "--control-token", CONTROL], **quiet)
        self._wait()

    def steer(self, method, path, **body):
        """Use the control plane."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=GIVE_UP_SECONDS)
        headers = {"authorization": f"Bearer {CONTROL}", "content-type": "application/json"}
        try:
            connection.request(method, f"/_sim/{path}", json.dumps(body), headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        assert answer.status < 300, content
        return json.loads(content) if content else None

    def close(self):
        """End it."""
        self._process.terminate()
        self._process.wait(GIVE_UP_SECONDS)

    def _wait(self):
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while time.monotonic() < deadline:
            try:
                self.steer("GET", "clock")
            except OSError:
                time.sleep(0.02)
            else:
                return
        raise AssertionError("the simulator did not start")
