"""What came in and what went out: requests with secrets masked, their counts, and callbacks."""

from collections.abc import Iterator, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.kit.control.surface import Steered, shown
from infra.simulators.kit.journal import Journal


def routes(simulator: Steered) -> Sequence[Route]:
    """Return the routes of these resources."""
    return [*_incoming(simulator), *_outgoing(simulator)]


def callbacks_shown(simulator: Steered) -> Response:
    """Return the callbacks that wait and those that were sent."""
    notices = simulator.cloud.notices
    return shown({"waiting": notices.waiting, "sent": list(notices.sent)})


def _incoming(simulator: Steered) -> Iterator[Route]:
    async def list_requests(request: Request) -> Response:
        wanted = request.query_params.get("operation")
        entries: Sequence[Any] = simulator.cloud.journal.entries
        return shown([entry for entry in entries if wanted in {None, entry.operation}])

    async def forget(_request: Request) -> Response:
        simulator.cloud.journal = Journal()
        return Response(status_code=204)

    async def count(_request: Request) -> Response:
        return shown(simulator.cloud.journal.counts())

    yield Route("/requests", list_requests)
    yield Route("/requests", forget, methods=["DELETE"])
    yield Route("/counters", count)


def _outgoing(simulator: Steered) -> Iterator[Route]:
    async def show(_request: Request) -> Response:
        return callbacks_shown(simulator)

    async def deliver(_request: Request) -> Response:
        await simulator.deliver_due()
        return callbacks_shown(simulator)

    yield Route("/callbacks", show)
    yield Route("/callbacks/deliver", deliver, methods=["POST"])
