"""Who of a hotel's people calls: OpenID tokens (JWT), checked apart from those of services.

A token is believed in this order; the first *no* ends it, and every *no* is `Unauthenticated`:

1. It names a tenant, and the tenant's own record names its issuer, letter for letter. No other address is
   asked for keys, and no service's issuer is anybody's.
2. Its algorithm is one that the record allows, and its signature is made with a key the issuer publishes.
3. It is for us alone, for an application that the record names, now, and for an hour at most.
4. It names a person: issuer and subject together are the user. What is not claimed is not granted.
"""

import base64
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from shared.domain.errors import InvalidInput
from shared.domain.ids import IntegratorId, PropertyId, TenantId, UserId
from shared.domain.permissions import Principal, Role, held_by_roles
from shared.domain.sign_in import NO_ACCESS, SigningAlgorithm, StaffIssuer, TenantAccess
from shared.kernel.identity import Unauthenticated
from shared.kernel.jwt import LEEWAY_SECONDS, NoToken, Token, number, read_token
from shared.kernel.signing_keys import PublicKey

LONGEST_LIFE: Final = 3600
REMEMBERED_SECONDS: Final = 300
REMEMBERED: Final = 1024
EVERY_PROPERTY: Final = "*"
OUTSIDE: Final = "usr_ext_"
"""Begins the ids of people whose issuer does not name our users; no issuer may name one so."""
PROGRAMS: Final = f"{UserId.prefix}{IntegratorId.prefix}"
"""Begins the names by which programs' doings are noted; no issuer may name a person so either."""
MOST_PROPERTIES: Final = 1000
_LONGEST_SUBJECT: Final = 255
_NOT_ITS_TENANTS: Final = "the token's issuer is not one of its tenant's"
"""Said of tenants that are not there, too."""


class KeyFinder(Protocol):
    """Finds the keys of a registered issuer."""

    async def find(self, issuer: StaffIssuer, key_id: str) -> PublicKey | None:
        """Return the issuer's key of this name, or None; raise IssuerOutOfReach if nobody can say."""


@dataclass(frozen=True, slots=True)
class HomeIssuer:
    """The platform's own issuer, which counts at every tenant: the embedded cloud has one."""

    issuer: str
    key: PublicKey = field(repr=False)


@dataclass(frozen=True, slots=True)
class SignIn:
    """How people sign in at this fleet; without an audience, nobody does."""

    audience: str = ""
    home: HomeIssuer | None = None
    services: frozenset[str] = frozenset()
    """The issuers of services' tokens, which are never people's."""


@dataclass(frozen=True, slots=True)
class _Trusted:
    """What a token's issuer may do, and where its keys are."""

    algorithms: frozenset[SigningAlgorithm]
    clients: tuple[str, ...]
    names_users: bool
    registered: StaffIssuer | None


AccessOf = Callable[[TenantId], Awaitable[TenantAccess | None]]
"""Who may sign in at a tenant; None where there is no such tenant in this cell."""


@dataclass(frozen=True, slots=True)
class _Proven:
    """A token that was proven, until when that is believed, and whom it names while `access` is as it was."""

    token: Token
    access: TenantAccess | None
    until: float
    person: Principal

    def counts(self, access: TenantAccess | None, now: float) -> bool:
        return now < self.until and access == self.access


