"""The hotel: load another one, or begin again with the same."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.ttlock.control.surface import Steered, shown
from infra.simulators.ttlock.hotel import HotelPlan


def routes(simulator: Steered) -> list[Route]:
    """Return the routes of this resource."""

    async def load(request: Request) -> Response:
        simulator.reset(HotelPlan.model_validate_json(await request.body()))
        return _summary(simulator)

    async def reset(_request: Request) -> Response:
        simulator.reset()
        return _summary(simulator)

    return [Route("/hotel", load, methods=["PUT"]), Route("/reset", reset, methods=["POST"])]


def _summary(simulator: Steered) -> Response:
    cloud = simulator.cloud
    return shown(
        {"locks": list(cloud.locks), "gateways": list(cloud.gateways), "accounts": len(cloud.accounts)}
    )
