"""What came in and what went out: requests with secrets masked, their counts, and callbacks."""

from collections.abc import Iterator, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.kit.control.surface import Steered, shown
from infra.simulators.kit.errors import NotThere
from infra.simulators.kit.journal import Journal
from infra.simulators.kit.plan import Plan


class CallbackChange(Plan):
    """Where a client wants its callbacks; nowhere, if the URL is null."""

    client_id: str
    url: str | None


def routes(simulator: Steered) -> Sequence[Route]:
    """Return the routes of these resources."""
    return [*_incoming(simulator), *_outgoing(simulator)]


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
        return _callbacks(simulator)

    async def redirect(request: Request) -> Response:
        change = CallbackChange.model_validate_json(await request.body())
        if change.client_id not in simulator.cloud.hooks:
            raise NotThere("no such application")
        simulator.cloud.hooks[change.client_id] = change.url
        return _callbacks(simulator)

    async def deliver(_request: Request) -> Response:
        await simulator.deliver_due()
        return _callbacks(simulator)

    yield Route("/callbacks", show)
    yield Route("/callbacks", redirect, methods=["PUT"])
    yield Route("/callbacks/deliver", deliver, methods=["POST"])


def _callbacks(simulator: Steered) -> Response:
    """Return the callbacks that wait and those that were sent."""
    notices = simulator.cloud.notices
    return shown({"waiting": notices.waiting, "sent": list(notices.sent)})
