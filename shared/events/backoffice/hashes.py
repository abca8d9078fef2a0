"""Hashes of what must not be told: keyed by a pepper, apart for each kind and tenant (C §2, §4)."""

import hashlib
import hmac
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from shared.domain.ids import TenantId
from shared.domain.secret import Secret

ROTATED_EVERY: Final = timedelta(days=90)
READABLE_AFTER: Final = timedelta(days=14)
"""How long the pepper before is kept, for lookups; then its hashes are of nobody."""
_IPV6_NETWORK: Final = 64


class Hashed(StrEnum):
    """What is hashed."""

    ADDRESS = "ip"
    FINGERPRINT = "fingerprint"


@dataclass(frozen=True, slots=True)
class Pepper:
    """A key of the hashes, by its number."""

    id: str
    key: Secret[bytes]


def peppered(kind: Hashed, tenant: TenantId, value: str, pepper: Pepper) -> str:
    """The hash of a value: the same for two spellings of it, another for each kind and tenant."""
    said = _NORMAL[kind](value)
    message = b"\0".join((kind.encode(), tenant.encode(), said.encode()))
    return f"sha256:{hmac.new(pepper.key.reveal(), message, hashlib.sha256).hexdigest()}"


def _address(value: str) -> str:
    """An address as a household: an IPv6 address by its /64, for its lower half is drawn anew each day."""
    try:
        found = ip_address(value.strip().partition("%")[0])
    except ValueError:
        return _folded(value)
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    if isinstance(found, IPv4Address):
        return str(found)
    return str(IPv6Address(int(found) >> _IPV6_NETWORK << _IPV6_NETWORK))


def _folded(value: str) -> str:
    return unicodedata.normalize("NFC", value.strip()).casefold()


_NORMAL: Final[Mapping[Hashed, Callable[[str], str]]] = {
    Hashed.ADDRESS: _address,
    Hashed.FINGERPRINT: _folded,
}
