"""What the control plane needs of a simulator, and how it answers."""

from typing import Any, Protocol

import orjson
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from infra.simulators.kit.errors import NotThere
from infra.simulators.kit.plan import Plan
from infra.simulators.kit.vendor import SimulatedVendor


class Steered(Protocol):
    """A simulator, as far as the control plane steers it; its cloud is the vendor's own."""

    cloud: Any
    vendor: SimulatedVendor[Any]

    def reset(self, plan: Plan | None = None) -> None:
        """Begin anew."""

    async def deliver_due(self) -> None:
        """Send the callbacks whose time has come."""


def door_of(simulator: Steered, request: Request) -> Any:
    """Return the door that a path names."""
    door = simulator.cloud.door(request.path_params["id"])
    if door is None:
        raise NotThere("no such lock")
    return door


def shown(content: Any, status: int = 200) -> Response:
    """Return content as JSON."""
    return Response(orjson.dumps(content), status, media_type="application/json")


def problem(status: int, detail: str, fields: list[dict[str, str]] | None = None) -> Response:
    """Return an error that says what to mend."""
    return shown({"error": {"detail": detail, "fields": fields or []}}, status)


def invalid(_request: Request, error: Exception) -> Response:
    """Return which fields of a body were wrong; their values stay unsaid."""
    found = error.errors(include_input=False, include_url=False) if isinstance(error, ValidationError) else []
    fields = [{"field": ".".join(map(str, one["loc"])), "problem": one["msg"]} for one in found]
    return problem(422, "the body is not what is expected here", fields)


def not_there(_request: Request, error: Exception) -> Response:
    """Return that there is no such thing."""
    return problem(404, str(error))
