"""Gateways, and the locks they hear."""

from typing import Any

from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud, Gateway
from infra.simulators.ttlock.errors import Refused
from infra.simulators.ttlock.operation import Answer, get
from infra.simulators.ttlock.paging import page
from infra.simulators.ttlock.rows import Lock

STRONG_SIGNAL = -65


async def list_gateways(cloud: Cloud, call: Call) -> Answer:
    """Return the caller's gateways."""
    rows = [gateway for gateway in cloud.gateways.values() if gateway.admin == call.account.username]
    return page(call, rows, lambda gateway: _shown(cloud, gateway))


async def list_locks_of_gateway(cloud: Cloud, call: Call) -> Answer:
    """Return the locks that a gateway hears; this list has no pages."""
    heard = _heard(cloud, _own_gateway(cloud, call))
    return {"list": [_heard_lock(cloud, lock) for lock in heard]}


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


def _heard(cloud: Cloud, gateway: Gateway) -> list[Lock]:
    return [cloud.locks[lock_id] for lock_id in gateway.locks if cloud.doors[lock_id].in_reach]


def _heard_lock(cloud: Cloud, lock: Lock) -> dict[str, Any]:
    return {
        "lockId": lock.lock_id,
        "lockMac": lock.mac,
        "lockName": lock.name,
        "lockAlias": lock.alias,
        "rssi": STRONG_SIGNAL,
        "updateDate": cloud.now_ms(),
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
    get("/v3/gateway/detail", detail),
)
