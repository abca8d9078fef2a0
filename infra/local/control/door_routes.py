"""Locks and who tried them, over the control plane: read as all consoles read it."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from infra.local.control.asked import limit_of
from infra.local.control.operations import Operations, Routes
from shared.queries.attempts import AttemptsWanted, last_anomalies, last_attempts
from shared.queries.devices import devices, mapped
from shared.queries.readiness import readiness


async def _attempts(on: Operations, request: Request) -> Mapping[str, Any]:
    query = request.query_params
    return await last_attempts(on.cell, AttemptsWanted.of(query, limit_of(query.get("limit"))))


async def _anomalies(on: Operations, request: Request) -> Mapping[str, Any]:
    query = request.query_params
    return await last_anomalies(on.cell, query.get("tenant"), limit_of(query.get("limit")))


async def _devices(on: Operations, request: Request) -> Mapping[str, Any]:
    return await devices(on.cell, request.query_params.get("tenant"))


async def _map(on: Operations, request: Request) -> Mapping[str, Any]:
    return await mapped(on.cell, request.query_params.get("tenant"))


async def _readiness(on: Operations, request: Request) -> Mapping[str, Any]:
    return await readiness(on.cell, request.query_params.get("tenant"), on.platform.clock.now())


ROUTES: Routes = (
    ("GET", "/attempts", _attempts),
    ("GET", "/anomalies", _anomalies),
    ("GET", "/devices", _devices),
    ("GET", "/map", _map),
    ("GET", "/readiness", _readiness),
)
