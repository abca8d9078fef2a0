"""What a lock can do, and therefore which keys it can have."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import reduce
from operator import and_
from typing import Final, Self

from shared.domain.kinds import KeyCredentialKind
from shared.domain.replacing import born_open


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class LockCapabilities:
    """The abilities of an adapter, of a device, or of both together."""

    mobile_key: bool = False
    card_encoding: bool = False
    pin: bool = False
    qr: bool = False
    nfc: bool = False
    remote_revoke: bool = False
    remote_issue: bool = False
    offline_issuance: bool = False
    scope_floors: bool = False
    scope_areas: bool = False

    def __and__(self, other: "LockCapabilities") -> "LockCapabilities":
        """Return what both can do."""
        return LockCapabilities(**{name: getattr(self, name) and getattr(other, name) for name in ABILITIES})

    @classmethod
    def all(cls) -> Self:
        """Return every ability, the neutral element of `&`."""
        return cls(**dict.fromkeys(ABILITIES, True))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the abilities it has."""
        return tuple(name for name in ABILITIES if getattr(self, name))

    def supports(self, kind: KeyCredentialKind) -> bool:
        """Say whether a key of this kind is possible."""
        return bool(getattr(self, ABILITY_FOR_KIND[kind]))


ABILITIES: Final = tuple(field.name for field in fields(LockCapabilities))
ABILITY_FOR_KIND: Final = {
    KeyCredentialKind.MOBILE_APP: "mobile_key",
    KeyCredentialKind.PIN_CODE: "pin",
    KeyCredentialKind.RFID_CARD: "card_encoding",
    KeyCredentialKind.QR_CODE: "qr",
    KeyCredentialKind.NFC_TAG: "nfc",
}


def shared_by(capabilities: Iterable[LockCapabilities]) -> LockCapabilities:
    """Return what every one of a group can do; an empty group can do nothing."""
    group = tuple(capabilities)
    return reduce(and_, group) if group else LockCapabilities()


def supported_kinds(
    adapter: LockCapabilities, devices: Iterable[LockCapabilities], allowed: Iterable[KeyCredentialKind]
) -> tuple[KeyCredentialKind, ...]:
    """Return adapter ∩ devices ∩ policy, in the policy's order of preference."""
    able = adapter & shared_by(devices)
    return tuple(kind for kind in allowed if able.supports(kind))
