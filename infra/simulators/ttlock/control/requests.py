"""What came in: the requests, their secrets masked, and the counts per operation."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.ttlock.control.surface import Steered, shown
from infra.simulators.ttlock.journal import Journal


def routes(simulator: Steered) -> list[Route]:
    """Return the routes of this resource."""

    async def list_requests(request: Request) -> Response:
        wanted = request.query_params.get("operation")
        return shown(
            [entry for entry in simulator.cloud.journal.entries if wanted in {None, entry.operation}]
        )

    async def forget(_request: Request) -> Response:
        simulator.cloud.journal = Journal()
        return Response(status_code=204)

    async def count(_request: Request) -> Response:
        return shown(simulator.cloud.journal.counts())

    return [
        Route("/requests", list_requests),
        Route("/requests", forget, methods=["DELETE"]),
        Route("/counters", count),
    ]
