"""What this machine is, and where on it a commit reaches a real disk."""

import os
import platform
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from infra.local.ambient import SystemClock
from infra.local.storage.connection import connect

IN_MEMORY = {"ramfs", "tmpfs"}
MOUNTS = Path("/proc/mounts")
PAGE = b"\0" * 4096
PROBES = 100


def on_disk() -> Path:
    """Return a folder whose fsync means something: the temporary one, unless that is memory."""
    usual = Path(tempfile.gettempdir()).resolve()
    return Path.cwd() if filesystem(usual) in IN_MEMORY else usual


def filesystem(folder: Path) -> str:
    """Return the type of the file system a folder lies on."""
    if not MOUNTS.exists():
        return "unknown"
    mounts = [line.split() for line in MOUNTS.read_text(encoding="utf-8").splitlines()]
    holding = [(fields[1], fields[2]) for fields in mounts if folder.is_relative_to(fields[1])]
    return max(holding, key=lambda mount: len(mount[0]), default=("", "unknown"))[1]


def facts(folder: Path) -> dict[str, Any]:
    """Return what figures from here are to be read with."""
    return {
        "at": SystemClock().now().isoformat(timespec="seconds"),
        "cores": _cores(),
        "load_average": [round(load, 2) for load in os.getloadavg()],
        "system": platform.platform(),
        "python": platform.python_version(),
        "sqlite": _sqlite(folder),
        "folder": str(folder),
        "filesystem": filesystem(folder),
        "fsync_p50_ms": round(median(fsync_milliseconds(folder, PROBES)), 4),
    }


def fsync_milliseconds(folder: Path, times: int) -> list[float]:
    """Return how long each of some appends of 4 KiB took to be on the disk."""
    path = folder / "appended"
    with path.open("ab", buffering=0) as file:
        took = [_append(file.fileno()) for _ in range(times)]
    path.unlink()
    return took


def _append(descriptor: int) -> float:
    began = time.perf_counter()
    os.write(descriptor, PAGE)
    os.fsync(descriptor)
    return (time.perf_counter() - began) * 1e3


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _sqlite(folder: Path) -> str:
    connection = connect(folder / "version.db")
    ((version,),) = connection.execute("SELECT sqlite_version()").fetchall()
    connection.close()
    return str(version)
