"""Google's own emulators, where the Cloud SDK brought them: found next to gcloud, started with java."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

LONGEST_START = 60.0
FIRST_PORT, MANY_PORTS, LAST_PORT = 20_000, 10_000, 32_000


@dataclass(frozen=True)
class Emulator:
    """One of Google's emulators, as it lies in the SDK."""

    name: str
    jar: str
    main: str
    ready: str

    def missing(self):
        """Say what is not installed, or nothing."""
        if shutil.which("java") is None:
            return f"the {self.name} emulator needs java, which is not installed"
        if self.path is None:
            return (
                f"the {self.name} emulator is not installed: gcloud components install {self.name}-emulator"
            )
        return ""

    @property
    def path(self):
        """Where its program lies."""
        gcloud = shutil.which("gcloud")
        if gcloud is None:
            return None
        root = Path(gcloud).resolve().parents[1]
        return next(iter(sorted(root.glob(f"platform/{self.jar}"))), None)

    def command(self, port):
        """Return what starts it on a port."""
        lean = ("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Duser.language=en")
        return ["java", *lean, "-cp", str(self.path), self.main, "--host=127.0.0.1", f"--port={port}"]


FIRESTORE = Emulator(
    "cloud-firestore",
    "cloud-firestore-emulator/cloud-firestore-emulator.jar",
    "com.google.cloud.datastore.emulator.firestore.CloudFirestore",
    "Dev App Server is now running",
)
PUBSUB = Emulator(
    "pubsub",
    "pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar",
    "com.google.cloud.pubsub.testing.v1.Main",
    "Server started, listening on",
)


@contextmanager
def running(emulator):
    """Run an emulator on a free port and yield its address; skip what needs it where it is not installed."""
    if reason := emulator.missing():
        pytest.skip(reason)
    port = _free_port()
    # To a file: it logs every refusal at length, and a full pipe would stop it.
    with NamedTemporaryFile("ab") as log:
        process = subprocess.Popen(emulator.command(port), stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait(process, emulator, Path(log.name))
            yield f"127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def _wait(process, emulator, log):
    deadline = time.monotonic() + LONGEST_START
    while emulator.ready not in (said := log.read_text(encoding="utf-8")):
        assert process.poll() is None, f"the {emulator.name} emulator ended:\n{said}"
        assert time.monotonic() < deadline, f"the {emulator.name} emulator did not start:\n{said}"
        time.sleep(0.02)


def _free_port():
    # Below the ports that the system gives out: nobody takes it between our look and the emulator's start.
    for port in range(FIRST_PORT + os.getpid() % MANY_PORTS, LAST_PORT):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free for an emulator")
