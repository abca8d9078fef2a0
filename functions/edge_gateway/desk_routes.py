"""What a front desk may ask: a table of paths, each behind the proof of who asks, and loaded when asked."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import orjson
from starlette.responses import Response

from shared.domain.errors import InvalidInput
from shared.domain.instants import instant_to_text
from shared.offline.requests import CLOUD_TIME, Asking, DeskSignature
from shared.offline.signing import SignedRefused
from shared.runtime.incoming import Incoming
from shared.runtime.platform import Platform
from shared.runtime.responses import json_response
from shared.usecases.desk.services import DeskRefused, DeskServices

if TYPE_CHECKING:
    from shared.usecases.desk.desks import KnownDesk  # each path loads what it does once a desk is proven

Json = Mapping[str, Any]
Route = Callable[["KnownDesk", Json, DeskServices, Platform], Awaitable[Json]]
ALIVE, PAIR = "/edge/v1/alive", "/edge/v1/pair"


async def answer(came: Incoming, on: Platform) -> Response:
    """Answer a desk, or refuse it in a word; every answer says what time it is here."""
    time = {CLOUD_TIME: instant_to_text(on.clock.now()), "cache-control": "no-store"}
    try:
        return json_response(await _answered(came, on), headers=time)
    except DeskRefused as refusal:
        on.log.seldom("a desk was refused", refusal.reason)
        return json_response({"error": {"refused": refusal.reason}}, 401, time)


def services(on: Platform) -> DeskServices:
    """Return what the commands on desks work with."""
    from shared.runtime.keys import services_of

    return DeskServices(services_of(on), on.sealed, on.cipher)


async def _answered(came: Incoming, on: Platform) -> Json:
    if came.path == ALIVE:
        return {"alive": True}
    if came.path == PAIR and came.method == "POST":
        return await _pair(_json(came.body), on)
    route = ROUTES.get((came.method, came.path))
    if route is None:
        raise DeskRefused("no_such_path")
    _check_signed(came)
    from shared.usecases.desk.desks import proven

    desk = await proven(came.headers, Asking(came.method, came.path, came.body), services(on))
    return await route(desk, _json(came.body), services(on), on)


def _check_signed(came: Incoming) -> None:
    """Refuse who signs nothing before anything is loaded that could check it."""
    try:
        DeskSignature.of(came.headers)
    except SignedRefused as refusal:
        raise DeskRefused(refusal.reason) from None


async def _pair(body: Json, on: Platform) -> Json:
    from shared.usecases.desk import pairing

    return await pairing.pair(pairing.Pair.of(body), services(on))


async def _pull(desk: "KnownDesk", body: Json, on: DeskServices, _: Platform) -> Json:
    from shared.usecases.desk import relay

    wait, known = body.get("wait", 0), body.get("known", [])
    named = [each for each in known if isinstance(each, str)] if isinstance(known, list) else []
    patience = float(wait) if isinstance(wait, int | float) else 0.0
    return await relay.pull(desk, patience, named, on, relay.Able.of(body))


async def _hear(desk: "KnownDesk", body: Json, on: DeskServices, _: Platform) -> Json:
    from shared.usecases.desk import relay

    return await relay.hear(desk, relay.JobStep.of(body), on)


async def _arrivals(desk: "KnownDesk", _: Json, on: DeskServices, __: Platform) -> Json:
    from shared.usecases.desk import arrivals

    return {"arrivals": await arrivals.arrivals_for(desk, on)}


async def _certificate(desk: "KnownDesk", _: Json, on: DeskServices, __: Platform) -> Json:
    from shared.usecases.desk import certificates

    return {"certificate": await certificates.renew(desk, on)}


async def _order(desk: "KnownDesk", body: Json, on: DeskServices, _: Platform) -> Json:
    from shared.usecases.desk import at_counter

    return await at_counter.ordered(desk, body, on)


async def _push(desk: "KnownDesk", body: Json, on: DeskServices, _: Platform) -> Json:
    from shared.usecases.desk import push

    return await push.push(desk, body, on)


async def _witness_request(_: "KnownDesk", body: Json, __: DeskServices, on: Platform) -> Json:
    from shared.usecases.audit.services import AuditServices
    from shared.usecases.desk import witness

    return await witness.requested(body, AuditServices.on(on))


async def _witness_cosign(_: "KnownDesk", body: Json, __: DeskServices, on: Platform) -> Json:
    from shared.usecases.audit import witnessing
    from shared.usecases.audit.services import AuditServices

    return await witnessing.cosign(body, AuditServices.on(on))


ROUTES: Final[Mapping[tuple[str, str], Route]] = {
    ("POST", "/edge/v1/jobs/pull"): _pull,
    ("POST", "/edge/v1/jobs/step"): _hear,
    ("POST", "/edge/v1/arrivals"): _arrivals,
    ("POST", "/edge/v1/certificate"): _certificate,
    ("POST", "/edge/v1/orders"): _order,
    ("POST", "/sync/v1/push"): _push,
    ("POST", "/edge/v1/witness/request"): _witness_request,
    ("POST", "/edge/v1/witness/cosign"): _witness_cosign,
}


def _json(body: bytes) -> Json:
    try:
        told = orjson.loads(body or b"{}")
    except orjson.JSONDecodeError:
        told = None
    if not isinstance(told, dict):
        raise InvalidInput("body", "not a JSON object", "send one")
    return told
