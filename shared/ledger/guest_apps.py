"""The booking apps that open guests' links in place of a browser: those of the cell, whoever's hotel it is.

Both systems ask the links' host which apps may do so. One scheme and one host lead to all tenants' keys
(A §10.1), so the apps are kept in the name of the cell.
"""

import re
from dataclasses import dataclass
from typing import ClassVar, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ledger.admission import NOBODY
from shared.ledger.reading import read_record
from shared.ports.documents import DocumentStore, Ref
from shared.streams.record import Record

APPS: Final = Ref("guest_apps", "booking")
MOST: Final = 20
_APPLE: Final = re.compile(r"[A-Z0-9]{10}\.[A-Za-z0-9][A-Za-z0-9.-]{0,154}")
_PACKAGE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*){1,15}")
_PRINT: Final = re.compile(r"([0-9A-F]{2}:){31}[0-9A-F]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class AndroidApp:
    """An app by its package, and the digests of the certificates that sign it."""

    package: str
    prints: tuple[str, ...]

    def __post_init__(self) -> None:
        if not _PACKAGE.fullmatch(self.package):
            raise InvalidInput(
                "android", "no package", "Give PACKAGE=FINGERPRINT, as org.example.app=14:6D:…"
            )
        if not self.prints or not all(map(_PRINT.fullmatch, self.prints)):
            raise InvalidInput(
                "android", "no SHA-256 fingerprint", "Give 32 bytes in hex, with colons between"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestApps(Record):
    """Every app that may open guests' links."""

    schema_version: ClassVar[int] = 1

    apple: tuple[str, ...] = ()
    android: tuple[AndroidApp, ...] = ()

    def __post_init__(self) -> None:
        if not all(map(_APPLE.fullmatch, self.apple)):
            raise InvalidInput("apple", "no app", "Give TEAM.bundle, such as A1B2C3D4E5.org.example.app")
        if len(self.apple) + len(self.android) > MOST:
            raise InvalidInput("android", "too many apps", f"Name {MOST} at most")

    @property
    def ref(self) -> Ref:
        """Where they are kept."""
        return APPS


async def guest_apps(documents: DocumentStore) -> GuestApps:
    """Return the apps of the cell; none until somebody names one."""
    found = await documents.tenant(TenantId(NOBODY)).get(APPS)
    return GuestApps() if found is None else read_record(GuestApps, found)
