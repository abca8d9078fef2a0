"""The certificate under which a desk makes keys without the network (A §9.3), and the list that revokes it.

It names whose it is (tenant, property, device, the device's own key), what it allows (kinds, the longest
window) and for how long (90 days, the next one 14 days before). Its authority's key signs certificates and
revocations only.
"""

import base64
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Self, TypeVar

from nacl.signing import SigningKey, VerifyKey

from shared.domain.core import PROVISIONAL_CAP
from shared.domain.errors import DomainError, InvalidInput
from shared.domain.ids import DesktopDeviceId, PropertyId, TenantId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.domain.kinds import KeyCredentialKind
from shared.offline.signing import SignedRefused, opened, signed, whole

_T = TypeVar("_T")
LIFETIME: Final = timedelta(days=90)
OVERLAP: Final = timedelta(days=14)
LEEWAY: Final = timedelta(minutes=5)
"""How far a desk's clock may run behind the authority's."""
CERTIFICATE, REVOCATIONS = "keyfleet offline certificate", "keyfleet offline revocations"
_SERIAL: Final = re.compile(r"lock-oic-\d{4}-\d{2}-\d{2}-[0-9A-HJKMNP-TV-Z]{26}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineCertificate:
    """What a desk may do by itself."""

    serial: str
    tenant: TenantId
    property_id: PropertyId
    device: DesktopDeviceId
    device_key: bytes
    kinds: tuple[KeyCredentialKind, ...]
    begins: datetime
    longest: timedelta = PROVISIONAL_CAP

    def __post_init__(self) -> None:
        if not _SERIAL.fullmatch(self.serial):
            raise InvalidInput("serial", "malformed", "Write lock-oic-, a date, and a ULID")
        if len(self.device_key) != 32 or not self.kinds:
            raise InvalidInput("certificate", "without a device key or kinds", "Give 32 bytes and a kind")
        if not timedelta(0) < self.longest <= PROVISIONAL_CAP:
            raise InvalidInput("longest", "no window up to 48 hours", "Give at most 48 hours")

    @property
    def ends(self) -> datetime:
        """When it is over."""
        return self.begins + LIFETIME

    @property
    def renew_from(self) -> datetime:
        """From when the next one is to be fetched."""
        return self.ends - OVERLAP

    def sign(self, authority: SigningKey) -> bytes:
        """Return it signed."""
        document = {
            "serial": self.serial,
            "tenantId": str(self.tenant),
            "propertyId": str(self.property_id),
            "desktopDeviceId": str(self.device),
            "deviceKey": base64.b64encode(self.device_key).decode(),
            "kinds": [kind.value for kind in self.kinds],
            "longestSeconds": int(self.longest.total_seconds()),
            "begins": instant_to_text(self.begins),
            "ends": instant_to_text(self.ends),
        }
        return signed(CERTIFICATE, document, authority)

    @classmethod
    def open(cls, data: bytes, authorities: Iterable[VerifyKey]) -> Self:
        """Read one, proved by an authority, whatever the time is; or raise SignedRefused."""
        return _read(cls._of, opened(CERTIFICATE, data, authorities))

    @classmethod
    def _of(cls, document: dict[str, Any]) -> Self:
        found = cls(
            serial=str(document["serial"]),
            tenant=TenantId(document["tenantId"]),
            property_id=PropertyId(document["propertyId"]),
            device=DesktopDeviceId(document["desktopDeviceId"]),
            device_key=base64.b64decode(document["deviceKey"], validate=True),
            kinds=tuple(KeyCredentialKind(kind) for kind in document["kinds"]),
            begins=instant_from_text(document["begins"], "begins"),
            longest=timedelta(seconds=whole(document["longestSeconds"])),
        )
        if instant_from_text(document["ends"], "ends") != found.ends:
            raise SignedRefused("lifetime")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RevocationList:
    """Serials that count no more; a later list has a higher number, and a desk keeps the highest it saw."""

    number: int
    issued: datetime
    serials: frozenset[str]

    def sign(self, authority: SigningKey) -> bytes:
        """Return it signed."""
        told = {
            "number": self.number,
            "issued": instant_to_text(self.issued),
            "serials": sorted(self.serials),
        }
        return signed(REVOCATIONS, told, authority)

    @classmethod
    def open(cls, data: bytes, authorities: Iterable[VerifyKey]) -> Self:
        """Read one, proved by an authority, or raise SignedRefused."""
        return _read(cls._of, opened(REVOCATIONS, data, authorities))

    def newer(self, other: "RevocationList | None") -> bool:
        """Say whether it replaces another; an older one is never taken back."""
        return other is None or self.number > other.number

    @classmethod
    def _of(cls, document: dict[str, Any]) -> Self:
        return cls(
            number=whole(document["number"]),
            issued=instant_from_text(document["issued"], "issued"),
            serials=frozenset(str(serial) for serial in document["serials"]),
        )


def why_not(
    certificate: OfflineCertificate, revoked: RevocationList | None, device_key: bytes, now: datetime
) -> str | None:
    """Return why a desk may not work under a certificate now, in a word; None says that it may."""
    checks = (
        ("another_device", certificate.device_key == device_key),
        ("not_yet_valid", now >= certificate.begins - LEEWAY),
        ("expired", now < certificate.ends),
        ("revoked", revoked is None or certificate.serial not in revoked.serials),
    )
    return next((reason for reason, holds in checks if not holds), None)


def _read(reader: Callable[[dict[str, Any]], _T], document: dict[str, Any]) -> _T:
    try:
        return reader(document)
    except (KeyError, TypeError, ValueError, OverflowError, DomainError):
        # A good signature over what we cannot read: a later release's, and not ours to guess.
        raise SignedRefused("content") from None
