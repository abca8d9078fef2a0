"""Executions and schedules over the control plane: looked at, started, ended."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from starlette.requests import Request

from infra.local.control.asked import limit_of
from infra.local.control.bodies import json_body
from infra.local.control.manual_start import start_by_hand
from infra.local.control.operations import Operations, Routes
from infra.local.control.views import shown_execution, shown_schedule
from infra.local.sagas.history import history
from shared.ports.sagas import SagaError


class AlreadyEnded(SagaError):
    """There is nothing left to cancel."""


async def _executions(on: Operations, request: Request) -> Mapping[str, Any]:
    query = request.query_params
    workflow = query.get("workflow")
    kept = on.sagas.listed(workflow, query.get("state"), limit_of(query.get("limit")))
    if workflow is not None and not kept:
        on.sagas.required(workflow)
    return {"executions": [shown_execution(each) for each in kept]}


async def _execution_shown(on: Operations, request: Request) -> Mapping[str, Any]:
    kept, steps = await history(on.sagas, request.path_params["execution"])
    return {**shown_execution(kept), "argument": kept.argument, "steps": [asdict(step) for step in steps]}


async def _start(on: Operations, request: Request) -> Mapping[str, Any]:
    return await start_by_hand(on.sagas, await json_body(request))


async def _cancel(on: Operations, request: Request) -> Mapping[str, Any]:
    execution = request.path_params["execution"]
    if not await on.sagas.cancelled(execution):
        raise AlreadyEnded(f"execution {execution[:64]} had ended before: see keyfleet workflow show")
    kept, _ = await history(on.sagas, execution)
    return {"cancelled": execution, "key": shown_execution(kept)["key"]}


async def _schedules(on: Operations, _request: Request) -> Mapping[str, Any]:
    return {"schedules": [shown_schedule(each) for each in on.schedules.status()]}


async def _run_schedule(on: Operations, request: Request) -> Mapping[str, Any]:
    name = request.path_params["name"]
    outcome = await on.schedules.run_now(name)
    return {"ran": name, "succeeded": outcome.ok, "outcome": outcome.reason}


ROUTES: Routes = (
    ("GET", "/executions", _executions),
    ("POST", "/executions", _start),
    ("GET", "/executions/{execution}", _execution_shown),
    ("POST", "/executions/{execution}/cancel", _cancel),
    ("GET", "/schedules", _schedules),
    ("POST", "/schedules/{name}/run", _run_schedule),
)
