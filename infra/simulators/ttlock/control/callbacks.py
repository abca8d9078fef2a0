"""Callbacks: where they go, which wait, which were sent and accepted."""

from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.control.surface import NotThere, Steered, shown
from infra.simulators.ttlock.hotel import Plan


class CallbackChange(Plan):
    """Where an application wants its callbacks; nowhere, if the URL is null."""

    client_id: str
    url: str | None


def routes(simulator: Steered) -> list[Route]:
    """Return the routes of this resource."""

    async def show(_request: Request) -> Response:
        return _shown(simulator.cloud)

    async def redirect(request: Request) -> Response:
        change = CallbackChange.model_validate_json(await request.body())
        applications = simulator.cloud.applications
        if change.client_id not in applications:
            raise NotThere("no such application")
        applications[change.client_id] = replace(applications[change.client_id], callback_url=change.url)
        return _shown(simulator.cloud)

    async def deliver(_request: Request) -> Response:
        await simulator.deliver_due()
        return _shown(simulator.cloud)

    return [
        Route("/callbacks", show),
        Route("/callbacks", redirect, methods=["PUT"]),
        Route("/callbacks/deliver", deliver, methods=["POST"]),
    ]


def _shown(cloud: Cloud) -> Response:
    return shown({"waiting": cloud.notices.waiting, "sent": list(cloud.notices.sent)})
