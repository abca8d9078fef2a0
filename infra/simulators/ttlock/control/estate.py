"""Locks and gateways: everything that is at each lock, and what befalls it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from infra.simulators.ttlock.callbacks import announce_gateway
from infra.simulators.ttlock.cloud import Cloud, Gateway
from infra.simulators.ttlock.control.surface import NotThere, Steered, shown
from infra.simulators.ttlock.door import Door
from infra.simulators.ttlock.hotel import Plan
from infra.simulators.ttlock.random_codes import RandomCode
from infra.simulators.ttlock.rows import Card, EKey, Passcode, QrCode
from infra.simulators.ttlock.upload import upload
from infra.simulators.ttlock.verdict import judge


class LockChange(Plan):
    """What may befall a lock; what is not said stays as it is."""

    skew_seconds: float | None = None
    battery: Annotated[int | None, Field(ge=0, le=100)] = None
    in_reach: bool | None = None
    frozen: bool | None = None


class GatewayChange(Plan):
    """What may befall a gateway; a busy one stays busy until it is said not to be."""

    online: bool | None = None
    busy: bool | None = None
    locks: tuple[int, ...] | None = None


def routes(simulator: Steered) -> list[Route]:
    """Return the routes of this resource."""

    async def state(_request: Request) -> Response:
        cloud = simulator.cloud
        locks = [_lock_state(cloud, door) for door in cloud.doors.values()]
        return shown({"locks": locks, "gateways": [_gateway_state(g) for g in cloud.gateways.values()]})

    async def change_lock(request: Request) -> Response:
        door = _door(simulator.cloud, request)
        _befall_lock(door, LockChange.model_validate_json(await request.body()))
        upload(simulator.cloud, door.lock_id)
        await simulator.deliver_due()
        return shown(_lock_state(simulator.cloud, door))

    async def change_gateway(request: Request) -> Response:
        gateway = _gateway(simulator.cloud, request)
        _befall_gateway(simulator.cloud, gateway, GatewayChange.model_validate_json(await request.body()))
        await simulator.deliver_due()
        return shown(_gateway_state(gateway))

    return [
        Route("/state", state),
        Route("/locks/{id:int}", change_lock, methods=["PATCH"]),
        Route("/gateways/{id:int}", change_gateway, methods=["PATCH"]),
    ]


def _door(cloud: Cloud, request: Request) -> Door:
    door = cloud.doors.get(request.path_params["id"])
    if door is None:
        raise NotThere("no such lock")
    return door


def _gateway(cloud: Cloud, request: Request) -> Gateway:
    gateway = cloud.gateways.get(request.path_params["id"])
    if gateway is None:
        raise NotThere("no such gateway")
    return gateway


def _befall_lock(door: Door, change: LockChange) -> None:
    if change.skew_seconds is not None:
        door.skew_ms = round(change.skew_seconds * 1000)
    for name in ("battery", "in_reach", "frozen"):
        if (value := getattr(change, name)) is not None:
            setattr(door, name, value)


def _befall_gateway(cloud: Cloud, gateway: Gateway, change: GatewayChange) -> None:
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


def _gateway_state(gateway: Gateway) -> dict[str, Any]:
    return {"gatewayId": gateway.gateway_id, "online": gateway.online, "busy": gateway.busy}


def _lock_state(cloud: Cloud, door: Door) -> dict[str, Any]:
    return {
        "lockId": door.lock_id,
        "alias": cloud.locks[door.lock_id].alias,
        "skewSeconds": door.skew_ms / 1000,
        "battery": door.battery,
        "inReach": door.in_reach,
        "heard": any(gateway.online for gateway in cloud.gateways_of(door.lock_id)),
        "frozen": door.frozen,
        "codes": [*_custom_codes(cloud, door), *_random_codes(cloud, door)],
        "cards": _cards(cloud, door),
        "ekeys": [_phone(cloud, key_id, key.holder) for key_id, key in door.phones.items()],
        "unsentRecords": len(door.log),
        "listed": _listed(cloud, door.lock_id),
    }


def _custom_codes(cloud: Cloud, door: Door) -> list[dict[str, Any]]:
    lock_ms = door.lock_ms(cloud.now_ms())
    return [
        {
            "code": code,
            "source": "custom",
            "start": written.window.start,
            "end": written.window.end,
            "used": written.used,
            "now": judge(written.window, lock_ms),
        }
        for code, written in door.codes.items()
    ]


def _random_codes(cloud: Cloud, door: Door) -> list[dict[str, Any]]:
    lock_ms = door.lock_ms(cloud.now_ms())
    return [_random_code(code, lock_ms) for code in door.algorithmic.values()]


def _random_code(code: RandomCode, lock_ms: int) -> dict[str, Any]:
    return {
        "code": code.code,
        "source": "random",
        "start": code.window.start,
        "end": code.window.end,
        "used": code.used,
        "now": code.verdict(lock_ms),
    }


def _cards(cloud: Cloud, door: Door) -> list[dict[str, Any]]:
    lock_ms = door.lock_ms(cloud.now_ms())
    return [
        {
            "number": number,
            "start": written.window.start,
            "end": written.window.end,
            "used": written.used,
            "now": judge(written.window, lock_ms),
        }
        for number, written in door.cards.items()
    ]


def _phone(cloud: Cloud, key_id: int, holder: str) -> dict[str, Any]:
    return {"keyId": key_id, "holder": holder, "listed": cloud.ekeys.get(key_id) is not None}


def _listed(cloud: Cloud, lock_id: int) -> dict[str, list[dict[str, Any]]]:
    tables: Mapping[str, Sequence[Passcode | Card | EKey | QrCode]] = {
        "passcodes": cloud.passcodes.of(lock_id),
        "cards": cloud.cards.of(lock_id),
        "ekeys": cloud.ekeys.of(lock_id),
        "qrCodes": cloud.qr_codes.of(lock_id),
    }
    return {name: [asdict(row) for row in rows] for name, rows in tables.items()}
