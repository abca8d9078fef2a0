"""The embedded cloud's token issuer: Ed25519 tokens, checked by the same code as Google's."""

import base64
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from infra.local.keyfile import KeyFileRefused, read_or_create
from shared.kernel.identity import REMEMBERED, Issuer

ISSUER = "https://keyfleet.local"
EMAIL_DOMAIN = "keyfleet.local"
LIFETIME_SECONDS = 3600
RENEW_BEFORE_SECONDS = 300


class LocalKeys:
    """The public half."""

    def __init__(self, key: VerifyKey) -> None:
        self._key = key

    async def verify(self, header: Mapping[str, Any], signed: bytes, signature: bytes) -> bool:
        """Return whether our own issuer signed this."""
        if header.get("alg") != "EdDSA":
            return False
        try:
            self._key.verify(signed, signature)
        except (BadSignatureError, ValueError):
            return False
        return True


class LocalIdentity:
    """Mints tokens for the fleet's service accounts; one per caller and audience, renewed in time."""

    def __init__(self, seed: bytes, now: Callable[[], datetime]) -> None:
        self._key, self._now = SigningKey(seed), now
        self._minted: OrderedDict[tuple[str, str], tuple[float, str]] = OrderedDict()

    @classmethod
    def at(cls, path: Path, now: Callable[[], datetime], random: Callable[[int], bytes]) -> "LocalIdentity":
        """Open the identity kept in a file, making it the first time."""
        seed = read_or_create(path, lambda: random(32))
        if len(seed) != 32:
            raise KeyFileRefused(f"{path.name} is damaged: delete it, and the next start makes a new one")
        return cls(seed, now)

    @property
    def issuer(self) -> Issuer:
        """Return what a checker needs to know."""
        return Issuer(frozenset({ISSUER}), EMAIL_DOMAIN, LocalKeys(self._key.verify_key))

    def token(self, caller: str, audience: str) -> str:
        """Return a token that is good for some minutes at least."""
        now = self._now().timestamp()
        known = self._minted.get((caller, audience))
        if known is None or known[0] - RENEW_BEFORE_SECONDS < now:
            known = (now + LIFETIME_SECONDS, self._mint(caller, audience, int(now)))
            self._minted[caller, audience] = known
            if len(self._minted) > REMEMBERED:
                self._minted.popitem(last=False)
        return known[1]

    def _mint(self, caller: str, audience: str, now: int) -> str:
        claims = {
            "iss": ISSUER,
            "aud": audience,
            "sub": caller,
            "email": f"{caller}@{EMAIL_DOMAIN}",
            "iat": now,
            "exp": now + LIFETIME_SECONDS,
        }
        return signed_token(self._key, claims)


def signed_token(key: SigningKey, claims: Mapping[str, Any]) -> str:
    """Return claims as a token that the key signed."""
    signed = f"{_encoded({'alg': 'EdDSA', 'typ': 'JWT'})}.{_encoded(claims)}"
    return f"{signed}.{_base64(key.sign(signed.encode()).signature)}"


def _encoded(part: Mapping[str, Any]) -> str:
    return _base64(orjson.dumps(part))


def _base64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
