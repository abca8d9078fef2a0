"""Signed tokens (RFC 7519) taken apart: bounded, in one spelling only, and believed by nobody yet."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

LONGEST: Final = 8 * 1024
LEEWAY_SECONDS: Final = 30
KEYS_ELSEWHERE: Final = frozenset({"crit", "jku", "jwk", "x5c", "x5u"})
"""Headers that would have us trust what the token itself brings, or demand what we do not know."""
_NO_CLOCK: Final = 10**11
_TYPES: Final = frozenset({"", "jwt", "at+jwt", "application/at+jwt"})


class NoToken(ValueError):
    """What is no token, or one that would have us trust what it brings. It is never quoted."""


@dataclass(frozen=True, slots=True)
class Token:
    """The parts of a token. None of it is ever printed."""

    header: Mapping[str, Any] = field(repr=False)
    claims: Mapping[str, Any] = field(repr=False)
    signed: bytes = field(repr=False)
    signature: bytes = field(repr=False)

    @property
    def algorithm(self) -> str:
        """How it says that it is signed."""
        return str(self.header.get("alg", ""))

    @property
    def key_id(self) -> str:
        """Which key it says that it is signed with."""
        said = self.header.get("kid", "")
        return said if isinstance(said, str) else ""


def read_token(text: str) -> Token:
    """Take a token apart, or raise NoToken; what it claims is still to be proven."""
    parts = text.split(".") if len(text) <= LONGEST else []
    if len(parts) != 3:
        raise NoToken("the token is not a signed JWT")
    try:
        raw = [_decoded(part) for part in parts]
        header, claims = json.loads(raw[0]), json.loads(raw[1])
    except (ValueError, binascii.Error, RecursionError):
        raise NoToken("the token is not a signed JWT") from None
    if not isinstance(header, dict) or not isinstance(claims, dict):
        raise NoToken("the token is not a signed JWT")
    _check_header(header)
    return Token(header, claims, f"{parts[0]}.{parts[1]}".encode(), raw[2])


def number(claims: Mapping[str, Any], name: str) -> float | None:
    """Return a claim that is an instant, or None: true is no number, and neither is what no clock shows."""
    said = claims.get(name)
    if not isinstance(said, int | float) or isinstance(said, bool):
        return None
    return said if 0 <= said < _NO_CLOCK else None


def _check_header(header: Mapping[str, Any]) -> None:
    if not KEYS_ELSEWHERE.isdisjoint(header):
        raise NoToken("the token brings a key of its own, or demands what is not known here")
    if str(header.get("typ", "")).lower() not in _TYPES:
        raise NoToken("the token is of another type")


def _decoded(part: str) -> bytes:
    raw = base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    # The last letter may hold bits that mean nothing: one token, one text.
    if base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != part:
        raise ValueError("not in its one spelling")
    return raw