class PeopleChecker:
    """Checks people's tokens; a proof is remembered for minutes, while nobody changes who may sign in."""

    def __init__(self, sign_in: SignIn, keys: KeyFinder, now: Callable[[], datetime]) -> None:
        self._sign_in, self._keys, self._now = sign_in, keys, now
        self._proven: OrderedDict[str, _Proven] = OrderedDict()

    async def person(self, text: str, access_of: AccessOf) -> Principal:
        """Return who calls, or raise Unauthenticated (or IssuerOutOfReach where nobody can say)."""
        known = self._proven.get(text)
        token = _read(text) if known is None else known.token
        tenant = _tenant(token.claims)
        access = await access_of(tenant)
        now = self._now().timestamp()
        if known is not None and known.counts(access, now):
            _check_times(token.claims, now)
            return known.person
        trusted = self._trusted(str(token.claims.get("iss", "")), access)
        await self._prove(token, trusted)
        _check_times(token.claims, now)
        self._check_audience(token.claims, trusted)
        person = _person(tenant, token.claims, trusted, access or NO_ACCESS)
        self._remember(text, _Proven(token, access, now + REMEMBERED_SECONDS, person))
        return person

    def _remember(self, text: str, proven: _Proven) -> None:
        self._proven[text] = proven
        self._proven.move_to_end(text)
        if len(self._proven) > REMEMBERED:
            self._proven.popitem(last=False)

    def _trusted(self, issuer: str, access: TenantAccess | None) -> _Trusted:
        if access is None:
            raise Unauthenticated(_NOT_ITS_TENANTS)
        home = self._sign_in.home
        if home is not None and issuer == home.issuer:
            return _Trusted(frozenset({home.key.algorithm}), (), names_users=True, registered=None)
        found = access.by_name().get(issuer)
        if found is None or issuer in self._sign_in.services:
            raise Unauthenticated(_NOT_ITS_TENANTS)
        return _Trusted(frozenset(found.algorithms), found.clients, found.names_users, found)

    async def _prove(self, token: Token, trusted: _Trusted) -> None:
        if token.algorithm not in trusted.algorithms:
            raise Unauthenticated("the token is signed in a way that its tenant does not allow")
        key = await self._key(trusted, token)
        if key is None or not key.verifies(token.algorithm, token.signed, token.signature):
            raise Unauthenticated("the token's signature is not its issuer's")

    async def _key(self, trusted: _Trusted, token: Token) -> PublicKey | None:
        if trusted.registered is None:
            return self._sign_in.home.key if self._sign_in.home else None
        return await self._keys.find(trusted.registered, token.key_id)

    def _check_audience(self, claims: Mapping[str, Any], trusted: _Trusted) -> None:
        said = claims.get("aud")
        if not self._sign_in.audience or said not in (self._sign_in.audience, [self._sign_in.audience]):
            raise Unauthenticated("the token is for another audience")
        if trusted.clients and claims.get("azp") not in trusted.clients:
            raise Unauthenticated("the token was given to an application that its tenant does not name")


def _read(text: str) -> Token:
    try:
        return read_token(text)
    except NoToken as refusal:
        raise Unauthenticated(str(refusal)) from None


def _tenant(claims: Mapping[str, Any]) -> TenantId:
    try:
        return TenantId(claims.get("tenantId"))
    except InvalidInput:
        raise Unauthenticated("the token names no tenant") from None


def _check_times(claims: Mapping[str, Any], now: float) -> None:
    issued, expires = number(claims, "iat"), number(claims, "exp")
    if issued is None or expires is None:
        raise Unauthenticated("the token says no time of issue or expiry")
    if expires - issued > LONGEST_LIFE:
        raise Unauthenticated("the token is good for more than an hour")
    begins = max(issued, number(claims, "nbf") or 0, number(claims, "auth_time") or 0)
    if not begins - LEEWAY_SECONDS <= now < expires + LEEWAY_SECONDS:
        raise Unauthenticated("the token is expired or not yet valid: check the clocks")


def _person(
    tenant: TenantId, claims: Mapping[str, Any], trusted: _Trusted, access: TenantAccess
) -> Principal:
    roles = frozenset(Role(each) for each in _texts(claims.get("roles")) if each in set(Role))
    signed_in = number(claims, "auth_time")
    return Principal(
        id=_user(str(claims.get("iss")), claims.get("sub"), trusted),
        tenant=tenant,
        permissions=held_by_roles(roles, access.attributes()),
        properties=_properties(claims.get("propertyScope")),
        roles=roles,
        signed_in_at=None if signed_in is None else datetime.fromtimestamp(signed_in, UTC),
        second_factor="mfa" in _texts(claims.get("amr")),
    )


def _user(issuer: str, subject: Any, trusted: _Trusted) -> UserId:
    if not isinstance(subject, str) or not 1 <= len(subject) <= _LONGEST_SUBJECT:
        raise Unauthenticated("the token names nobody")
    if not trusted.names_users:
        digest = hashlib.sha256(f"{len(issuer)}:{issuer}{subject}".encode()).digest()
        return UserId(OUTSIDE + base64.b32encode(digest[:20]).decode())
    try:
        user = UserId(subject)
    except InvalidInput:
        user = None
    if user is None or user.startswith((OUTSIDE, PROGRAMS)):
        raise Unauthenticated("the token's subject is no user of ours")
    return user


def _properties(claimed: Any) -> frozenset[PropertyId] | None:
    named = _texts(claimed)[:MOST_PROPERTIES]
    if EVERY_PROPERTY in named:
        return None
    return frozenset(found for each in named if (found := _property(each)) is not None)


def _property(named: str) -> PropertyId | None:
    try:
        return PropertyId(named)
    except InvalidInput:
        return None


def _texts(claimed: Any) -> list[str]:
    return [each for each in claimed if isinstance(each, str)] if isinstance(claimed, list) else []
