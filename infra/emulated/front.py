"""What stands before the functions on Google Cloud: an operator's commands are let in by impersonation.

The commands sign with the home's own key. What they signed is exchanged for a token that Google signed, as
`gcloud auth print-identity-token --impersonate-service-account` gets one; nothing else is touched.
"""

from typing import Any, Final

from starlette.types import ASGIApp, Receive, Scope, Send

from infra.local.wire import Tokens
from shared.kernel.identity import TokenChecker, Unauthenticated

AUTHORIZATION: Final = b"authorization"


class Front:
    """The host of the functions, behind what Google puts before it."""

    def __init__(self, host: ASGIApp, base_url: str, home: TokenChecker, google: Tokens) -> None:
        self._host, self._base_url, self._home, self._google = host, base_url, home, google

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._host(await self._impersonated(scope), receive, send)

    async def _impersonated(self, scope: Scope) -> Scope:
        headers: list[tuple[bytes, bytes]] = list(scope.get("headers", ()))
        for place, (name, value) in enumerate(headers):
            if name == AUTHORIZATION and (exchanged := await self._exchanged(value, scope)):
                return {**scope, "headers": [*headers[:place], (name, exchanged), *headers[place + 1 :]]}
        return scope

    async def _exchanged(self, value: bytes, scope: Any) -> bytes:
        audience = f"{self._base_url}/{scope['path'][1:].partition('/')[0]}"
        try:
            caller = await self._home.caller(value.decode("latin-1").removeprefix("Bearer "), audience)
        except Unauthenticated:
            return b""
        return f"Bearer {self._google.token(caller.name, audience)}".encode()
