"""How often a client may still call, at vendors that count calls."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.kit.cloud import SimulatedCloud
from infra.simulators.kit.control.surface import Steered, shown
from infra.simulators.kit.errors import NotThere
from infra.simulators.kit.plan import Plan

Limit = Annotated[int | None, Field(ge=0)]


class QuotaChange(Plan):
    """Limits, none meaning unlimited, and what of the month counts as used; what is not said stays."""

    client_id: str
    calls_per_minute: Limit = None
    calls_per_month: Limit = None
    used_this_month: Limit = None


def routes(simulator: Steered) -> Iterator[Route]:
    """Return the routes of this resource."""

    async def show(_request: Request) -> Response:
        cloud: SimulatedCloud = simulator.cloud
        return shown({client_id: _meter(cloud, client_id) for client_id in cloud.meters})

    async def change(request: Request) -> Response:
        wanted = QuotaChange.model_validate_json(await request.body())
        _limit(simulator.cloud, wanted)
        return shown(_meter(simulator.cloud, wanted.client_id))

    yield Route("/quota", show)
    yield Route("/quota", change, methods=["PATCH"])


def _meter(cloud: SimulatedCloud, client_id: str) -> dict[str, Any]:
    meter = cloud.meters[client_id]
    return {
        "callsPerMinute": meter.per_minute,
        "callsPerMonth": meter.per_month,
        "months": dict(meter.months),
    }


def _limit(cloud: SimulatedCloud, wanted: QuotaChange) -> None:
    meter = cloud.meters.get(wanted.client_id)
    if meter is None:
        raise NotThere("no such application")
    said = wanted.model_fields_set
    if "calls_per_minute" in said:
        meter.per_minute = wanted.calls_per_minute
    if "calls_per_month" in said:
        meter.per_month = wanted.calls_per_month
    if wanted.used_this_month is not None:
        meter.months[meter.rules.month(cloud.now())] = wanted.used_this_month
