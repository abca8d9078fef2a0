"""Bytes to events and back: reading looks past fields from the future, publishing is exact to the byte."""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, Final, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails, from_json, to_json

from shared.events.canonical import canonical_json
from shared.events.catalogue import canonical, lookup, model_for
from shared.events.envelope import Event, ProducedEvent, ReceivedEvent
from shared.events.errors import CrossTenant, FieldProblem, InvalidEvent, UnknownSubject
from shared.events.subject import Direction
from shared.events.wire import WireModel

LARGEST_EVENT = 256 * 1024

Document = Mapping[str, Any]
ModelT = TypeVar("ModelT", bound=WireModel)

_REMEDIES = {
    "missing": "Add the field",
    "extra_forbidden": "Remove the field, or add it to the model as an optional one",
    "string_pattern_mismatch": "Write it in the form the pattern gives",
    "literal_error": "Use one of the listed values",
    "instant_naive": "Give the time in UTC",
    "type_differs": "Send the subject in both fields",
    "schema_url": "Leave it to the catalogue's schema_url",
    "tenant_differs": "Send one tenant's data in one tenant's envelope",
    "window_order": "Give a validUntil after validFrom",
    "instant_form": "Write it in that form",
    "too_short": "Give at least one",
    "tuple_type": "Give a JSON array",
    "int_type": "Give a whole number, without quotes",
    "string_type": "Give a JSON string",
    "bool_type": "Give true or false, without quotes",
    "model_type": "Give a JSON object",
}
_PLAINLY = {
    "too_short": "it is empty",
    "tuple_type": "it is no array",
    "int_type": "it is no whole number",
    "string_type": "it is no string",
    "bool_type": "it is neither true nor false",
    "model_type": "it is no object",
}
"""What pydantic says in Python's words."""
_OF = {"window_order": "validUntil"}
"""The field that a problem between fields is mended in."""
_SEE_SCHEMA = "Compare it with the subject's schema, in schemas/"
_SPEAKABLE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")


@cache
def event_model(subject: str) -> type[ProducedEvent[Any]] | type[ReceivedEvent[Any]]:
    """The envelope of a subject around its payload model."""
    row = lookup(subject)
    model: Any = model_for(row.name)
    return ProducedEvent[model] if row.direction is Direction.PRODUCED else ReceivedEvent[model]


_SPELT: Final[Mapping[str, tuple[str, str]]] = {
    "operatorId": ("opr_", "usr_"),
    "userId": ("opr_", "usr_"),
    "propertyId": ("prop_", "ppt_"),
}


def parse(raw: bytes | Document, *, exact: bool = False) -> Event:
    """The event in `raw`; looks past unknown fields unless `exact`, which holds ours to what we publish."""
    return _event(_document(raw), exact=exact)


def parse_payload(subject: str, raw: Document, *, exact: bool = False) -> WireModel:
    """The payload of a subject without its envelope."""
    return _validated(model_for(subject), raw, exact=exact)


def canonical_bytes(event: Event) -> bytes:
    """The event as RFC 8785 writes it; whether it is a valid one is `encode`'s question."""
    return canonical_json(_written(event))


def encode(event: Event) -> bytes:
    """The exact bytes to store and to publish; refuses what is not ours or does not validate."""
    document = _written(event)
    body = canonical_json(document)
    _require_size(body)
    if _written(_publishable(document)) != document:
        raise _not_canonical()
    return body


def published(document: Document) -> tuple[Event, bytes]:
    """The event of a document that is written as we publish it, and its bytes; refuses what is not valid."""
    event = _publishable(document)
    if _written(event) != document:  # it says less than its model does
        return event, encode(event)
    body = canonical_json(document)
    _require_size(body)
    return event, body


def require_publishable(body: bytes) -> Event:
    """The event in `body`, if it is one we produce, valid to the field and canonical to the byte."""
    event = _publishable(_document(body))
    if canonical_bytes(event) != body:
        raise _not_canonical()
    return event


def verify_inbound(event: Event, tenant_id: str) -> None:
    """Refuse to correlate an event with another tenant's state (B §6)."""
    if event.tenant_id != tenant_id:
        raise CrossTenant(f"an event of {event.subject} belongs to another tenant than the state it is about")


