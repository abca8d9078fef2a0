"""Who we are to Google: an access token for the few addresses that its clients do not call for us."""

import asyncio
from typing import Any, Final, Protocol

SCOPES: Final = ("https://www.googleapis.com/auth/cloud-platform",)


class AccessTokens(Protocol):
    """Says who we are to Google."""

    async def token(self) -> str:
        """Return an access token that is good for some minutes at least."""


class OwnIdentity:
    """The function's own service account, as the machine it runs on knows it."""

    def __init__(self) -> None:
        self._credentials: Any = None

    async def token(self) -> str:
        """Return an access token; a fresh one is fetched by Google's library, in a thread."""
        if self._credentials is None:
            self._credentials = await asyncio.to_thread(_own_credentials)
        if not self._credentials.valid:
            await asyncio.to_thread(_refresh, self._credentials)
        return str(self._credentials.token)


def _own_credentials() -> Any:
    import google.auth

    credentials, _ = google.auth.default(scopes=SCOPES)
    return credentials


def _refresh(credentials: Any) -> None:
    from google.auth.transport.requests import Request

    credentials.refresh(Request())


async def identity_token(audience: str) -> str:
    """Return a token that shows an audience outside Google which service account this function runs as."""
    return await asyncio.to_thread(_identity_token, audience)


def _identity_token(audience: str) -> str:
    from google.auth.transport.requests import Request
    from google.oauth2.id_token import fetch_id_token

    return str(fetch_id_token(Request(), audience))
