"""What the control plane does at TTLock alone: gateways, and tokens that are lost."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.kit.control.surface import Steered, shown
from infra.simulators.kit.errors import NotThere
from infra.simulators.kit.plan import Plan
from infra.simulators.ttlock.callbacks import announce_gateway
from infra.simulators.ttlock.cloud import Cloud, Gateway
from infra.simulators.ttlock.gateway_link import upload


class GatewayChange(Plan):
    """What may change at a gateway; a busy one stays busy until it is said not to be."""

    online: bool | None = None
    busy: bool | None = None
    locks: tuple[int, ...] | None = None


class TokenLoss(Plan):
    """Which tokens to forget (10003) or to revoke (10004, 10011)."""

    loss: Literal["forgotten", "revoked"] = "revoked"
    kind: Literal["access", "refresh", "both"] = "access"


class NewSecret(Plan):
    """An application's next secret; the one before is good for nothing from then on."""

    secret: str = Field(repr=False, min_length=1)


def gateways(simulator: Steered) -> Iterator[Route]:
    """Return the route of gateways."""

    async def change_gateway(request: Request) -> Response:
        cloud: Cloud = simulator.cloud
        gateway = cloud.gateways.get(request.path_params["id"])
        if gateway is None:
            raise NotThere("no such gateway")
        _apply_change(cloud, gateway, GatewayChange.model_validate_json(await request.body()))
        await simulator.deliver_due()
        return shown(gateway.shown())

    yield Route("/gateways/{id:int}", change_gateway, methods=["PATCH"])


def tokens(simulator: Steered) -> Iterator[Route]:
    """Return the route of an application's tokens."""

    async def lose_tokens(request: Request) -> Response:
        _lose(simulator.cloud, TokenLoss.model_validate_json(await request.body()))
        return Response(status_code=204)

    yield Route("/tokens/lose", lose_tokens, methods=["POST"])


def applications(simulator: Steered) -> Iterator[Route]:
    """Return the route by which an application's secret is reset, as in the vendor's console."""

    async def reset(request: Request) -> Response:
        known, id_ = simulator.cloud.applications, request.path_params["id"]
        if id_ not in known:
            raise NotThere("no such application")
        secret = NewSecret.model_validate_json(await request.body()).secret
        known[id_] = replace(known[id_], client_secret=secret)
        return Response(status_code=204)

    yield Route("/applications/{id}", reset, methods=["PATCH"])


def _apply_change(cloud: Cloud, gateway: Gateway, change: GatewayChange) -> None:
    if change.locks is not None:
        gateway.locks = tuple(lock_id for lock_id in change.locks if lock_id in cloud.locks)
    if change.busy is not None:
        gateway.held_busy = change.busy
    if change.online is not None and change.online != gateway.online:
        gateway.online = change.online
        gateway.lost_ms = None if gateway.online else cloud.now_ms()
        announce_gateway(cloud, gateway)
        for lock_id in gateway.locks:
            upload(cloud, lock_id)


def _lose(cloud: Cloud, loss: TokenLoss) -> None:
    tables = {"access": [cloud.access_tokens], "refresh": [cloud.refresh_tokens]}
    for table in tables.get(loss.kind, [cloud.access_tokens, cloud.refresh_tokens]):
        kept = {} if loss.loss == "forgotten" else {key: replace(t, revoked=True) for key, t in table.items()}
        table.clear()
        table.update(kept)
