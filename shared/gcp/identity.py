"""Who calls on Google Cloud: identity tokens that Google signed for the service accounts of our project."""

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from shared.kernel.identity import Issuer
from shared.ports.ambient import Clock
from shared.vendor_kit.http import Answer, Call, ConnectionBroken, Http

CERTIFICATES: Final = "https://www.googleapis.com/oauth2/v1/certs"
ISSUERS: Final = frozenset({"https://accounts.google.com", "accounts.google.com"})
ASK_AGAIN_AFTER: Final = timedelta(minutes=1)
_MAX_AGE: Final = re.compile(r"\bmax-age=(\d{1,7})\b")


class GoogleKeys:
    """The certificates that Google signs identity tokens with, fetched as often as Google says."""

    def __init__(self, http: Http, clock: Clock) -> None:
        self._http, self._clock = http, clock
        self._certificates: Mapping[str, str] = {}
        self._asked: datetime | None = None
        self._good_until: datetime | None = None

    async def verify(self, header: Mapping[str, Any], signed: bytes, signature: bytes) -> bool:
        """Return whether Google signed this."""
        key = header.get("kid")
        if header.get("alg") != "RS256" or not isinstance(key, str):
            return False
        certificate = await self._certificate(key)
        if certificate is None:
            return False
        from google.auth.crypt import RSAVerifier

        return bool(RSAVerifier.from_string(certificate).verify(signed, signature))

    async def _certificate(self, key: str) -> str | None:
        now = self._clock.now()
        if self._good_until is None or now >= self._good_until or self._is_new(key, now):
            await self._fetch(now)
        return self._certificates.get(key)

    def _is_new(self, key: str, now: datetime) -> bool:
        # Google announces keys before it uses them; whoever invents one makes us ask once a minute at most.
        asked_of_late = self._asked is not None and now < self._asked + ASK_AGAIN_AFTER
        return key not in self._certificates and not asked_of_late

    async def _fetch(self, now: datetime) -> None:
        answer = await self._http.send(Call("GET", CERTIFICATES))
        if answer.status != 200:
            raise ConnectionBroken(f"Google's certificates: answered {answer.status}")
        self._certificates = json.loads(answer.body)
        self._asked, self._good_until = now, now + _max_age(answer)


def google_issuer(http: Http, clock: Clock, email_domain: str) -> Issuer:
    """Return whose identity tokens count on Google Cloud: Google's, for service accounts of our project."""
    return Issuer(ISSUERS, email_domain, GoogleKeys(http, clock))


def _max_age(answer: Answer) -> timedelta:
    found = _MAX_AGE.search(answer.headers.get("cache-control", ""))
    return timedelta(seconds=int(found[1])) if found else ASK_AGAIN_AFTER
