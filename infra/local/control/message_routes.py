"""Messages over the control plane: published, set aside, replayed, discarded."""

from collections.abc import Mapping
from typing import Any

import orjson
from starlette.requests import Request

from infra.local.control.asked import after_of, ids_of, limit_of, topic_of
from infra.local.control.bodies import json_body
from infra.local.control.dead_letters import check_parked, letters
from infra.local.control.doubts import doubts
from infra.local.control.executions import LocalExecutions
from infra.local.control.operations import Operations, Routes
from infra.local.control.outcomes import Published, outcome_of
from infra.local.control.publishing import event_from
from shared.usecases.operations.letters import shown_letter


async def _publish(on: Operations, request: Request) -> Mapping[str, Any]:
    platform = on.platform
    topic, message = event_from(await json_body(request), platform.clock, platform.ids, platform.entropy)
    (identity,) = await on.bus.publish(topic, [message])
    listeners = on.bus.listeners(topic, message)
    event = orjson.loads(message.data)
    heard = {"listeners": list(listeners), "kept_for": on.bus.kept_for(topic)}
    about = {"tenant": event["tenantId"], "reservation": str(event["data"].get("reservationId", ""))}
    warnings = [each.described() for each in doubts(message.attributes["subject"], event["data"])]
    known = {"topic": topic, "message_id": identity, "event_id": event["id"]}
    return {**known, **heard, **about, "warnings": warnings}


async def _outcome(on: Operations, request: Request) -> Mapping[str, Any]:
    asked = Published.of(request.path_params["message"], request.query_params)
    executions = LocalExecutions(on.sagas, on.starts, on.platform.clock.now())
    return await outcome_of(asked, on.bus, on.cell, executions)


async def _dead_letters(on: Operations, request: Request) -> Mapping[str, Any]:
    query = request.query_params
    after, limit = after_of(query.get("after")), limit_of(query.get("limit"))
    topic = check_parked(query.get("topic"), on.bus.aside)
    found = await letters(on.bus.dead_letters, topic, query.get("reservation"), after, limit)
    return {"messages": [shown_letter(message) for message in found]}


async def _replay(on: Operations, request: Request) -> Mapping[str, Any]:
    body = await json_body(request)
    return {"replayed": await on.bus.dead_letters.replay(ids_of(body, or_all=True), topic=topic_of(on, body))}


async def _discard(on: Operations, request: Request) -> Mapping[str, Any]:
    return {
        "discarded": await on.bus.dead_letters.discard(ids_of(await json_body(request), or_all=False) or [])
    }


ROUTES: Routes = (
    ("POST", "/publish", _publish),
    ("GET", "/outcomes/{message}", _outcome),
    ("GET", "/dead-letters", _dead_letters),
    ("POST", "/dead-letters/replay", _replay),
    ("POST", "/dead-letters/discard", _discard),
)
