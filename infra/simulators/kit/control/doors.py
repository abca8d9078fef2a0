"""Doors: all that is at each lock, what changes there, an attempt at one, and another hotel of them."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.kit.control.surface import Steered, door_of, shown
from infra.simulators.kit.plan import Plan
from infra.simulators.kit.vendor import Try
from infra.simulators.kit.windows import Reason


class LockChange(Plan):
    """What may change at a lock; what is not said stays as it is."""

    skew_seconds: float | None = None
    battery: Annotated[int | None, Field(ge=0, le=100)] = None
    in_reach: bool | None = None
    frozen: bool | None = None


def routes(simulator: Steered) -> Sequence[Route]:
    """Return the routes of these resources."""
    return [*_locks(simulator), *_hotel(simulator)]


def lock_shown(simulator: Steered, lock_id: Any) -> Any:
    """Return one lock as the state shows it."""
    return next(lock for lock in simulator.cloud.state()["locks"] if lock["lockId"] == lock_id)


def _locks(simulator: Steered) -> Iterator[Route]:
    async def state(_request: Request) -> Response:
        return shown(simulator.cloud.state())

    async def change_lock(request: Request) -> Response:
        door = door_of(simulator, request)
        _change(door, LockChange.model_validate_json(await request.body()))
        simulator.vendor.changed(simulator.cloud, door)
        await simulator.deliver_due()
        return shown(lock_shown(simulator, door.lock_id))

    async def try_door(request: Request) -> Response:
        door = door_of(simulator, request)
        tried = Try.model_validate_json(await request.body())
        reason = simulator.vendor.try_door(simulator.cloud, door, tried)
        await simulator.deliver_due()
        return shown({"opens": reason is Reason.OPEN, "reason": reason})

    yield Route("/state", state)
    yield Route("/locks/{id}", change_lock, methods=["PATCH"])
    yield Route("/doors/{id}/try", try_door, methods=["POST"])


def _hotel(simulator: Steered) -> Iterator[Route]:
    async def load(request: Request) -> Response:
        simulator.reset(simulator.vendor.plan.model_validate_json(await request.body()))
        return shown(simulator.cloud.summary())

    async def reset(_request: Request) -> Response:
        simulator.reset()
        return shown(simulator.cloud.summary())

    yield Route("/hotel", load, methods=["PUT"])
    yield Route("/reset", reset, methods=["POST"])


def _change(door: Any, change: LockChange) -> None:
    if change.skew_seconds is not None:
        door.skew_ms = round(change.skew_seconds * 1000)
    for name in ("battery", "in_reach", "frozen"):
        if (value := getattr(change, name)) is not None:
            setattr(door, name, value)
