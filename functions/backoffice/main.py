"""Entry points of the backoffice; what each asks for is loaded with its first request."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shared.domain.errors import InvalidInput
from shared.events.backoffice.catalogue import ROOT, Group
from shared.runtime.api import api
from shared.runtime.delivery import Delivery
from shared.runtime.entry import step, taker
from shared.runtime.pages import Page, Visit, page
from shared.runtime.platform import QUARANTINE_TOPIC, Platform
from shared.runtime.service import service

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from shared.runtime.routes import Route

Body = Mapping[str, Any]


def _dead_letters_of(delivery: Delivery) -> str:
    """Return where telemetry goes that cannot be read: its group's own place, as its subscription tells."""
    groups = (group for group in Group if delivery.subscription.endswith(group.topic))
    return next((group.dead_letters for group in groups), QUARANTINE_TOPIC)


@taker(_dead_letters_of)
async def keep_telemetry(delivery: Delivery, on: Platform) -> None:
    """Keep an event of telemetry until its class says that it goes."""
    from shared.usecases.telemetry import keep

    found = delivery.subscription.find(ROOT)
    topic = delivery.subscription[found:] if found >= 0 else ""
    await keep.keep_telemetry(delivery.data, topic, on.documents)


@step
async def telemetry_peppers(_body: Body, on: Platform) -> Body:
    """Turn every tenant's peppers, where it is time."""
    from functions.backoffice.services import peppers_of
    from shared.queries.hotels import Cell
    from shared.usecases.telemetry.peppers import turn_peppers

    tenants = await Cell(on.documents, on.cell).tenants()
    return {"turned": await turn_peppers(tenants, peppers_of(on), on.log)}


@step
async def count_days(_body: Body, on: Platform) -> Body:
    """Count every tenant's days that are over."""
    from shared.queries.hotels import Cell
    from shared.usecases.operations import count_days as counting

    tenants = await Cell(on.documents, on.cell).tenants()
    return await counting.count_days(tenants, on.documents, on.clock.now(), on.log)


@step
async def telemetry_flags(body: Body, on: Platform) -> Body:
    """List flags, turn one, or drop one."""
    from shared.usecases.telemetry import flags

    kept, now, done = flags.DocumentFlags(on.documents), on.clock.now(), body.get("do", "list")
    match done:
        case "list":
            return {"flags": [flags.shown_flag(each, now) for each in await kept.read()]}
        case "turn":
            await kept.turn(flags.read_flag({name: body[name] for name in body if name != "do"}), now)
            return {"turned": 1}
        case "drop":
            return {"dropped": await kept.drop(str(body.get("subject")), body.get("tenant"))}
    raise InvalidInput("do", "not among what can be done", "Say list, turn or drop")


@api
def backoffice() -> "Sequence[Route]":
    """Return every route of /bff/v1."""
    from functions.backoffice import (
        board_routes,
        desktop_routes,
        inbox_routes,
        lock_routes,
        session_routes,
    )

    return (
        *session_routes.ROUTES,
        *board_routes.ROUTES,
        *inbox_routes.ROUTES,
        *desktop_routes.ROUTES,
        *lock_routes.ROUTES,
    )


@taker(lambda _: QUARANTINE_TOPIC)
async def hear_neighbours(delivery: Delivery, on: Platform) -> None:
    """Let what neighbours tell have its effect at the backoffice: once a day at most (C §15)."""
    from functions.backoffice.services import teller_of
    from shared.events.backoffice.heard import read_heard
    from shared.usecases.backoffice.hear import hear
    from shared.usecases.backoffice.listening import bell_of

    event = read_heard(delivery.data)
    store = await on.hotels.admit(event.tenant)
    for place in await hear(event, store, teller_of(on)):
        await on.nudges.ring(store.tenant, bell_of(place))


@service
def backoffice_feed(on: Platform) -> "ASGIApp":
    """Build what streams to open desktops."""
    from functions.backoffice.streaming import streaming_app

    return streaming_app(on)


@step
async def console_orders(body: Body, on: Platform) -> Body:
    """Do what somebody at the console ordered."""
    from shared.runtime.keys import services_of
    from shared.usecases.operations.console_orders import Hands, console_order
    from shared.usecases.reconcile.ask_lock import Asking
    from shared.usecases.upkeep.close_residue import Vault

    services = services_of(on)
    asking = Asking(on.documents, on.cell, on.sagas, services)
    return await console_order(body, Hands(Vault(on.sealed, on.cipher), services, asking))


@page()
async def backoffice_console(request: Visit, on: Platform) -> Page:
    """Show the hotel's people what their desks, managers and operators look at."""
    from functions.backoffice.console import visit

    return await visit(request, on)
