"""The control plane: every operation demands its caller's identity; nothing here decides anything."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.local.control import (
    door_routes,
    hotel_routes,
    ledger_routes,
    message_routes,
    saga_routes,
    tenant_routes,
)
from infra.local.control.asked import parsed
from infra.local.control.bodies import raw_body
from infra.local.control.operations import Operation, Operations
from infra.local.control.saga_routes import AlreadyEnded
from infra.local.sagas.service import CallbackRefused
from infra.local.schedules import UnknownSchedule
from infra.local.workflows.errors import WorkflowsError
from infra.manifest.model import OPERATOR
from shared.events.errors import EventError, InvalidEvent
from shared.kernel.identity import Caller, Forbidden, bearer
from shared.ports.bus import BusError
from shared.ports.sagas import SagaError, UnknownExecution, UnknownWorkflow
from shared.queries.hotels import Unknown
from shared.runtime.responses import STATUS, error_response, json_response

REFUSED: Mapping[type[Exception], int] = {
    UnknownExecution: 404,
    Unknown: 404,
    AlreadyEnded: 409,
    WorkflowsError: 409,
    UnknownWorkflow: 404,
    UnknownSchedule: 404,
    SagaError: 400,
    BusError: 400,
    EventError: 400,
}


def control_app(on: Operations) -> Starlette:
    """Return the application that serves the control plane."""
    routes = [
        Route(path, _guarded(on, operation, frozenset({OPERATOR})), methods=[method])
        for method, path, operation in ROUTES
    ]
    callbacks = _guarded(on, _call_back, on.callback_callers)
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    return Starlette(routes=[*routes, Route("/callbacks/{execution}/{callback}", callbacks, methods=methods)])


def _guarded(
    on: Operations, operation: Operation, callers: frozenset[str]
) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            await _admit(on, request, callers)
            return json_response(await operation(on, request))
        except CallbackRefused as refusal:
            return _refused(refusal, refusal.status)
        except tuple(REFUSED) as refusal:
            return _refused(refusal, next(REFUSED[kind] for kind in REFUSED if isinstance(refusal, kind)))
        except tuple(STATUS) as error:
            return error_response(error)
        except Exception as error:  # noqa: BLE001 - told by place and type, never in its own words
            on.platform.log.failure("the control plane crashed", error)
            return error_response(error)

    return endpoint


async def _admit(on: Operations, request: Request, callers: frozenset[str]) -> Caller:
    caller = await on.platform.tokens.caller(bearer(request.headers.get("authorization")), on.audience)
    if caller.name not in callers:
        raise Forbidden(f"{caller.name} may not do this")
    return caller


def _refused(refusal: Exception, status: int) -> Response:
    error: dict[str, Any] = {"kind": type(refusal).__name__, "detail": str(refusal)}
    if isinstance(refusal, InvalidEvent):
        error["problems"] = [problem.described() for problem in refusal.problems]
    return json_response({"error": error}, status)


async def _call_back(on: Operations, request: Request) -> Mapping[str, Any]:
    raw = await raw_body(request)
    received = {
        "http_request": {
            "body": parsed(raw, request.headers.get("content-type", "")),
            "headers": {k: v for k, v in request.headers.items() if k != "authorization"},
            "method": request.method,
            "query": dict(request.query_params),
            "url": request.url.path,
        },
        "received_time": on.platform.clock.now().isoformat(),
        "type": "HTTP",
    }
    await on.sagas.receive(request.path_params["execution"], request.path_params["callback"], received)
    return {}


ROUTES = (
    *hotel_routes.ROUTES,
    *tenant_routes.ROUTES,
    *ledger_routes.ROUTES,
    *door_routes.ROUTES,
    *message_routes.ROUTES,
    *saga_routes.ROUTES,
)
