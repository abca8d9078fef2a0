"""Whom a tenant lets sign in: its issuers, what it says of its roles, and its service accounts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from ipaddress import ip_address
from typing import ClassVar, Final
from urllib.parse import SplitResult, urlsplit

from shared.domain.errors import InvalidInput
from shared.domain.ids import IntegratorId, PropertyId
from shared.domain.permissions import Permission, Role, RoleAttributes, held_by_key, role_attributes

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost"})
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
MOST_ISSUERS: Final = 8
MOST_DIGESTS: Final = 2
"""A service account's secret is changed by keeping two for a while."""


class SigningAlgorithm(StrEnum):
    """How an issuer may sign; a token's own word for it only has to agree."""

    RS256 = "RS256"
    ES256 = "ES256"
    EDDSA = "EdDSA"


@dataclass(frozen=True, slots=True, kw_only=True)
class StaffIssuer:
    """An OpenID issuer, as its tenant registered it: its keys come from this address and no other."""

    issuer: str
    jwks_uri: str
    algorithms: tuple[SigningAlgorithm, ...]
    clients: tuple[str, ...] = ()
    """The applications (`azp`) whose tokens count; none named is any."""
    names_users: bool = False
    """Whether its subjects are our users' ids; else each is given one, by issuer and subject."""

    def __post_init__(self) -> None:
        _check_address("issuer", self.issuer)
        _check_address("jwks_uri", self.jwks_uri)
        if urlsplit(self.issuer).query:
            raise InvalidInput("issuer", "has a query", "Register it as its tokens say it, https://host/path")
        if not self.algorithms:
            raise InvalidInput("algorithms", "empty", f"Name one of: {', '.join(SigningAlgorithm)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleAttribute:
    """A configurable permission, and the roles that hold it at this tenant."""

    permission: Permission
    roles: tuple[Role, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantAccess:
    """Who may sign in at one tenant, and what its roles hold."""

    schema_version: ClassVar[int] = 1

    issuers: tuple[StaffIssuer, ...] = ()
    role_attributes: tuple[RoleAttribute, ...] = ()

    def __post_init__(self) -> None:
        names = [each.issuer for each in self.issuers]
        if len(set(names)) != len(names) or len(names) > MOST_ISSUERS:
            problem = f"more than {MOST_ISSUERS}, or one of them twice"
            raise InvalidInput("issuers", problem, "Register each issuer once")
        if sum(each.names_users for each in self.issuers) > 1:
            remedy = "Let the platform's own issuer name users, and no other"
            raise InvalidInput("issuers", "two name our users, who could be mixed up", remedy)
        self.attributes()

    def attributes(self) -> RoleAttributes:
        """Return which roles hold the configurable permissions here."""
        return role_attributes({each.permission: each.roles for each in self.role_attributes})

    def by_name(self) -> Mapping[str, StaffIssuer]:
        """Return the issuers by what their tokens call them."""
        return {each.issuer: each for each in self.issuers}


NO_ACCESS: Final = TenantAccess()


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrator:
    """A service account of a tenant: its key is kept as a digest only."""

    schema_version: ClassVar[int] = 1

    id: IntegratorId
    name: str
    digests: tuple[str, ...]
    permissions: tuple[Permission, ...]
    properties: tuple[PropertyId, ...]
    expires_at: datetime
    everywhere: bool = False
    """Whether it works at every property, whatever is named."""
    stopped_at: datetime | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.digests) <= MOST_DIGESTS or not all(map(_DIGEST.fullmatch, self.digests)):
            remedy = "Give one SHA-256 in lower-case hex, or two while the key is changed"
            raise InvalidInput("digests", "not one or two digests", remedy)
        if held_by_key(self.permissions) != frozenset(self.permissions):
            raise InvalidInput(
                "permissions", "more than such a key may hold", "See infra/docs/permissions.md"
            )

    def is_live(self, now: datetime) -> bool:
        """Say whether its keys count."""
        return now < self.expires_at and (self.stopped_at is None or now < self.stopped_at)


def _check_address(field: str, address: str) -> None:
    try:
        parts = urlsplit(address)
        allowed = _is_named(parts) if parts.scheme == "https" else _is_here(parts)
    except ValueError:
        allowed = False
    # The parser passes over tabs and line ends, and a client might not.
    if not allowed or not address.isascii() or not address.isprintable() or " " in address:
        raise InvalidInput(field, "not an https address of a named host", "Give https://host/path")


def _is_named(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    return "." in host and not _is_literal(host) and not parts.username and not parts.fragment


def _is_here(parts: SplitResult) -> bool:
    return parts.scheme == "http" and parts.hostname in _LOOPBACK and not parts.username


def _is_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        # 127.1 and 0x7f000001 are addresses to a resolver, too: a name's last part begins with a letter.
        return not host.rpartition(".")[2][:1].isalpha()
    return True
