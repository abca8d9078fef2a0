"""Time: how far the simulated clock is ahead of the world's, and how long things take."""

from datetime import timedelta
from typing import Any, Self

from pydantic import model_validator
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.kit.cloud import SimulatedCloud
from infra.simulators.kit.control.surface import Steered, shown
from infra.simulators.kit.latency import LatencyProfile, Span
from infra.simulators.kit.plan import Plan


class ClockChange(Plan):
    """Either a step, or a distance from the world's clock."""

    advance_seconds: float | None = None
    ahead_seconds: float | None = None


class LatencyChange(Plan):
    """Shortest and longest time in milliseconds."""

    cloud_ms: Span = (0, 0)
    gateway_ms: Span = (0, 0)

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        self.profile()
        return self

    def profile(self) -> LatencyProfile:
        """Return the profile that is meant."""
        return LatencyProfile(self.cloud_ms, self.gateway_ms)


def routes(simulator: Steered) -> list[Route]:
    """Return the routes of this resource."""

    async def show(_request: Request) -> Response:
        return shown(_time(simulator.cloud))

    async def move(request: Request) -> Response:
        change, cloud = ClockChange.model_validate_json(await request.body()), simulator.cloud
        if change.ahead_seconds is not None:
            cloud.ahead = timedelta(seconds=change.ahead_seconds)
        cloud.ahead += timedelta(seconds=change.advance_seconds or 0)
        await simulator.deliver_due()
        return shown(_time(cloud))

    async def slow_down(request: Request) -> Response:
        simulator.cloud.latency.profile = LatencyChange.model_validate_json(await request.body()).profile()
        return shown(simulator.cloud.latency.profile)

    return [
        Route("/clock", show),
        Route("/clock", move, methods=["POST"]),
        Route("/latency", slow_down, methods=["PUT"]),
    ]


def _time(cloud: SimulatedCloud) -> dict[str, Any]:
    return {"now": cloud.now(), "aheadSeconds": cloud.ahead.total_seconds()}
