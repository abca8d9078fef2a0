"""What a release says of itself, signed by whoever makes releases (Ed25519).

    {"document": {"number": 12, "version": "1.4.0", "issued": …, "until": …,
                  "archives": {"linux-x86_64": {"path": …, "sha256": …, "size": …}}},
     "key": …, "signature": …}

Numbers only grow. A desk that has proved number 12 takes nothing lower any more, whoever offers it, and a
manifest that is past its `until` is no news: somebody may be keeping the newer one from us.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Self

from nacl.signing import SigningKey, VerifyKey

from shared.domain.errors import DomainError
from shared.domain.instants import instant_from_text, instant_to_text
from shared.offline.signing import SignedRefused, opened, signed, whole

PURPOSE: Final = "keyfleet desk release"
LARGEST_ARCHIVE: Final = 512 * 1024 * 1024
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_PATH: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}")
_VERSION: Final = re.compile(r"[0-9A-Za-z.+-]{1,40}")


class ReleaseRefused(Exception):
    """A release that is not put in place; the message says why."""


@dataclass(frozen=True, slots=True)
class Archive:
    """One archive of a release: where it is beside the manifest, and what it must be."""

    path: str
    sha256: str
    size: int

    def __post_init__(self) -> None:
        if not _PATH.fullmatch(self.path) or not _SHA256.fullmatch(self.sha256):
            raise SignedRefused("content")
        if not 0 < self.size <= LARGEST_ARCHIVE:
            raise SignedRefused("content")


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A release, for each kind of machine."""

    number: int
    version: str
    issued: datetime
    until: datetime
    archives: dict[str, Archive]

    def sign(self, maker: SigningKey) -> bytes:
        """Return its manifest, signed."""
        archives = {
            machine: {"path": one.path, "sha256": one.sha256, "size": one.size}
            for machine, one in self.archives.items()
        }
        document = {
            "number": self.number,
            "version": self.version,
            "issued": instant_to_text(self.issued),
            "until": instant_to_text(self.until),
            "archives": archives,
        }
        return signed(PURPOSE, document, maker)

    @classmethod
    def open(cls, data: bytes, makers: Iterable[VerifyKey]) -> Self:
        """Read a manifest, proved by one of the makers' keys, or raise SignedRefused."""
        document = opened(PURPOSE, data, makers)
        try:
            return cls._of(document)
        except (KeyError, TypeError, ValueError, AttributeError, DomainError):
            raise SignedRefused("content") from None

    def archive_for(self, machine: str) -> Archive:
        """Return the archive for a kind of machine, or raise ReleaseRefused."""
        if machine not in self.archives:
            raise ReleaseRefused(f"release {self.version} is not made for {machine}")
        return self.archives[machine]

    @classmethod
    def _of(cls, document: dict[str, Any]) -> Self:
        version = str(document["version"])
        if not _VERSION.fullmatch(version) or whole(document["number"]) < 1:
            raise SignedRefused("content")
        return cls(
            number=document["number"],
            version=version,
            issued=instant_from_text(document["issued"], "issued"),
            until=instant_from_text(document["until"], "until"),
            archives={
                str(machine): Archive(str(one["path"]), str(one["sha256"]), whole(one["size"]))
                for machine, one in document["archives"].items()
            },
        )


def why_not(release: Release, highest: int, bad: Iterable[int], now: datetime) -> str | None:
    """Return why a proved release is not taken, in words; None says that it may be."""
    checks = (
        (f"release {release.number} is older than {highest}, which was seen", release.number >= highest),
        (f"release {release.number} was taken back on this machine", release.number not in bad),
        ("the manifest is too old to be news: is the clock right?", now < release.until),
    )
    return next((words for words, holds in checks if not holds), None)
