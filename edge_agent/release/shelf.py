"""Releases on a desk's disk: each whole in a folder of its own, one of them current.

    12/  11/             as they were unpacked
    current -> 12        what the service runs
    previous -> 11       what it runs after `back`
    seen.json            the highest number ever proved, and those that were taken back
    changed              touched when `current` leads elsewhere: the service is started anew

1. The number is written down as seen, before anything is fetched: nothing lower is taken from then on.
2. The archive is unpacked beside, and tried: it must start, and say its own version.
3. It gets its name; `previous` and then `current` are turned, each in one step.

A power cut leaves the old release current, or the new one; what is half there is swept by the next try.
"""

import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from edge_agent.release.manifest import Release, ReleaseRefused

CURRENT, PREVIOUS, SEEN, CHANGED = "current", "previous", "seen.json", "changed"
HALF: Final = ".half"
PROGRAM: Final = "keyfleet-edge"
STARTS_WITHIN: Final = 120.0


@dataclass(frozen=True, slots=True)
class ReleaseShelf:
    """The folder of releases."""

    folder: Path

    @property
    def current(self) -> int:
        """The number of the release that the service runs; 0 where there is none."""
        return self._number(CURRENT)

    @property
    def highest(self) -> int:
        """The highest number ever proved here."""
        return int(self._seen().get("highest", 0))

    @property
    def bad(self) -> list[int]:
        """The numbers that were taken back here."""
        return [int(each) for each in self._seen().get("bad", [])]

    def see(self, number: int) -> None:
        """Write down that a number was proved."""
        self._keep(highest=max(number, self.highest), bad=self.bad)

    def room_for(self, number: int) -> Path:
        """Return where the archive of a release is fetched to, and sweep what was left of others."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for left in self.folder.glob(f"*{HALF}*"):
            _removed(left)
        return self.folder / f"{number}{HALF}.tar.gz"

    def put(self, archive: Path, release: Release) -> None:
        """Unpack a release, try it, and make it current; raise ReleaseRefused if it does not start."""
        half, whole = self.folder / f"{release.number}{HALF}", self.folder / str(release.number)
        _unpacked(archive, half)
        _tried(half / PROGRAM, release.version)
        _removed(whole)
        half.rename(whole)
        _synced(self.folder)
        if self.current:
            self._turn(PREVIOUS, self.current)
        self._turn(CURRENT, release.number)
        self._tidy()

    def back(self) -> int:
        """Make the previous release current again, and never take the present one once more."""
        bad, number = self.current, self._number(PREVIOUS)
        if not number or number == bad:
            raise ReleaseRefused("there is no release before this one: install the agent anew")
        self._keep(highest=self.highest, bad=[*self.bad, bad])
        self._turn(CURRENT, number)
        return number

    def _number(self, name: str) -> int:
        link = self.folder / name
        told = link.readlink().name if link.is_symlink() else ""
        return int(told) if told.isdecimal() and (self.folder / told / PROGRAM).is_file() else 0

    def _turn(self, name: str, number: int) -> None:
        half = self.folder / f"{name}{HALF}"
        _removed(half)
        half.symlink_to(str(number))
        half.replace(self.folder / name)
        _synced(self.folder)
        if name == CURRENT:  # told any earlier, the service would start what is current still
            (self.folder / CHANGED).write_text(str(number))

    def _tidy(self) -> None:
        kept = {str(self.current), str(self._number(PREVIOUS))}
        for each in self.folder.iterdir():
            if each.name.isdecimal() and each.name not in kept:
                _removed(each)
        for left in self.folder.glob(f"*{HALF}*"):
            _removed(left)

    def _seen(self) -> dict[str, Any]:
        with suppress(FileNotFoundError):  # nothing was ever proved here
            told: dict[str, Any] = json.loads((self.folder / SEEN).read_text())
            return told
        return {}

    def _keep(self, **told: Any) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        half = self.folder / f"{SEEN}{HALF}"
        with half.open("w") as out:
            json.dump(told, out)
            out.flush()
            os.fsync(out.fileno())
        half.replace(self.folder / SEEN)
        _synced(self.folder)


def _unpacked(archive: Path, into: Path) -> None:
    """Unpack an archive; nothing of it may lead out of its folder, and all of it is on disk afterwards."""
    try:
        with tarfile.open(archive) as packed:
            packed.extractall(into, filter="data")
    except (tarfile.TarError, OSError, EOFError) as broken:
        raise ReleaseRefused("the archive cannot be unpacked here") from broken
    for path in (*_files(into), into):
        _synced(path)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _tried(program: Path, version: str) -> None:
    """Start a release, once, before anybody relies on it."""
    try:
        said = subprocess.run(  # noqa: S603 - what was proved to be a release of ours
            [str(program), "version"], capture_output=True, timeout=STARTS_WITHIN, check=True, text=True
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError) as failure:
        raise ReleaseRefused("the release does not start on this machine") from failure
    if said != version:
        raise ReleaseRefused("the release is not the one that its manifest tells of")


def _synced(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _removed(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
