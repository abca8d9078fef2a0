"""Who calls on Google Cloud: identity tokens that Google signed for the service accounts of our project."""

import asyncio
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from shared.kernel.identity import Issuer
from shared.ports.ambient import Clock
from shared.ports.trouble import ServiceTrouble
from shared.vendor_kit.http import Answer, Call, CallFault, Http

CERTIFICATES: Final = "https://www.googleapis.com/oauth2/v1/certs"
ISSUERS: Final = frozenset({"https://accounts.google.com", "accounts.google.com"})
ASK_AGAIN_AFTER: Final = timedelta(minutes=1)
TRY_AGAIN_AFTER: Final = timedelta(seconds=5)
GRACE: Final = timedelta(days=1)
"""Google keeps a key in use for days; one that was withdrawn in haste is believed for so long."""
LARGEST: Final = 64 * 1024
MOST_KEYS: Final = 32
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
_MAX_AGE: Final = re.compile(r"\bmax-age=(\d{1,7})\b")


class GoogleKeys:
    """The certificates that Google signs identity tokens with, fetched as often as Google says.

    | when | what |
    |---|---|
    | many ask at once | one fetch, whose end all wait for |
    | a key is not among those known | a fetch, one a minute at most: anybody may invent a key's name |
    | a fetch fails | those known are good for a day beyond their time; the next fetch some seconds later |
    | nothing is known and none can be had | ServiceTrouble: nobody is refused for it |
    """

    def __init__(self, http: Http, clock: Clock) -> None:
        self._http, self._clock = http, clock
        self._certificates: Mapping[str, str] = {}
        self._good_until = self._ask_from = _LONG_AGO
        self._fetching: asyncio.Future[None] | None = None

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
        if (now >= self._good_until or key not in self._certificates) and now >= self._ask_from:
            await self._fetched()
        elif self._fetching is not None and key not in self._certificates:
            await asyncio.shield(self._fetching)
        if self._clock.now() >= self._good_until + GRACE:
            raise ServiceTrouble("Google's certificates could not be had: nobody's token can be checked now")
        return self._certificates.get(key)

    async def _fetched(self) -> None:
        if self._fetching is None:
            self._fetching = asyncio.ensure_future(self._fetch())
        # Whoever stops waiting does not stop the others.
        await asyncio.shield(self._fetching)

    async def _fetch(self) -> None:
        now = self._clock.now()
        self._ask_from = now + ASK_AGAIN_AFTER
        try:
            answer = await self._http.send(Call("GET", CERTIFICATES))
            self._certificates, self._good_until = _certificates(answer), now + _max_age(answer)
        except (CallFault, ValueError):
            self._ask_from = now + TRY_AGAIN_AFTER
        finally:
            self._fetching = None


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


def _max_age(answer: Answer) -> timedelta:
    found = _MAX_AGE.search(answer.headers.get("cache-control", ""))
    return timedelta(seconds=int(found[1])) if found else ASK_AGAIN_AFTER
