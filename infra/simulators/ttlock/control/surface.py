"""What the control plane needs of a simulator, and how it answers."""

from typing import Any, Protocol

import orjson
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response

from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.errors import SimulatorError
from infra.simulators.ttlock.hotel import HotelPlan


class Steered(Protocol):
    """A simulator, as far as the control plane steers it."""

    cloud: Cloud

    def reset(self, plan: HotelPlan | None = None) -> None:
        """Begin anew."""

    async def deliver_due(self) -> None:
        """Send the callbacks whose time has come."""


class NotThere(SimulatorError):
    """What the control plane was asked about does not exist."""


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
