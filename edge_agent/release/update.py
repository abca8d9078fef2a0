"""A desk's update: what is offered at an address, proved, fetched, tried, and put in place.

| what is found | what becomes of it |
|---|---|
| no answer, or half an archive | nothing: the next hour is another try |
| a signature of somebody else, an older number, a stale manifest | refused, in words |
| an archive that is not what the manifest says, or does not start | refused; the current release stays |
| a release that starts, and then fails again and again | the service takes it back (`back`) |
"""

import hashlib
import platform
import sys
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from nacl.signing import VerifyKey

from edge_agent.release.manifest import Archive, Release, ReleaseRefused, why_not
from edge_agent.release.shelf import ReleaseShelf
from shared.offline.signing import LARGEST
from shared.vendor_kit.http import checked_address

MANIFEST: Final = "release.json"
PATIENCE: Final = 60.0
AT_ONCE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ReleaseSource:
    """Where releases are offered, and by whose keys."""

    address: str
    makers: tuple[VerifyKey, ...]

    @classmethod
    def at(cls, url: str, keys: Iterable[str]) -> "ReleaseSource":
        """Read an address, https or of this machine, and the makers' keys in hex."""
        scheme, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        base = checked_address(f"{scheme}://{host}")
        return cls(f"{base}/{path}".rstrip("/"), tuple(VerifyKey(bytes.fromhex(key)) for key in keys))

    def offered(self) -> Release:
        """Return the release that is offered, proved; raise OSError, or SignedRefused."""
        with _opened(f"{self.address}/{MANIFEST}") as answer:
            return Release.open(answer.read(LARGEST), self.makers)

    def fetch(self, archive: Archive, into: Path) -> None:
        """Fetch an archive, and raise ReleaseRefused unless it is the one that was told of."""
        found, size = hashlib.sha256(), 0
        with _opened(f"{self.address}/{archive.path}") as answer, into.open("wb") as out:
            while part := answer.read(AT_ONCE):
                size += len(part)
                if size > archive.size:
                    break
                found.update(part)
                out.write(part)
        if size != archive.size or found.hexdigest() != archive.sha256:
            raise ReleaseRefused("the archive is not the one that the manifest tells of")


def update(source: ReleaseSource, shelf: ReleaseShelf, now: datetime) -> Release | None:
    """Put the offered release in place and return it; None where it is in place already.

    Raise ReleaseRefused, SignedRefused, or OSError where nobody answers.
    """
    release = source.offered()
    if release.number == shelf.current:
        return None
    reason = why_not(release, shelf.highest, shelf.bad, now)
    if reason is not None:
        raise ReleaseRefused(reason)
    archive = release.archive_for(this_kind())
    shelf.see(release.number)
    fetched = shelf.room_for(release.number)
    source.fetch(archive, fetched)
    shelf.put(fetched, release)
    return release


def this_kind() -> str:
    """Return what kind of machine this is, as manifests name it."""
    return f"{sys.platform}-{platform.machine().lower()}"


def _opened(url: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - urllib's answers have no one type
    return urllib.request.urlopen(url, timeout=PATIENCE)  # noqa: S310 - https, or of this machine
