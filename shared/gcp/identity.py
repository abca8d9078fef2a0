"""Who calls on Google Cloud: identity tokens that Google signed for the service accounts of our project."""

import json
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from shared.kernel.identity import Issuer, KeySet
from shared.kernel.published import IssuerOutOfReach, Published, PublishedKeys, max_age
from shared.ports.ambient import Clock
from shared.vendor_kit.http import Answer, Call, CallFault, Http

CERTIFICATES: Final = "https://www.googleapis.com/oauth2/v1/certs"
ISSUERS: Final = frozenset({"https://accounts.google.com", "accounts.google.com"})
REMOVED: Final = urlsafe_b64decode("SIGNATURE_REMOVED_BY_GOOGLE=")
"""What stands where a signature was, once Cloud Run has checked it."""
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


@dataclass(frozen=True, slots=True)
class CheckedBefore:
    """Keys where Google checks each token before us: it puts a word in place of the signature it has checked.

    Only for functions that nobody else gets through to. Any other signature is checked as ever.
    """

    keys: KeySet

    async def verify(self, header: Mapping[str, Any], signed: bytes, signature: bytes) -> bool:
        """Return whether Google has taken the signature away, or it is its own."""
        return signature == REMOVED or await self.keys.verify(header, signed, signature)


def google_issuer(http: Http, clock: Clock, email_domain: str, *, checked_before: bool = False) -> Issuer:
    """Return whose identity tokens count on Google Cloud: Google's, for service accounts of our project."""
    keys = GoogleKeys(http, clock)
    return Issuer(ISSUERS, email_domain, CheckedBefore(keys) if checked_before else keys)


def _certificates(answer: Answer) -> Mapping[str, str]:
    if answer.status != 200 or len(answer.body) > LARGEST:
        raise ValueError("no certificates")
    found = json.loads(answer.body)
    if not isinstance(found, dict) or not 0 < len(found) <= MOST_KEYS:
        raise ValueError("no certificates")
    if not all(isinstance(certificate, str) for certificate in found.values()):
        raise ValueError("no certificates")
    return found
