"""What is kept of keys and stays, over the control plane: read as all consoles read it."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from starlette.requests import Request

from infra.local.control.asked import limit_of
from infra.local.control.bodies import json_body
from infra.local.control.executions import LocalExecutions
from infra.local.control.keys import work_on_keys
from infra.local.control.operations import Operations, Routes
from infra.local.home_clock import HomeClock
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ports.ambient import Clock
from shared.ports.documents import Ref
from shared.queries.alerts import last_alerts, recent
from shared.queries.attention import attention, failed_keys, residues
from shared.queries.audit import overdue
from shared.queries.bulk import list_bulk, shown_bulk
from shared.queries.findings import found_at_locks, strange_residues, troubling
from shared.queries.keys import Wanted, list_keys
from shared.queries.quota import shown_quota
from shared.queries.staff import shown_staff
from shared.queries.stays import shown_stay
from shared.queries.timeline import timeline
from shared.queries.why_refused import Ask, AtDoor, why
from shared.runtime.keys import services_of
from shared.runtime.platform import Platform
from shared.usecases.operations.letters import set_aside
from shared.usecases.reconcile.ask_lock import PATIENCE_SECONDS, Asking


async def _status(on: Operations, _request: Request) -> Mapping[str, Any]:
    return on.status()


async def _clock(on: Operations, _request: Request) -> Mapping[str, Any]:
    return _time(on.platform.clock)


async def _clock_moved(on: Operations, request: Request) -> Mapping[str, Any]:
    seconds, clock = (await json_body(request)).get("seconds"), on.platform.clock
    if not isinstance(seconds, int | float) or not isinstance(clock, HomeClock):
        raise InvalidInput("seconds", "not a number", "say by how many seconds the clock shall go on")
    clock.move(float(seconds))
    return _time(clock)


def _time(clock: Clock) -> Mapping[str, Any]:
    ahead, movable = (clock.ahead, clock.movable) if isinstance(clock, HomeClock) else (timedelta(), False)
    return {"now": clock.now().isoformat(), "ahead_seconds": ahead.total_seconds(), "movable": movable}


async def _attention(on: Operations, _request: Request) -> Mapping[str, Any]:
    now = on.platform.clock.now()
    said = {**await attention(on.cell, now), **await troubling(on.cell, now), **await recent(on.cell, now)}
    return {**said, "anchors_overdue": await overdue(on.cell, now)}


async def _alerts(on: Operations, request: Request) -> Mapping[str, Any]:
    query = request.query_params
    return await last_alerts(on.cell, query.get("tenant"), limit_of(query.get("limit")))


async def _failed(on: Operations, request: Request) -> Mapping[str, Any]:
    tenant, now = request.query_params.get("tenant"), on.platform.clock.now()
    return {"failed": await failed_keys(on.cell, tenant, now)}


async def _document(on: Operations, request: Request) -> Mapping[str, Any]:
    path = request.path_params
    store = on.platform.documents.tenant(TenantId(path["tenant"]))
    found = await store.get(Ref(path["collection"], path["id"]))
    return {"document": dict(found.data), "version": found.version} if found else {"document": None}


async def _credentials(on: Operations, request: Request) -> Mapping[str, Any]:
    query = request.query_params
    return await list_keys(on.cell, Wanted.of(query, limit_of(query.get("limit"))))


async def _residues(on: Operations, request: Request) -> Mapping[str, Any]:
    tenant, now = request.query_params.get("tenant"), on.platform.clock.now()
    return {
        "residues": [*await residues(on.cell, tenant, now), *await strange_residues(on.cell, tenant, now)]
    }


async def _findings(on: Operations, request: Request) -> Mapping[str, Any]:
    return await found_at_locks(on.cell, request.query_params.get("tenant"))


async def _timeline(on: Operations, request: Request) -> Mapping[str, Any]:
    executions = LocalExecutions(on.sagas, on.starts, on.platform.clock.now())
    return await timeline(on.cell, executions, request.path_params["id"], request.query_params.get("tenant"))


async def _stay(on: Operations, request: Request) -> Mapping[str, Any]:
    return await shown_stay(on.cell, request.path_params["id"], request.query_params.get("tenant"))


async def _staff(on: Operations, request: Request) -> Mapping[str, Any]:
    asked = [request.query_params.get(name) for name in ("tenant", "staff", "property", "key")]
    return await shown_staff(on.cell, *asked)


async def _bulk(on: Operations, request: Request) -> Mapping[str, Any]:
    return await list_bulk(on.cell, request.query_params.get("tenant"))


async def _one_bulk(on: Operations, request: Request) -> Mapping[str, Any]:
    return await shown_bulk(on.cell, request.path_params["id"], request.query_params.get("tenant"))


async def _why(on: Operations, request: Request) -> Mapping[str, Any]:
    what, tenant = request.path_params["id"], request.query_params.get("tenant")
    letters = await set_aside(on.platform.dead_letters, tenant)
    ask = _asking(on.platform) if request.query_params.get("live") == "true" else None
    return await why(on.cell, what, tenant, letters, on.platform.clock.now(), ask)


def _asking(on: Platform) -> Ask:
    """Return what asks one lock after another, all of them within the patience of whoever is at a door."""
    asking = Asking(on.documents, on.cell, on.sagas, services_of(on))
    until = on.clock.now() + timedelta(seconds=PATIENCE_SECONDS)

    async def ask(tenant: TenantId, at: AtDoor) -> bool:
        left = (until - on.clock.now()).total_seconds()
        return left > 0 and await asking.asked(tenant, at.setup.property.id, at.door, left)

    return ask


async def _quota(on: Operations, _request: Request) -> Mapping[str, Any]:
    return await shown_quota(on.platform.documents)


async def _keys(on: Operations, _request: Request) -> Mapping[str, Any]:
    return {"purposes": on.rekeying.versions()}


async def _keys_worked_on(on: Operations, request: Request) -> Mapping[str, Any]:
    return await work_on_keys(on.rekeying, await json_body(request))


ROUTES: Routes = (
    ("GET", "/keys", _keys),
    ("POST", "/keys", _keys_worked_on),
    ("GET", "/status", _status),
    ("GET", "/clock", _clock),
    ("POST", "/clock", _clock_moved),
    ("GET", "/attention", _attention),
    ("GET", "/alerts", _alerts),
    ("GET", "/credentials", _credentials),
    ("GET", "/failed", _failed),
    ("GET", "/residues", _residues),
    ("GET", "/findings", _findings),
    ("GET", "/stays/{id}", _stay),
    ("GET", "/why/{id}", _why),
    ("GET", "/quota", _quota),
    ("GET", "/staff", _staff),
    ("GET", "/bulk", _bulk),
    ("GET", "/bulk/{id}", _one_bulk),
    ("GET", "/timeline/{id}", _timeline),
    ("GET", "/documents/{tenant}/{collection}/{id}", _document),
)
