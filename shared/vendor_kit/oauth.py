"""Tokens by OAuth 2: an old one is refreshed if the vendor lets us, else we log in anew."""

from collections.abc import Callable, Container, Mapping
from datetime import timedelta

from shared.domain.secret import Secret
from shared.ports.ambient import Clock
from shared.vendor_kit.api_client import ApiClient
from shared.vendor_kit.asks import Ask, Json
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import VendorRefused
from shared.vendor_kit.tokens import VendorToken, read_text

Proof = Mapping[str, str]
TokenReader = Callable[[Json], VendorToken]


class TokenGrants:
    """Gets tokens: `login` is what proves who we are, such as a password or `client_credentials`.

    `asking` puts a proof into a request; `refused` are the codes after which a refresh gives way to a login.
    """

    def __init__(
        self,
        client: ApiClient,
        clock: Clock,
        login: Callable[[], Proof],
        asking: Callable[[Proof, TokenReader], Ask[VendorToken]],
        refused: Container[str],
    ) -> None:
        self._client, self._clock, self._login = client, clock, login
        self._asking, self._refused = asking, refused

    async def __call__(self, old: VendorToken | None) -> VendorToken:
        """Return a new token."""
        if old is not None and old.refresh is not None:
            try:
                proof = {"refresh_token": old.refresh.reveal(), "grant_type": "refresh_token"}
                return await self._ask(proof, old.refresh)
            except VendorRefused as refused:
                if refused.code not in self._refused:
                    raise
        return await self._ask(self._login())

    async def _ask(self, proof: Proof, kept: Secret[str] | None = None) -> VendorToken:
        """Ask for a token; an answer without a refresh token lets us keep the one we have."""

        def read(answer: Json) -> VendorToken:
            expires_at = self._clock.now() + timedelta(seconds=int(answer["expires_in"]))
            refresh = read_text(answer["refresh_token"]) if "refresh_token" in answer else kept
            return VendorToken(read_text(answer["access_token"]), refresh, expires_at)

        return await self._client.send(self._asking(proof, read), Urgency.REVOKE)
