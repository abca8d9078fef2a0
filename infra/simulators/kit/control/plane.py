"""Puts the control plane together, behind its bearer token."""

from collections.abc import Callable, Iterable, Sequence
from hmac import compare_digest

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from infra.simulators.kit.control import clock, doors, faults, limits, traffic
from infra.simulators.kit.control.surface import Steered, invalid, not_there, problem
from infra.simulators.kit.errors import NotThere

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
