"""Assa Abloy as one of the simulated vendors."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.assa_abloy import visionline
from infra.simulators.assa_abloy.cloud import Cloud, build_cloud
from infra.simulators.assa_abloy.door import Door
from infra.simulators.assa_abloy.hotel import (
    CLIENT_SECRET,
    PASSWORD,
    PHONE,
    ClientPlan,
    HotelPlan,
    MaintenancePlan,
    account_at,
    operator_at,
)
from infra.simulators.assa_abloy.platform import PLATFORM
from infra.simulators.assa_abloy.routes import ADDING, DELETING
from infra.simulators.kit.control.surface import Steered, shown
from infra.simulators.kit.plan import Plan
from infra.simulators.kit.vendor import Dialect, SimulatedVendor, Try
from infra.simulators.kit.windows import Reason


class Published(Plan):
    """The maintenance windows that are published from now on."""

    windows: tuple[MaintenancePlan, ...]


def maintenance(simulator: Steered) -> Iterator[Route]:
    """Return the route by which maintenance is published."""

    async def publish(request: Request) -> Response:
        cloud: Cloud = simulator.cloud
        cloud.maintenance = Published.model_validate_json(await request.body()).windows
        return shown({"windows": len(cloud.maintenance), "down": cloud.down()})

    yield Route("/maintenance", publish, methods=["PUT"])


class GoodSecrets(Plan):
    """The client's secret, and perhaps the next one beside it."""

    secret: str = Field(repr=False)
    next_secret: str | None = Field(default=None, repr=False)


def client_secrets(simulator: Steered) -> Iterator[Route]:
    """Return the route of the client's secrets, as the vendor's console issues and ends them."""

    async def change(request: Request) -> Response:
        good = GoodSecrets.model_validate_json(await request.body())
        plan = simulator.cloud.plan
        client = plan.client.model_copy(
            update={"client_secret": good.secret, "next_secret": good.next_secret}
        )
        simulator.cloud.plan = plan.model_copy(update={"client": client})
        return shown({"good": 1 + (good.next_secret is not None)})

    yield Route("/client-secrets", change, methods=["PUT"])


def try_door(cloud: Cloud, door: Door, tried: Try) -> Reason:
    """Hold a phone or a card to a door; there are no keypads."""
    credential: Any = tried.card or tried.ekey or ""
    by_phone = tried.ekey is not None
    told = door.tried(str(credential), cloud.now_ms(), by_phone=by_phone)
    return visionline.tried(cloud, door, str(credential)) if by_phone and told is Reason.UNKNOWN else told


def _unmetered(locks: Sequence[int]) -> HotelPlan:
    return HotelPlan.of(locks).model_copy(update={"client": ClientPlan(calls_per_second=None)})


ASKED: Mapping[str, Any] = {
    "hotel": _unmetered,
    "kind": "mobile_app",
    "artifact": lambda _: PHONE,
    "budget_ms": 1500,
}
VENDOR = SimulatedVendor(
    name="Assa Abloy",
    plan=HotelPlan,
    sample=HotelPlan.sample,
    hotel_of=HotelPlan.of,
    account=account_at,
    secrets=(CLIENT_SECRET, PASSWORD),
    build=build_cloud,
    platform=PLATFORM,
    adding=ADDING,
    deleting=DELETING,
    offline="errcode:door_offline",
    try_door=try_door,
    controls=(maintenance, client_secrets),
    dialects=(
        Dialect(name="vostio", address="https://bench.vostio.assaabloy.com", account=account_at, **ASKED),
        Dialect(name="visionline", address="https://visionline.example", account=operator_at, **ASKED),
    ),
)
