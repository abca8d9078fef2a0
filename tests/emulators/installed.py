"""Google's own emulators, where the Cloud SDK brought them: found next to gcloud, started with java."""

import contextlib
import fcntl
import json
import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir

import psutil
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


_STARTED = []
"""What this process started: it may outlive us, for others use it too."""


@contextmanager
def running(emulator):
    """Yield the address of the machine's one emulator; skip what needs it where it is not installed.

    It is started by whoever comes first and ended by whoever leaves last: the users' process ids stand in a
    file, and those that died without leaving do not count.
    """
    if reason := emulator.missing():
        pytest.skip(reason)
    shared = _Shared(emulator)
    address = shared.enter()
    try:
        yield address
    finally:
        shared.leave()


class _Shared:
    """The one emulator of a machine, and who uses it."""

    def __init__(self, emulator):
        self._emulator = emulator
        self._folder = Path(gettempdir()) / f"keyfleet-emulators-{os.getuid()}"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._file = self._folder / f"{emulator.name}.json"

    def enter(self):
        """Return where the emulator listens, started if it does not run."""
        with self._locked():
            state = self._state()
            if not state["users"]:
                # Nobody uses it: one that is left over from users who died may be in any state.
                _end(state.get("pid"), self._emulator)
                state = self._start()
            state["users"].append(os.getpid())
            self._file.write_text(json.dumps(state))
            return f"127.0.0.1:{state['port']}"

    def leave(self):
        """End it, if nobody else uses it."""
        with self._locked():
            state = self._state()
            state["users"].remove(os.getpid())
            if not state["users"]:
                _end(state.pop("pid"), self._emulator)
            self._file.write_text(json.dumps(state))

    @contextmanager
    def _locked(self):
        with (self._folder / f"{self._emulator.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _state(self):
        state = json.loads(self._file.read_text()) if self._file.exists() else {}
        state["users"] = [user for user in state.get("users", ()) if psutil.pid_exists(user)]
        return state

    def _start(self):
        port, log = _free_port(), self._folder / f"{self._emulator.name}.log"
        # To a file: it logs every refusal at length, and a full pipe would stop it.
        with log.open("wb") as output:
            command = self._emulator.command(port)
            process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        _STARTED.append(process)
        _wait(process, self._emulator, log)
        return {"pid": process.pid, "port": port, "users": []}


def _end(pid, emulator):
    """End an emulator that this or another worker started, and no other process that has its number now."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid) if pid else None
        if process and emulator.main in process.cmdline():
            process.kill()


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
