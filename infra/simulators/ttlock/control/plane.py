"""Puts the control plane together, behind its bearer token."""

from collections.abc import Callable, Sequence
from hmac import compare_digest

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.simulators.ttlock.control import callbacks, clock, doors, estate, faults, hotel, limits, requests
from infra.simulators.ttlock.control.surface import NotThere, Steered, invalid, not_there, problem

RESOURCES: Sequence[Callable[[Steered], Sequence[Route]]] = (
    hotel.routes,
    estate.routes,
    doors.routes,
    clock.routes,
    faults.routes,
    limits.routes,
    requests.routes,
    callbacks.routes,
)


def control_plane(simulator: Steered, token: str | None) -> ASGIApp:
    """Return the application under /_sim/; without a token, anybody who reaches it may use it."""
    app = Starlette(
        routes=[route for resource in RESOURCES for route in resource(simulator)],
        exception_handlers={ValidationError: invalid, NotThere: not_there},
    )
    return _Authorised(app, f"Bearer {token}".encode()) if token else app


class _Authorised:
    """Lets only the bearer of the control token pass."""

    def __init__(self, app: ASGIApp, expected: bytes) -> None:
        self._app, self._expected = app, expected

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = dict(scope["headers"]).get(b"authorization", b"")
        if compare_digest(given, self._expected):
            await self._app(scope, receive, send)
        else:
            await problem(401, "send the control token as a bearer token")(scope, receive, send)
