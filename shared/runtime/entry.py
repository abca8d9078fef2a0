"""Entry points: decode, find the platform, do one thing, respond."""

import functools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import functions_framework.aio
import orjson
from starlette.requests import Request
from starlette.responses import Response

from shared.domain.errors import InvalidInput
from shared.kernel.log import log_context
from shared.kernel.spans import describe, follow, traced
from shared.kernel.time_limit import TimeLimit
from shared.kernel.trace import trace_of
from shared.ports.bus import Message
from shared.ports.document_limits import TooLarge
from shared.runtime.access import admit
from shared.runtime.delivery import Delivery, decode_push
from shared.runtime.incoming import (
    PUSH_BYTES,
    WEBHOOK_BYTES,
    BodyTooLarge,
    Incoming,
    allow,
    body_within,
    incoming,
)
from shared.runtime.platform import QUARANTINE_TOPIC, Deployed, Platform, platform, this_function
from shared.runtime.responses import STATUS, error_response, json_response, too_late

Entry = Callable[[Request], Awaitable[Response]]
EventHandler = Callable[[Any, Platform], Awaitable[None]]
SetAside = Callable[[bytes, Delivery | None, Exception, Deployed, Platform], Awaitable[None]]
DeliveryHandler = Callable[[Delivery, Platform], Awaitable[None]]
StepHandler = Callable[[Mapping[str, Any], Platform], Awaitable[Mapping[str, Any]]]
RawHandler = Callable[[Incoming, Platform], Awaitable[Response]]
Subjects = tuple[str, ...]
Respond = Callable[[Request, Deployed, Platform], Awaitable[Response]]
Tell = Callable[[Exception, Request, Deployed | None], Response]
Admit = Callable[[Request, Deployed, Platform], Awaitable[object]]
Notes = Callable[[Request, Platform], Mapping[str, str]]
LARGEST_STEP = 1024 * 1024
LONGEST_NOTE = 1000
MOST_ATTRIBUTES = 100
RESERVED = "goog"
"""What Google itself adds to a message, by schemas and traces, nobody else may publish."""


def told_to_services(error: Exception, _request: Request, function: Deployed | None) -> Response:
    """Return an error as other services read it."""
    if isinstance(error, TimeoutError) and function is not None:
        return too_late(function)
    return error_response(error)


@dataclass(frozen=True, slots=True)
class Manner:
    """How an entry lets its callers in, and how it tells them what went wrong."""

    let_in: Admit
    tell: Tell
    tells_of: tuple[type[Exception], ...]
    """The rest is a crash: logged by place and type, and told without its words."""
    notes: Notes = lambda _request, _on: {}
    """What each line of the log says of the request besides function and trace."""


AS_SERVICES = Manner(admit, told_to_services, tuple(STATUS))


def subscriber(*subjects: str, sets_aside: bool = True) -> Callable[[EventHandler], Entry]:
    """Make an entry point of a handler of subjects: it gets the validated event, or is never called.

    Of several subscribers of one subject, one alone sets a bad event aside: people see one letter, not two.
    """

    def decorate(handle: EventHandler) -> Entry:
        async def receive(request: Request, function: Deployed, on: Platform) -> Response:
            body = await body_within(request, PUSH_BYTES)
            kept = _quarantine if sets_aside else _left_to_the_first
            return await _receive(body, (subjects, handle, kept), function, on)

        return entry_of(handle, receive)

    return decorate


def taker(park: Callable[[Delivery], str]) -> Callable[[DeliveryHandler], Entry]:
    """Make an entry point of a handler of messages as they were delivered, which reads them itself.

    One that it refuses is set aside on the topic that `park` names for it.
    """

    def decorate(handle: DeliveryHandler) -> Entry:
        async def receive(request: Request, function: Deployed, on: Platform) -> Response:
            await _take(await body_within(request, PUSH_BYTES), handle, park, function, on)
            return Response(status_code=204)

        return entry_of(handle, receive)

    return decorate


async def _take(
    body: bytes, handle: DeliveryHandler, park: Callable[[Delivery], str], function: Deployed, on: Platform
) -> None:
    from shared.events.errors import EventError

    delivery: Delivery | None = None
    try:
        delivery = decode_push(body)
        await handle(delivery, on)
    except (EventError, InvalidInput) as refusal:
        topic = QUARANTINE_TOPIC if delivery is None else park(delivery)
        await _quarantine(body, delivery, refusal, function, on, topic)


def step(handle: StepHandler) -> Entry:
    """Make an entry point of a handler that takes a JSON object and returns one."""

    async def answer(request: Request, _function: Deployed, on: Platform) -> Response:
        return json_response(await handle(_arguments(await _step_body(request)), on))

    return entry_of(handle, answer)


def public(limit: int = WEBHOOK_BYTES, methods: tuple[str, ...] = ("POST",)) -> Callable[[RawHandler], Entry]:
    """Make an entry point of a handler of raw requests: it gets what came, bounded, and proves it itself."""

    def decorate(handle: RawHandler) -> Entry:
        async def hand_over(request: Request, _function: Deployed, on: Platform) -> Response:
            allow(request, methods)
            return await handle(await incoming(request, limit), on)

        return entry_of(handle, hand_over)

    return decorate


