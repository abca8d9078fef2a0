"""What Google would run: the archive in a clean environment of its own requirements, behind a server."""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import venv
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from infra.codegen.fleet_plan import fleet_plan
from tests.unit.infra.archive.bare import unpack

FLEET = fleet_plan()
PLACE = {
    "project": "hotel-locks-try",
    "region": "europe-west6",
    "cell": "europe-west6",
    "base_url": "https://europe-west6-hotel-locks-try.cloudfunctions.net",
    "email_domain": "hotel-locks-try.iam.gserviceaccount.com",
    "records_bucket": "hotel-locks-try-lock-records",
}
LONGEST_START = 60.0
COUNTER = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--vex-guest-chase=no", "--trace-children=yes")
"""Most of a start is executed once: to translate it in short pieces, each to its jump, takes a tenth less."""
COUNT = re.compile(r"I\s+refs:\s+([\d,]+)")
BARE = """
import functions_framework.aio
@functions_framework.aio.http
async def nothing(request):
    return "nothing"
"""


NEEDS_COUNTER = pytest.mark.skipif(
    shutil.which(COUNTER[0]) is None,
    reason="valgrind is not installed: on Debian it comes with the package valgrind",
)


def environment_of(name):
    """Return what Terraform tells a function."""
    placed = {variable: PLACE[term] for variable, term in FLEET["environment_of_place"].items()}
    told = {**placed, **FLEET["functions"][name]["environment"]}
    return {**told, "KEYFLEET_AUDIENCE": f"{PLACE['base_url']}/{name}"}


@dataclass(frozen=True)
class Deployed:
    """The archive, unpacked beside an environment that has its requirements and nothing else."""

    archive: Path
    python: Path

    @classmethod
    def there(cls, root):
        """Return what was installed in a folder."""
        return cls(root / "archive", root / "venv/bin/python")

    @classmethod
    def install(cls, root):
        """Build it as a build does: a clean environment, hashes required, sources compiled."""
        archive = unpack(root / "archive")
        environment = root / "venv"
        venv.create(environment, with_pip=True)
        pip = [
            str(environment / "bin/python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--require-hashes",
            "--no-deps",
        ]
        done = subprocess.run(
            [*pip, "-r", str(archive / "requirements.txt")], capture_output=True, text=True, check=False
        )
        if "No matching distribution" in done.stderr or "Connection" in done.stderr:
            pytest.skip("no package index can be reached to install what functions need")
        assert done.returncode == 0, done.stderr
        cls.there(root)._compile()

    def _compile(self):
        """Compile as a build with SOURCE_DATE_EPOCH does: checked by the hash of each source."""
        how = ("-m", "compileall", "-q", "--invalidation-mode", "checked-hash", str(self.archive))
        subprocess.run([str(self.python), *how], check=True)

    @contextlib.contextmanager
    def served(self, name, entry_point, beneath=(), **environment):
        """Start a function or a service as the platform starts it, and yield how to reach it.

        `beneath` is a program that is told to run it.
        """
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        told = {
            **environment,
            "PATH": os.environ["PATH"],
            "PORT": str(port),
            "HOST": "127.0.0.1",
            "K_SERVICE": name,
            "K_REVISION": f"{name}-00001",
            "FUNCTION_TARGET": entry_point,
            "FUNCTION_SIGNATURE_TYPE": "http",
            "CLOUD_RUN_TIMEOUT_SECONDS": "60",
        }
        server = subprocess.Popen(
            [*beneath, *self._command(name, port)],
            cwd=self.archive,
            env=told,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        running = Running(server, port)
        try:
            running.wait()
            yield running
        finally:
            running.end()

    def _command(self, name, port):
        kind = FLEET["functions"].get(name, {}).get("kind", "function")
        command = FLEET["build"]["service_command"] if kind == "service" else "functions-framework"
        program, *options = command.replace("$PORT", str(port)).split()
        return [str(self.python.with_name(program)), *options]

    def instructions(self, name, entry_point, notes, **environment):
        """Return what the worker has executed from its first line to its first answer and its end.

        A worker is forked, and what was counted before it with it: the most that any process has is its own.
        """
        notes.mkdir()
        told = [f"--log-file={notes}/%p", "--cachegrind-out-file=/dev/null", str(self.python)]
        with self.served(name, entry_point, (*COUNTER, *told), **environment, PYTHONHASHSEED="0") as running:
            status, _ = running.ask()
            running.server.terminate()
            running.server.wait(LONGEST_START)
        counts = [COUNT.search(note.read_text()) for note in notes.iterdir()]
        return status, max(int(count[1].replace(",", "")) for count in counts if count)

    def bare(self, root):
        """Return the same environment with a function in it that does nothing."""
        (root / "main.py").write_text(BARE)
        return Deployed(root, self.python)


@dataclass(frozen=True)
class Running:
    """One server, with its workers."""

    server: subprocess.Popen
    port: int

    def wait(self):
        """Wait until it listens."""
        deadline = time.monotonic() + LONGEST_START
        while time.monotonic() < deadline:
            assert self.server.poll() is None, self.server.stdout.read().decode()
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        pytest.fail("the server did not listen in time")

    def ask(self, body=b"{}", **headers):
        """Return the answer to one POST."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
        connection.request("POST", "/", body, {"content-type": "application/json", **headers})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text) if text[:1] == b"{" else text.decode()

    def cpu_seconds(self):
        """Return the CPU that it has taken, workers included."""
        processes = [
            psutil.Process(self.server.pid),
            *psutil.Process(self.server.pid).children(recursive=True),
        ]
        return sum(sum(each.cpu_times()[:2]) for each in processes)

    def end(self):
        """End it, and whatever it started: all at once, or it would start another worker meanwhile."""
        with contextlib.suppress(ProcessLookupError):  # it may have ended by itself
            os.killpg(self.server.pid, signal.SIGKILL)
        self.server.wait()
        self.server.stdout.close()
