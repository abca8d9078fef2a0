"""What operators are shown of messages and executions: ids, states, reasons; never a body."""

import re
from typing import Any

import orjson

from infra.local.bus.dead_letters import ParkedMessage
from infra.local.sagas.journal import Kept

ID = re.compile(r"(tnt|evt)_[0-9A-Za-z_-]{1,64}|melmastoon(\.[a-z][a-z0-9_]*){2,5}\.v[0-9]+")


def shown_letter(message: ParkedMessage) -> dict[str, Any]:
    """Return what an operator may see of a message that was set aside."""
    # Bodies stay where they are: they may hold a guest's name. Who and what it is about are ids, or nothing.
    return {
        **_named_by(message.data),
        "id": message.id,
        "topic": message.topic,
        "subscription": message.subscription,
        "reason": message.reason,
        "field": message.notes.get("field"),
        "remedy": message.notes.get("remedy"),
        "message_id": message.message_id,
        "ordering_key": message.ordering_key,
        "published_at": message.published_at.isoformat(),
        "parked_at": message.parked_at.isoformat(),
        "bytes": len(message.data),
    }


def _named_by(data: bytes) -> dict[str, str | None]:
    try:
        event = orjson.loads(data)
    except orjson.JSONDecodeError:
        event = None
    fields = event if isinstance(event, dict) else {}
    named = {"subject": fields.get("subject"), "event_id": fields.get("id"), "tenant": fields.get("tenantId")}
    return {name: value if _is_id(value) else None for name, value in named.items()}


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and ID.fullmatch(value) is not None


def shown_execution(kept: Kept) -> dict[str, Any]:
    """Return what an operator may see of an execution, but for its argument and its steps."""
    execution = kept.execution
    return {
        "id": execution.id,
        "workflow": execution.workflow,
        "state": execution.state.value,
        "result": execution.result,
        "error": execution.error,
        "revision": kept.revision[:12],
        "started_at": kept.started_at,
        "ended_at": kept.ended_at,
        "billable_steps": kept.steps,
    }
