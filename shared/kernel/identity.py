"""Who is calling: identity tokens are checked the same way on every platform; only the keys differ."""

import base64
import binascii
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

LEEWAY_SECONDS = 30
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
        header, claims, signed, signature = _split(token)
        if not await self._issuer.keys.verify(header, signed, signature):
            raise Unauthenticated("the token's signature is not the issuer's")
        _check_claims(claims, audience, self._issuer.names, now)
        name, _, domain = str(claims.get("email", "")).partition("@")
        if not name or domain != self._issuer.email_domain:
            raise Unauthenticated("the token names no service account of this project")
        return float(claims["exp"]), Caller(name, f"{name}@{domain}")

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


def _check_claims(claims: Mapping[str, Any], audience: str, issuers: frozenset[str], now: float) -> None:
    if claims.get("iss") not in issuers:
        raise Unauthenticated("the token is of another issuer")
    if claims.get("aud") != audience:
        raise Unauthenticated("the token is for another audience")
    issued, expires = claims.get("iat"), claims.get("exp")
    if not isinstance(issued, int | float) or not isinstance(expires, int | float):
        raise Unauthenticated("the token says no time of issue or expiry")
    if not issued - LEEWAY_SECONDS <= now < expires + LEEWAY_SECONDS:
        raise Unauthenticated("the token is expired or not yet valid: check the clocks")


def _split(token: str) -> tuple[Mapping[str, Any], Mapping[str, Any], bytes, bytes]:
    parts = token.split(".")
    if len(parts) != 3:
        raise Unauthenticated("the token is not a signed JWT")
    try:
        header, claims = json.loads(_decoded(parts[0])), json.loads(_decoded(parts[1]))
        signature = _decoded(parts[2])
    except (ValueError, binascii.Error, RecursionError):
        raise Unauthenticated("the token is not a signed JWT") from None
    if not isinstance(header, dict) or not isinstance(claims, dict):
        raise Unauthenticated("the token is not a signed JWT")
    return header, claims, f"{parts[0]}.{parts[1]}".encode(), signature


def _decoded(part: str) -> bytes:
    return base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
