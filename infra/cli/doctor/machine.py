"""What the machine must offer: Python, room on the disk, a clock that is right."""

import os
import shutil
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from infra.cli.doctor.finding import Finding, Verdict

OLDEST_PYTHON = (3, 11)
ENOUGH_ROOM, LEAST_ROOM = 2 * 1024**3, 200 * 1024**2
BUILT = datetime(2026, 11, 1, tzinfo=UTC)
"""No clock that is right shows an earlier day."""
DRIFT_SECONDS = 60.0
EMULATORS = ("cloud-firestore-emulator", "pubsub-emulator")


def check_python(found: tuple[int, ...] = sys.version_info[:3]) -> Finding:
    """Is this Python new enough?"""
    version = ".".join(map(str, found))
    if found[:2] >= OLDEST_PYTHON:
        return Finding("python", Verdict.OK, version)
    return Finding(
        "python",
        Verdict.FAILED,
        f"{version} is too old",
        "make setup PYTHON=python3.11, or any newer one",
    )


def check_disk(home: Path) -> Finding:
    """Is there room for the database to grow?"""
    free = shutil.disk_usage(nearest_folder(home)).free
    said = f"{free / 1024**3:.1f} GiB free"
    if free >= ENOUGH_ROOM:
        return Finding("disk", Verdict.OK, said)
    verdict = Verdict.WARNING if free >= LEAST_ROOM else Verdict.FAILED
    return Finding("disk", verdict, f"only {said}", "free some space, or move the home to a larger disk")


def check_clock(home: Path, now: datetime) -> Finding:
    """Does the clock agree with the calendar and with the fleet's own files?"""
    remedy = "set the clock, and keep it set: timedatectl set-ntp true"
    if now < BUILT:
        return Finding("clock", Verdict.FAILED, f"{now:%Y-%m-%d %H:%M} UTC is in the past", remedy)
    ahead = max((file.stat().st_mtime for file in _files(home)), default=0.0) - now.timestamp()
    if ahead > DRIFT_SECONDS:
        return Finding(
            "clock", Verdict.FAILED, f"files in {home} are {ahead:.0f} s younger than the clock", remedy
        )
    return Finding("clock", Verdict.OK, f"{now:%Y-%m-%d %H:%M} UTC")


def check_emulators(path: str | None = None) -> Finding:
    """Are Google's emulators here? Nothing needs them; the parity tests use them."""
    gcloud = shutil.which("gcloud", path=path)
    if gcloud is None:
        return Finding("emulators", Verdict.NOTE, "not found (optional)")
    platform = Path(gcloud).resolve().parents[1] / "platform"
    present = [name for name in EMULATORS if (platform / name).is_dir()]
    said = f"found: {', '.join(present)}" if present else "not found (optional)"
    return Finding("emulators", Verdict.NOTE, said)


def nearest_folder(home: Path) -> Path:
    """Return the folder that is there already, at or above a home."""
    return next(folder for folder in (home.absolute(), *home.absolute().parents) if folder.is_dir())


def _files(home: Path) -> Iterator[Path]:
    if home.is_dir() and os.access(home, os.R_OK | os.X_OK):
        yield from (file for file in home.iterdir() if file.is_file())
