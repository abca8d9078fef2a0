"""Messages that were set aside, as an operator may see them: ids, places, reasons; never what they say."""

import re
from collections.abc import Mapping
from typing import Any, Final

import orjson

from shared.events.errors import FieldProblem
from shared.ports.dead_letters import AT_MOST, DeadLetters, ParkedMessage

ID: Final = re.compile(r"(tnt|evt)_[0-9A-Za-z_-]{1,64}|melmastoon(\.[a-z][a-z0-9_]*){2,5}\.v[0-9]+")
RESERVATION: Final = re.compile(r"rsv_[0-9A-Za-z_-]{1,64}")


def shown_letter(message: ParkedMessage) -> dict[str, Any]:
    """Return what an operator may see of a message that was set aside."""
    # Bodies stay where they are: they may hold a guest's name. Who and what it is about are ids, or nothing.
    return {
        **_named_by(message),
        "id": message.id,
        "topic": message.topic,
        "subscription": message.subscription,
        "reason": message.reason,
        "field": message.notes.get("field"),
        "remedy": message.notes.get("remedy"),
        "problems": _problems(message.reason, message.notes),
        "message_id": message.message_id,
        "ordering_key": message.ordering_key,
        "published_at": message.published_at.isoformat(),
        "parked_at": message.parked_at.isoformat(),
        "bytes": len(message.data),
    }


async def set_aside_of(tenant: str, reservation: str, kept: DeadLetters) -> list[str]:
    """Return why messages about a stay were set aside."""
    return (await set_aside(kept, tenant)).get(reservation, [])


async def set_aside(kept: DeadLetters, tenant: str | None = None) -> dict[str, list[str]]:
    """Return why messages about stays were set aside, by stay: those of one tenant, or of all."""
    found: dict[str, list[str]] = {}
    for told in map(shown_letter, await kept.waiting(limit=AT_MOST)):
        if told["reservation"] is not None and tenant in (None, told["tenant"]):
            found.setdefault(told["reservation"], []).append(str(told["reason"]))
    return found


def _named_by(message: ParkedMessage) -> dict[str, str | None]:
    event = _fields(message.data)
    named = {"subject": event.get("subject"), "event_id": event.get("id"), "tenant": event.get("tenantId")}
    shown = {name: value if _is_id(value) else None for name, value in named.items()}
    return {**shown, "reservation": reservation_of(message)}


def reservation_of(message: ParkedMessage) -> str | None:
    """Return the booking that a message is about: by its payload, or by the key that orders it."""
    data = _fields(message.data).get("data")
    named = data.get("reservationId") if isinstance(data, dict) else None
    return next((each for each in (named, message.ordering_key) if _is_id(each, RESERVATION)), None)


def _fields(data: bytes) -> dict[str, Any]:
    try:
        event = orjson.loads(data)
    except orjson.JSONDecodeError:
        return {}
    return event if isinstance(event, dict) else {}


def _is_id(value: Any, form: re.Pattern[str] = ID) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None


def _problems(reason: str, notes: Mapping[str, str]) -> list[dict[str, str | None]]:
    said = reason.split("\n")
    told = {"field": notes.get("field"), "remedy": notes.get("remedy")} if len(said) == 1 else {}
    return [_problem(line, told) for line in said]


def _problem(said: str, told: Mapping[str, str | None]) -> dict[str, str | None]:
    # The last of many may have been cut off where a note ends.
    read = FieldProblem.read(said)
    if read is not None:
        return {**read.described(), **told}
    return {"field": told.get("field"), "problem": said, "remedy": told.get("remedy")}
