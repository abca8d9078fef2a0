"""Who calls on Google Cloud: identity tokens that Google signed for the service accounts of our project."""

import json
from collections.abc import Mapping
from typing import Any, Final

from shared.kernel.identity import Issuer
from shared.kernel.published import IssuerOutOfReach, Published, PublishedKeys, max_age
from shared.ports.ambient import Clock
from shared.vendor_kit.http import Answer, Call, CallFault, Http

CERTIFICATES: Final = "https://www.googleapis.com/oauth2/v1/certs"
ISSUERS: Final = frozenset({"https://accounts.google.com", "accounts.google.com"})
LARGEST: Final = 64 * 1024
MOST_KEYS: Final = 32


class GoogleKeys:
    """The certificates that Google signs identity tokens with, fetched as often as Google says."""

    def __init__(self, http: Http, clock: Clock) -> None:
        self._http = http
        self._published = PublishedKeys(self._fetch, clock.now)

    async def verify(self, header: Mapping[str, Any], signed: bytes, signature: bytes) -> bool:
        """Return whether Google signed this; raise IssuerOutOfReach where nobody can say."""
        key = header.get("kid")
        if header.get("alg") != "RS256" or not isinstance(key, str):
            return False
        certificate = await self._published.find(key)
        if certificate is None:
            return False
        from google.auth.crypt import RSAVerifier

        return bool(RSAVerifier.from_string(certificate).verify(signed, signature))

    async def _fetch(self) -> Published[str]:
        try:
            answer = await self._http.send(Call("GET", CERTIFICATES))
            return Published(_certificates(answer), max_age(answer.headers))
        except (CallFault, ValueError):
            raise IssuerOutOfReach("Google's certificates cannot be had now") from None


def google_issuer(http: Http, clock: Clock, email_domain: str) -> Issuer:
    """Return whose identity tokens count on Google Cloud: Google's, for service accounts of our project."""
    return Issuer(ISSUERS, email_domain, GoogleKeys(http, clock))


def _certificates(answer: Answer) -> Mapping[str, str]:
    if answer.status != 200 or len(answer.body) > LARGEST:
        raise ValueError("no certificates")
    found = json.loads(answer.body)
    if not isinstance(found, dict) or not 0 < len(found) <= MOST_KEYS:
        raise ValueError("no certificates")
    if not all(isinstance(certificate, str) for certificate in found.values()):
        raise ValueError("no certificates")
    return found