class _Refusing(AbstractContextManager[None]):
    """Remembers nothing, so one serves all: a key's events go through it a dozen times."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, ValidationError):
            raise InvalidEvent(_problems(error)) from None


_REFUSING: Final = _Refusing()


def refusing() -> AbstractContextManager[None]:
    """Turn what pydantic refuses into our error, which names fields and holds no values."""
    return _REFUSING


def _written(event: Event) -> dict[str, Any]:
    return event.model_dump(mode="json", by_alias=True, warnings="none")


def _publishable(document: Document) -> Event:
    event = _event(document, exact=True)
    if not isinstance(event, ProducedEvent):
        raise InvalidEvent.because("subject", "we do not publish this subject", "Publish a produced subject")
    return event


def _not_canonical() -> InvalidEvent:
    return InvalidEvent.because("(document)", "the bytes are not in canonical form", "Use encode()")


def _event(document: Document, *, exact: bool) -> Event:
    subject = _subject_of(document)
    known = {**document, "subject": subject}
    if document.get("type") == document["subject"]:
        known["type"] = subject
    if document["subject"] != subject:
        known["data"] = in_our_spelling(document.get("data"))
    return _validated(event_model(subject), known, exact=exact)


def in_our_spelling(data: Any) -> Any:
    """What C calls an operator as the user that it is, and a property as we spell it (design §5)."""
    if not isinstance(data, dict):
        return data
    spelt = {
        name: ours + data[name].removeprefix(theirs)
        for name, (theirs, ours) in _SPELT.items()
        if isinstance(data.get(name), str) and data[name].startswith(theirs)
    }
    return {**data, **spelt}


def _validated(model: type[ModelT], document: Document, *, exact: bool) -> ModelT:
    with refusing():
        return model.model_validate(document, by_alias=True, by_name=False, extra=None if exact else "ignore")


def _document(raw: bytes | Document) -> Document:
    body = raw if isinstance(raw, bytes) else _as_json(raw)
    _require_size(body)
    try:
        document = from_json(body, allow_inf_nan=False)
    except ValueError:
        raise InvalidEvent.because("(document)", "it is not JSON", "Send one UTF-8 JSON object") from None
    if not isinstance(document, dict):
        raise InvalidEvent.because("(document)", "it is not an object", "Send one UTF-8 JSON object")
    return document


def _require_size(body: bytes) -> None:
    if len(body) > LARGEST_EVENT:
        limit = f"it is larger than {LARGEST_EVENT} bytes"
        raise InvalidEvent.because("(document)", limit, "Send references instead of content")


def _as_json(document: Document) -> bytes:
    try:
        return to_json(dict(document), inf_nan_mode="constants")
    except ValueError:
        raise InvalidEvent.because(
            "(document)", "it holds what JSON cannot", "Pass plain JSON values"
        ) from None


def _subject_of(document: Document) -> str:
    given = document.get("subject")
    if not isinstance(given, str):
        raise InvalidEvent.because("subject", "it is missing or no string", "Name a subject of the catalogue")
    try:
        return canonical(given)
    except UnknownSubject as error:
        hint = f"Did you mean {' or '.join(error.close)}?" if error.close else "Name one of the catalogue"
        raise InvalidEvent.because("subject", "the catalogue does not hold it", hint) from None


def _problems(error: ValidationError) -> list[FieldProblem]:
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return [_problem(detail) for detail in details if not _follows(detail, details)]


def _follows(detail: ErrorDetails, details: Sequence[ErrorDetails]) -> bool:
    """Say whether an array is too short only because what is in it was refused."""
    place = detail["loc"]
    beneath = (each["loc"][: len(place)] == place for each in details if each["loc"] != place)
    return detail["type"] == "too_short" and any(beneath)


def _problem(detail: ErrorDetails) -> FieldProblem:
    sort = detail["type"]
    problem = _PLAINLY.get(sort) or detail["msg"][:1].lower() + detail["msg"][1:]
    place = (*detail["loc"], _OF[sort]) if sort in _OF else detail["loc"]
    return FieldProblem(_path(place), problem, _REMEDIES.get(sort, _SEE_SCHEMA))


def _path(location: tuple[int | str, ...]) -> str:
    """The dotted path of a field; a name no schema would use is not repeated."""
    path = "".join(_step(step) for step in location)
    return path.removeprefix(".") or "(document)"


def _step(step: int | str) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _SPEAKABLE.fullmatch(step) else ".(unnameable)"
