"""Puts the control plane together, behind its bearer token."""

from collections.abc import Callable, Iterable, Sequence
from hmac import compare_digest
from hmac import digest as hmac_digest

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.simulators.kit.control import clock, doors, faults, limits, traffic
from infra.simulators.kit.control.surface import Steered, invalid, not_there, problem
from infra.simulators.kit.errors import NotThere

PROOF, LONGEST_NONCE = "/proof", 128
RESOURCES: Sequence[Callable[[Steered], Iterable[Route]]] = (
    doors.routes,
    clock.routes,
    faults.routes,
    limits.routes,
    traffic.routes,
)


def control_plane(simulator: Steered, token: str | None) -> ASGIApp:
    """Return the application under /_sim/; without a token, anybody who reaches it may use it."""
    resources = (*RESOURCES, *simulator.vendor.controls)
    app = Starlette(
        routes=[route for resource in resources for route in resource(simulator)],
        exception_handlers={ValidationError: invalid, NotThere: not_there},
    )
    return _Authorised(app, token.encode()) if token else app


def proof_of(token: bytes, nonce: bytes) -> str:
    """Return what only a holder of the token can answer to a nonce; it tells nobody the token."""
    return hmac_digest(token, nonce, "sha256").hex()


class _Authorised:
    """Lets only the bearer of the control token pass; whoever asks for proof first gets it."""

    def __init__(self, app: ASGIApp, token: bytes) -> None:
        self._app, self._token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = dict(scope["headers"]).get(b"authorization", b"")
        if scope["path"] == PROOF:
            answer = JSONResponse({"proof": proof_of(self._token, scope["query_string"][:LONGEST_NONCE])})
            await answer(scope, receive, send)
        elif compare_digest(given, b"Bearer " + self._token):
            await self._app(scope, receive, send)
        else:
            await problem(401, "send the control token as a bearer token")(scope, receive, send)
