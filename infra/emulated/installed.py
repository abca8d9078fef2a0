"""Google's own emulators, where the Cloud SDK brought them: found next to gcloud, started with java."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from infra.local.ambient import SystemClock

LONGEST_START: Final = timedelta(minutes=1)
SHARED: Final = Path("/tmp")  # noqa: S108 - one place a machine, whatever TMPDIR says; the folder is its user's own
FIRST_PORT, MANY_PORTS, LAST_PORT = 20_000, 10_000, 32_000
_BESIDE: Final = ("/bin/sh", "-c", 'log=$1; shift; "$@" >"$log" 2>&1 & echo $!', "sh")
"""Starts a program as nobody's child and says its number."""


class NotInstalled(Exception):
    """An emulator, or what it takes to run one, is not on this machine."""


class NotStarted(Exception):
    """An emulator ended before it served."""


@dataclass(frozen=True, slots=True)
class Emulator:
    """One of Google's emulators, as it lies in the SDK."""

    name: str
    jar: str
    main: str
    ready: str

    def missing(self) -> str:
        """Say what is not installed, or nothing."""
        if shutil.which("java") is None:
            return f"the {self.name} emulator needs java, which is not installed"
        if self.path is None:
            return (
                f"the {self.name} emulator is not installed: gcloud components install {self.name}-emulator"
            )
        return ""

    @property
    def path(self) -> Path | None:
        """Where its program lies."""
        gcloud = shutil.which("gcloud")
        if gcloud is None:
            return None
        root = Path(gcloud).resolve().parents[1]
        return next(iter(sorted(root.glob(f"platform/{self.jar}"))), None)

    def command(self, port: int) -> list[str]:
        """Return what starts it on a port."""
        lean = ("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Duser.language=en")
        return ["java", *lean, "-cp", str(self.path), self.main, "--host=127.0.0.1", f"--port={port}"]


FIRESTORE: Final = Emulator(
    "cloud-firestore",
    "cloud-firestore-emulator/cloud-firestore-emulator.jar",
    "com.google.cloud.datastore.emulator.firestore.CloudFirestore",
    "Dev App Server is now running",
)
PUBSUB: Final = Emulator(
    "pubsub",
    "pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar",
    "com.google.cloud.pubsub.testing.v1.Main",
    "Server started, listening on",
)


@contextmanager
def running(emulator: Emulator) -> Iterator[str]:
    """Yield the address of the machine's one emulator, or raise NotInstalled.

    It is started by whoever comes first and ended by whoever leaves last: the users' process ids stand in a
    file, and those that died without leaving do not count.
    """
    if reason := emulator.missing():
        raise NotInstalled(reason)
    shared = _Shared(emulator)
    address = shared.enter()
    try:
        yield address
    finally:
        shared.leave()


class _Shared:
    """The one emulator of a machine, and who uses it."""

    def __init__(self, emulator: Emulator) -> None:
        self._emulator = emulator
        self._folder = SHARED / f"keyfleet-emulators-{os.getuid()}"
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._file = self._folder / f"{emulator.name}.json"

    def enter(self) -> str:
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

    def leave(self) -> None:
        """End it, if nobody else uses it."""
        with self._locked():
            state = self._state()
            state["users"].remove(os.getpid())
            if not state["users"]:
                _end(state.pop("pid"), self._emulator)
            self._file.write_text(json.dumps(state))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self._folder / f"{self._emulator.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _state(self) -> dict[str, Any]:
        state = json.loads(self._file.read_text()) if self._file.exists() else {}
        state["users"] = [user for user in state.get("users", ()) if _lives(user)]
        return state

    def _start(self) -> dict[str, Any]:
        port, log = _free_port(), self._folder / f"{self._emulator.name}.log"
        # To a file: it logs every refusal at length, and a full pipe would stop it.
        pid = _spawned(self._emulator.command(port), log)
        _wait(pid, self._emulator, log)
        return {"pid": pid, "port": port, "users": []}


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _end(pid: int | None, emulator: Emulator) -> None:
    """End an emulator that this or another process started, and no other that has its number now."""
    if pid is None or not _runs(pid, emulator):
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    rest = threading.Event()
    while _runs(pid, emulator):
        rest.wait(0.01)


def _runs(pid: int, emulator: Emulator) -> bool:
    asked = ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)]
    found = subprocess.run(asked, capture_output=True, text=True, check=False)  # noqa: S603 - no shell
    return emulator.main in found.stdout


def _spawned(command: list[str], log: Path) -> int:
    """Start a program that may outlive us, for others use it too: it is no child of ours.

    Neither is its CPU then counted as that of the test at whose end it happened to end.
    """
    started = [*_BESIDE, str(log), *command]
    told = subprocess.run(started, capture_output=True, check=True, start_new_session=True)  # noqa: S603 - as above
    return int(told.stdout)


def _wait(pid: int, emulator: Emulator, log: Path) -> None:
    now, rest = SystemClock().now, threading.Event()
    deadline = now() + LONGEST_START
    while emulator.ready not in log.read_text(encoding="utf-8"):
        if not _runs(pid, emulator) or now() > deadline:
            said = log.read_text(encoding="utf-8")
            _end(pid, emulator)  # nobody else knows of it
            raise NotStarted(f"the {emulator.name} emulator did not start; its last words:\n{said[-2000:]}")
        rest.wait(0.1)


def _free_port() -> int:
    # Below the ports that the system gives out: nobody takes it between our look and the emulator's start.
    for port in range(FIRST_PORT + os.getpid() % MANY_PORTS, LAST_PORT):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise NotStarted("no port is free for an emulator")


def addresses_of(stack: contextlib.ExitStack) -> Mapping[str, str]:
    """Use both emulators until the stack is closed, and return where each service listens."""
    firestore, pubsub = (stack.enter_context(running(each)) for each in (FIRESTORE, PUBSUB))
    return {"firestore": firestore, "pubsub": pubsub, "subscriber": pubsub}
