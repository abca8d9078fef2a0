"""Processes of the bench's own, measured from outside: their CPU time, their memory, their first answer."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from infra.bench.figures import BenchError
from infra.manifest.load import ROOT

GIVE_UP_SECONDS = 30.0
LOOK_AGAIN_SECONDS = 0.002
ASKING = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n"
MEGABYTE = 1024.0
PROC = Path("/proc")


class Process:
    """One process, with whatever it starts, and the instant it was spawned."""

    def __init__(self, command: Sequence[str], port: int, log: IO[bytes], **more: str) -> None:
        self.port, self._log = port, Path(log.name)
        self.spawned = time.perf_counter()
        self._popen = subprocess.Popen(
            command,
            env={**_environment(), **more},
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def first_answer(self) -> float:
        """Wait for the first HTTP answer, of any status; return the seconds since the spawn."""
        while not _answers(self.port):
            if self._popen.poll() is not None or time.perf_counter() - self.spawned > GIVE_UP_SECONDS:
                raise BenchError(f"the process did not answer; it said: {self._last_words()}")
            time.sleep(LOOK_AGAIN_SECONDS)
        return time.perf_counter() - self.spawned

    def cpu_seconds(self) -> float:
        """Return the CPU time that it and its children have used so far."""
        return sum(_cpu_nanoseconds(pid) for pid in _tree(self._popen.pid)) / 1e9

    def memory_megabytes(self) -> tuple[float, float]:
        """Return resident and proportional set size, its children included."""
        rollups = [_rollup(pid) for pid in _tree(self._popen.pid)]
        return sum(each["Rss"] for each in rollups), sum(each["Pss"] for each in rollups)

    def kill(self) -> None:
        """Kill -9 it and its children, and see it gone."""
        family: list[int] = []
        if self._popen.poll() is None:
            family = _tree(self._popen.pid) if PROC.exists() else []
            os.killpg(self._popen.pid, signal.SIGKILL)
        self._popen.wait()
        while any(map(_lives, family)):
            time.sleep(LOOK_AGAIN_SECONDS)

    def _last_words(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else "nothing"


@contextmanager
def spawned(
    arguments: Sequence[str | Path], port: int, folder: Path, **environment: str
) -> Iterator[Process]:
    """Run `python` with some arguments, and kill it in the end."""
    with (folder / "process.log").open("ab") as log:
        process = Process([sys.executable, *map(str, arguments)], port, log, **environment)
    try:
        yield process
    finally:
        process.kill()


@contextmanager
def answering(
    arguments: Sequence[str | Path], port: int, folder: Path, **environment: str
) -> Iterator[Process]:
    """Run `python` with some arguments and wait until it answers."""
    with spawned(arguments, port, folder, **environment) as process:
        process.first_answer()
        yield process


def _environment() -> Mapping[str, str]:
    # A start-up without bytecode would be measured as compilation.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PYTHONPATH": str(ROOT)}


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), GIVE_UP_SECONDS) as connection:
            connection.sendall(ASKING % port)
            return connection.recv(64).startswith(b"HTTP/1.")
    except OSError:
        return False


def _tree(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        found += _children(parent)
    return found


def _children(pid: int) -> list[int]:
    return [int(child) for text in _of_threads(pid, "children") for child in text.split()]


def _cpu_nanoseconds(pid: int) -> int:
    # Exact, where the ticks of /proc/PID/stat are ten milliseconds each.
    return sum(int(text.split()[0]) for text in _of_threads(pid, "schedstat"))


def _of_threads(pid: int, name: str) -> Iterator[str]:
    for thread in (PROC / str(pid) / "task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread may end while we look
            yield (thread / name).read_text(encoding="utf-8")


def _lives(pid: int) -> bool:
    # Whoever adopted an orphan may not have buried it yet.
    with suppress(FileNotFoundError, ProcessLookupError):
        state = (PROC / str(pid) / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        return state not in {"X", "Z"}
    return False


def _rollup(pid: int) -> dict[str, float]:
    lines = (PROC / str(pid) / "smaps_rollup").read_text(encoding="utf-8").splitlines()[1:]
    fields = (line.replace(":", "").split() for line in lines)
    return {name: int(kilobytes) / MEGABYTE for name, kilobytes, _ in fields}
