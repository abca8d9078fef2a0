"""The embedded cloud's issuer of people's tokens: a hotel's staff sign in without an identity provider."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from nacl.signing import SigningKey

from infra.local.identity import ISSUER, signed_token
from infra.local.keyfile import KeyFileRefused, read_or_create
from shared.domain.ids import PropertyId, TenantId, UserId
from shared.domain.permissions import Role
from shared.kernel.people import EVERY_PROPERTY, HomeIssuer, SignIn
from shared.kernel.signing_keys import ed25519_key

PEOPLE_ISSUER: Final = "https://people.keyfleet.local"
PEOPLE_KEY: Final = "people.key"
LIFETIME_SECONDS: Final = 3600


@dataclass(frozen=True, slots=True)
class Badge:
    """Who signs in, as what, and where; no property named is every one."""

    tenant: TenantId
    user: UserId
    roles: frozenset[Role]
    properties: frozenset[PropertyId] | None

    @property
    def where(self) -> Iterable[str]:
        """The properties as a token claims them."""
        return [EVERY_PROPERTY] if self.properties is None else sorted(self.properties)


class LocalPeople:
    """Mints tokens for people; whoever can read its key file can be anybody."""

    def __init__(self, seed: bytes, now: Callable[[], datetime]) -> None:
        self._key, self._now = SigningKey(seed), now

    @classmethod
    def at(cls, path: Path, now: Callable[[], datetime], random: Callable[[int], bytes]) -> "LocalPeople":
        """Open the issuer whose key is kept in a file, making it the first time."""
        seed = read_or_create(path, lambda: random(32))
        if len(seed) != 32:
            raise KeyFileRefused(f"{path.name} is damaged: delete it, and the next start makes a new one")
        return cls(seed, now)

    @property
    def issuer(self) -> HomeIssuer:
        """Return what a checker needs to know."""
        return HomeIssuer(PEOPLE_ISSUER, ed25519_key(bytes(self._key.verify_key)))

    def sign_in(self, audience: str) -> SignIn:
        """Return how people sign in at a fleet: here, or as their tenant says; never as a service."""
        return SignIn(audience, self.issuer, frozenset({ISSUER}))

    def token(self, badge: Badge, audience: str) -> str:
        """Return a token for an hour; it tells of a sign-in just now."""
        now = int(self._now().timestamp())
        claims = {
            "iss": PEOPLE_ISSUER,
            "aud": audience,
            "sub": badge.user,
            "tenantId": badge.tenant,
            "propertyScope": badge.where,
            "roles": sorted(badge.roles),
            "auth_time": now,
            "iat": now,
            "exp": now + LIFETIME_SECONDS,
        }
        return signed_token(self._key, claims)
