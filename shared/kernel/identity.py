"""Who is calling: identity tokens are checked the same way on every platform; only the keys differ."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from shared.kernel.jwt import LEEWAY_SECONDS, NoToken, Token, number, read_token

REMEMBERED = 1024


class Unauthenticated(Exception):
    """No token, or one that proves nothing. The message never quotes the token."""


class Forbidden(Exception):
    """A proven caller that the descriptor does not name."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A service identity that was proven."""

    name: str
    email: str


class KeySet(Protocol):
    """The public keys an issuer signs with."""

    async def verify(self, header: Mapping[str, Any], signed: bytes, signature: bytes) -> bool:
        """Return whether the signature is the issuer's."""


@dataclass(frozen=True, slots=True)
class Issuer:
    """Whose tokens count, and the domain of the service accounts they name."""

    names: frozenset[str]
    email_domain: str
    keys: KeySet


class TokenChecker:
    """Checks bearer tokens; a token that proved itself is remembered until it expires."""

    def __init__(self, issuer: Issuer, now: Callable[[], datetime]) -> None:
        self._issuer, self._now = issuer, now
        self._proven: OrderedDict[tuple[str, str], tuple[float, Caller]] = OrderedDict()

    async def caller(self, token: str, audience: str) -> Caller:
        """Return who calls, or raise Unauthenticated."""
        now = self._now().timestamp()
        known = self._proven.get((token, audience))
        if known is not None and now < known[0]:
            return known[1]
        expires, caller = await self._prove(token, audience, now)
        self._remember(token, audience, expires, caller)
        return caller

    async def _prove(self, token: str, audience: str, now: float) -> tuple[float, Caller]:
        parts = _read(token)
        if not await self._issuer.keys.verify(parts.header, parts.signed, parts.signature):
            raise Unauthenticated("the token's signature is not the issuer's")
        _check_claims(parts.claims, audience, self._issuer.names, now)
        name, _, domain = str(parts.claims.get("email", "")).partition("@")
        if not name or domain != self._issuer.email_domain:
            raise Unauthenticated("the token names no service account of this project")
        return float(parts.claims["exp"]), Caller(name, f"{name}@{domain}")

    def _remember(self, token: str, audience: str, expires: float, caller: Caller) -> None:
        self._proven[token, audience] = (expires, caller)
        if len(self._proven) > REMEMBERED:
            self._proven.popitem(last=False)


def bearer(authorization: str | None) -> str:
    """Return the token of an Authorization header."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Unauthenticated("send Authorization: Bearer with an identity token")
    return token


def _read(token: str) -> Token:
    try:
        return read_token(token)
    except NoToken as refusal:
        raise Unauthenticated(str(refusal)) from None


def _check_claims(claims: Mapping[str, Any], audience: str, issuers: frozenset[str], now: float) -> None:
    if claims.get("iss") not in issuers:
        raise Unauthenticated("the token is of another issuer")
    if claims.get("aud") != audience:
        raise Unauthenticated("the token is for another audience")
    issued, expires = number(claims, "iat"), number(claims, "exp")
    if issued is None or expires is None:
        raise Unauthenticated("the token says no time of issue or expiry")
    if not issued - LEEWAY_SECONDS <= now < expires + LEEWAY_SECONDS:
        raise Unauthenticated("the token is expired or not yet valid: check the clocks")