def entry_of(handle: Callable[..., Any], respond: Respond, manner: Manner = AS_SERVICES) -> Entry:
    """Make an entry point: registered with the framework, bounded in time, and no error escapes it untold."""

    @functools.wraps(handle)
    async def entry(request: Request) -> Response:
        try:
            on, function = platform(), this_function()
            trace = trace_of(request.headers.get("traceparent"))
            with (
                log_context(function=function.name, trace=trace, **manner.notes(request, on)),
                traced(on.tracing, function.name, trace),
            ):
                response = await _guarded(request, function, on, respond, manner)
                if on.log.raised:
                    await _keep_raised(on)
                return response
        except Exception as error:  # noqa: BLE001 - the outermost line of a function: nothing may escape with its words
            return manner.tell(error, request, None)

    functions_framework.aio.http(entry)  # registers it by name; the wrapper it returns adds nothing
    return entry


async def _guarded(
    request: Request, function: Deployed, on: Platform, respond: Respond, manner: Manner
) -> Response:
    try:
        with TimeLimit(function.timeout):
            await manner.let_in(request, function, on)
            return await respond(request, function, on)
    except TimeoutError as error:
        on.log.warning("the function took too long", function=function.name, seconds=function.timeout)
        return manner.tell(error, request, function)
    except manner.tells_of as error:
        return manner.tell(error, request, function)
    except Exception as error:  # noqa: BLE001 - logged by place and type, answered as a crash
        on.log.failure("the function crashed", error)
        return manner.tell(error, request, function)


async def _keep_raised(on: Platform) -> None:
    from shared.runtime.raised_alerts import keep_raised

    await keep_raised(on)


async def _receive(
    body: bytes, subscribed: tuple[Subjects, EventHandler, SetAside], function: Deployed, on: Platform
) -> Response:
    from shared.events.codec import parse
    from shared.events.errors import EventError

    subjects, handle, set_aside = subscribed
    delivery: Delivery | None = None
    try:
        delivery = decode_push(body)
        event = parse(delivery.data)
        _expect(event.subject, subjects)
        follow(event.trace_id or "")
        describe(tenantId=event.tenant_id, event=event.id, subject=event.subject)
        with log_context(tenant=event.tenant_id, event=event.id):
            await handle(event, on)
    except TooLarge as fault:
        # Not the message's fault: setting it aside would lose what it asks for.
        on.log.failure("what a message asks for is too large to be kept", fault, message_id=_id_of(delivery))
        raise
    except (EventError, InvalidInput) as refusal:
        await set_aside(body, delivery, refusal, function, on)
    return Response(status_code=204)


def _id_of(delivery: Delivery | None) -> str:
    return delivery.message_id if delivery else ""


def _expect(found: str, subjects: Subjects) -> None:
    if found not in subjects:
        raise InvalidInput("subject", "not the subject of this subscription", f"publish it to {found}")


async def _quarantine(
    body: bytes,
    delivery: Delivery | None,
    refusal: Exception,
    function: Deployed,
    on: Platform,
    topic: str = QUARANTINE_TOPIC,
) -> None:
    # Acked only once it is kept: a crash between the two quarantines it twice, and both say the same.
    notes = _notes(refusal, delivery.subscription if delivery else function.name)
    if delivery is None:
        message = Message(body, notes)
    else:
        ours = [(name, value) for name, value in delivery.attributes.items() if not name.startswith(RESERVED)]
        kept = dict(ours[: MOST_ATTRIBUTES - len(notes)])
        message = Message(delivery.data, {**kept, **notes}, delivery.ordering_key)
    await on.bus.publish(topic, [message])
    on.log.warning("quarantined", reason=notes["reason"], message_id=_id_of(delivery))


async def _left_to_the_first(
    _body: bytes, delivery: Delivery | None, _refusal: Exception, function: Deployed, on: Platform
) -> None:
    on.log.info(
        "refused, and left to who sets it aside", subscriber=function.name, message_id=_id_of(delivery)
    )


def _notes(refusal: Exception, subscription: str) -> dict[str, str]:
    from shared.events.errors import InvalidEvent

    first: Any = refusal.problems[0] if isinstance(refusal, InvalidEvent) else refusal
    field = getattr(first, "path", getattr(first, "field", "subject"))
    notes = {
        "subscription": subscription,
        "reason": str(refusal),
        "field": str(field),
        "remedy": str(getattr(first, "remedy", "publish a subject of the catalogue for its own tenant")),
    }
    return {name: value.encode()[:LONGEST_NOTE].decode(errors="ignore") for name, value in notes.items()}


async def _step_body(request: Request) -> bytes:
    try:
        return await body_within(request, LARGEST_STEP)
    except BodyTooLarge as error:
        problem = f"longer than {error.limit} bytes"
        raise InvalidInput("body", problem, "pass ids and let the step read the rest") from None


def _arguments(body: bytes) -> Mapping[str, Any]:
    try:
        arguments = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:
        raise InvalidInput("body", "not JSON", "send one JSON object") from None
    if not isinstance(arguments, dict):
        raise InvalidInput("body", "not a JSON object", "send one JSON object") from None
    return arguments
