"""Doors: try one, and hear whether it opens and why."""

from typing import Literal, Self

from pydantic import model_validator
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.ttlock.attempts import Attempt, try_card, try_ekey, try_pin, try_qr
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.control.surface import NotThere, Steered, shown
from infra.simulators.ttlock.hotel import Plan


class Try(Plan):
    """Exactly one thing to try; a cached phone asserts its key without asking the cloud."""

    pin: str | None = None
    card: str | None = None
    ekey: int | None = None
    qr: str | None = None
    phone: Literal["honest", "cached"] = "honest"

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if sum(thing is not None for thing in (self.pin, self.card, self.ekey, self.qr)) != 1:
            raise ValueError("give exactly one of pin, card, ekey, qr")
        return self


def routes(simulator: Steered) -> list[Route]:
    """Return the routes of this resource."""

    async def try_door(request: Request) -> Response:
        cloud, lock_id = simulator.cloud, request.path_params["id"]
        if lock_id not in cloud.doors:
            raise NotThere("no such lock")
        attempt = _attempt(cloud, lock_id, Try.model_validate_json(await request.body()))
        await simulator.deliver_due()
        return shown({"opens": attempt.opens, "reason": attempt.reason})

    return [Route("/doors/{id:int}/try", try_door, methods=["POST"])]


def _attempt(cloud: Cloud, lock_id: int, wanted: Try) -> Attempt:
    if wanted.pin is not None:
        return try_pin(cloud, lock_id, wanted.pin)
    if wanted.card is not None:
        return try_card(cloud, lock_id, wanted.card)
    if wanted.ekey is not None:
        return try_ekey(cloud, lock_id, wanted.ekey, cached=wanted.phone == "cached")
    return try_qr(cloud, lock_id, wanted.qr or "")
