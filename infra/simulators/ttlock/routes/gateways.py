"""Gateways, and the locks they hear: the one that is listed first hears a lock best."""

from typing import Any

from infra.simulators.kit.errors import Refused
from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud, Gateway
from infra.simulators.ttlock.operation import Answer, get
from infra.simulators.ttlock.paging import page
from infra.simulators.ttlock.rows import Lock

STRONG_SIGNAL, WEAKER_BY = -65, 6
REMEMBERED_MS = 30 * 60_000
"""For so long the cloud holds a gateway that fell silent to be near its locks."""


async def list_gateways(cloud: Cloud, call: Call) -> Answer:
    """Return the caller's gateways."""
    rows = [gateway for gateway in cloud.gateways.values() if gateway.admin == call.account.username]
    return page(call, rows, lambda gateway: _shown(cloud, gateway))


async def list_locks_of_gateway(cloud: Cloud, call: Call) -> Answer:
    """Return the locks that a gateway hears; this list has no pages."""
    gateway = _own_gateway(cloud, call)
    return {"list": [_heard_lock(cloud, gateway, lock) for lock in _heard(cloud, gateway)]}


async def list_gateways_of_lock(cloud: Cloud, call: Call) -> Answer:
    """Return the gateways that hear a lock, be they online or not yet missed; this list has no pages."""
    lock = call.own_lock(cloud)
    near = [gateway for gateway in cloud.gateways_of(lock.lock_id) if _present(cloud, gateway)]
    return {"list": [_near_gateway(cloud, gateway, lock) for gateway in near]}


async def detail(cloud: Cloud, call: Call) -> Answer:
    """Return one gateway."""
    return _shown(cloud, _own_gateway(cloud, call))


def _own_gateway(cloud: Cloud, call: Call) -> Gateway:
    gateway = cloud.gateways.get(call.number("gatewayId"))
    if gateway is None:
        raise Refused(-4037)
    if gateway.admin != call.account.username:
        raise Refused(-2018)
    return gateway


def _present(cloud: Cloud, gateway: Gateway) -> bool:
    lost = gateway.lost_ms
    return gateway.online or (lost is not None and cloud.now_ms() - lost < REMEMBERED_MS)


def _heard(cloud: Cloud, gateway: Gateway) -> list[Lock]:
    if not _present(cloud, gateway):
        return []
    return [cloud.locks[lock_id] for lock_id in gateway.locks if cloud.doors[lock_id].in_reach]


def _signal(cloud: Cloud, gateway: Gateway, lock: Lock) -> int:
    return STRONG_SIGNAL - WEAKER_BY * cloud.gateways_of(lock.lock_id).index(gateway)


def _near_gateway(cloud: Cloud, gateway: Gateway, lock: Lock) -> dict[str, Any]:
    return {
        "gatewayId": gateway.gateway_id,
        "gatewayMac": gateway.mac,
        "gatewayName": gateway.name,
        "rssi": _signal(cloud, gateway, lock),
        "rssiUpdateDate": cloud.now_ms() if gateway.online else gateway.lost_ms,
    }


def _heard_lock(cloud: Cloud, gateway: Gateway, lock: Lock) -> dict[str, Any]:
    return {
        "lockId": lock.lock_id,
        "lockMac": lock.mac,
        "lockName": lock.name,
        "lockAlias": lock.alias,
        "rssi": _signal(cloud, gateway, lock),
        "updateDate": cloud.now_ms() if gateway.online else gateway.lost_ms,
    }


def _shown(cloud: Cloud, gateway: Gateway) -> dict[str, Any]:
    return {
        "gatewayId": gateway.gateway_id,
        "gatewayMac": gateway.mac,
        "gatewayName": gateway.name,
        "gatewayVersion": gateway.version,
        "networkName": "hotel",
        "lockNum": len(_heard(cloud, gateway)),
        "isOnline": int(gateway.online),
    }


OPERATIONS = (
    get("/v3/gateway/list", list_gateways),
    get("/v3/gateway/listLock", list_locks_of_gateway),
    get("/v3/gateway/listByLock", list_gateways_of_lock),
    get("/v3/gateway/detail", detail),
)
