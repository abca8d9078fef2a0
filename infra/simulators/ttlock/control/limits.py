"""What an application may still do: its quota, and whether its tokens are good."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.control.surface import NotThere, Steered, shown
from infra.simulators.ttlock.hotel import Plan
from infra.simulators.ttlock.quota import beijing_month

Limit = Annotated[int | None, Field(ge=0)]


class QuotaChange(Plan):
    """Limits, none meaning unlimited, and what of the month counts as used; what is not said stays."""

    client_id: str
    calls_per_minute: Limit = None
    calls_per_month: Limit = None
    used_this_month: Limit = None


class TokenLoss(Plan):
    """Which tokens to forget (10003) or to revoke (10004, 10011)."""

    loss: Literal["forgotten", "revoked"] = "revoked"
    kind: Literal["access", "refresh", "both"] = "access"


def routes(simulator: Steered) -> list[Route]:
    """Return the routes of this resource."""

    async def show(_request: Request) -> Response:
        cloud = simulator.cloud
        return shown({client_id: _meter(cloud, client_id) for client_id in cloud.meters})

    async def change(request: Request) -> Response:
        wanted = QuotaChange.model_validate_json(await request.body())
        _change(simulator.cloud, wanted)
        return shown(_meter(simulator.cloud, wanted.client_id))

    async def lose_tokens(request: Request) -> Response:
        _lose(simulator.cloud, TokenLoss.model_validate_json(await request.body()))
        return Response(status_code=204)

    return [
        Route("/quota", show),
        Route("/quota", change, methods=["PATCH"]),
        Route("/tokens/lose", lose_tokens, methods=["POST"]),
    ]


def _meter(cloud: Cloud, client_id: str) -> dict[str, Any]:
    meter = cloud.meters[client_id]
    return {
        "callsPerMinute": meter.per_minute,
        "callsPerMonth": meter.per_month,
        "months": dict(meter.months),
    }


def _change(cloud: Cloud, wanted: QuotaChange) -> None:
    meter = cloud.meters.get(wanted.client_id)
    if meter is None:
        raise NotThere("no such application")
    said = wanted.model_fields_set
    if "calls_per_minute" in said:
        meter.per_minute = wanted.calls_per_minute
    if "calls_per_month" in said:
        meter.per_month = wanted.calls_per_month
    if wanted.used_this_month is not None:
        meter.months[beijing_month(cloud.now())] = wanted.used_this_month


def _lose(cloud: Cloud, loss: TokenLoss) -> None:
    tables = {"access": [cloud.access_tokens], "refresh": [cloud.refresh_tokens]}
    for table in tables.get(loss.kind, [cloud.access_tokens, cloud.refresh_tokens]):
        kept = {} if loss.loss == "forgotten" else {key: replace(t, revoked=True) for key, t in table.items()}
        table.clear()
        table.update(kept)
