"""Salto as one of the simulated vendors: phones at doors, an updater, a connector that may fail."""

from collections.abc import Iterator

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.kit.control.surface import Steered, shown
from infra.simulators.kit.plan import Plan
from infra.simulators.kit.vendor import Dialect, SimulatedVendor, Try
from infra.simulators.kit.windows import Reason
from infra.simulators.salto.cloud import Cloud, Door, build_cloud
from infra.simulators.salto.hotel import API_KEY, ApiKeyPlan, HotelPlan, account_at
from infra.simulators.salto.platform import PLATFORM
from infra.simulators.salto.routes import ADDING, DELETING


class ConnectorChange(Plan):
    """Whether the connector in the hotel runs."""

    up: bool


class Visit(Plan):
    """Whose phone is held to an updater."""

    phone: str


class GoodKeys(Plan):
    """Every API key that is good from now on."""

    keys: tuple[str, ...] = Field(repr=False)


def connector(simulator: Steered) -> Iterator[Route]:
    """Return the routes of what stands in the hotel beside doors."""

    async def change(request: Request) -> Response:
        simulator.cloud.connector_up = ConnectorChange.model_validate_json(await request.body()).up
        return shown({"up": simulator.cloud.connector_up})

    async def update(request: Request) -> Response:
        cloud: Cloud = simulator.cloud
        phone = Visit.model_validate_json(await request.body()).phone
        own = [key for key in cloud.keys.values() if key.phone == phone]
        for key in own:
            key.updated_ms, key.dead = cloud.now_ms(), key.dead or key.cancelled
        return shown({"updated": len(own)})

    yield Route("/connector", change, methods=["PATCH"])
    yield Route("/updater", update, methods=["POST"])


def api_keys(simulator: Steered) -> Iterator[Route]:
    """Return the route of the API keys that are good, as the vendor's console issues and ends them."""

    async def change(request: Request) -> Response:
        keys = GoodKeys.model_validate_json(await request.body()).keys
        plan = simulator.cloud.plan
        known = tuple(ApiKeyPlan(key=each, issued=simulator.cloud.now_ms() // 1000) for each in keys)
        simulator.cloud.plan = plan.model_copy(update={"api_keys": known})
        return shown({"good": len(known)})

    yield Route("/api-keys", change, methods=["PUT"])


def try_door(cloud: Cloud, door: Door, tried: Try) -> Reason:
    """Hold a phone to a door: one good key of many opens, and ends those of earlier guests."""
    keys = [key for key in cloud.keys.values() if key.phone == tried.ekey and door.lock_id in key.rooms]
    said = {key.key_id: door.said(key, cloud.now_ms()) for key in keys}
    opening = [key.guest for key in keys if said[key.key_id] is Reason.OPEN]
    if opening:
        door.last_guest = max(opening)
        return Reason.OPEN
    return [*said.values()][-1] if said else door.verdict(None, cloud.now_ms())


VENDOR = SimulatedVendor(
    name="Salto",
    plan=HotelPlan,
    sample=HotelPlan.sample,
    hotel_of=HotelPlan.of,
    account=account_at,
    secrets=(API_KEY,),
    build=build_cloud,
    platform=PLATFORM,
    adding=ADDING,
    deleting=DELETING,
    offline="errcode:connector_down",
    try_door=try_door,
    controls=(connector, api_keys),
    dialects=(
        Dialect(
            address="https://bench.saltosystems.com",
            account=account_at,
            hotel=HotelPlan.of,
            kind="mobile_app",
            artifact=lambda number: f"+93{700_000_000 + number}",
            budget_ms=2000,
        ),
    ),
)
