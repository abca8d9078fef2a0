"""Entry points of front desks: theirs, where every request but the first is signed, and their operators'."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from shared.runtime.entry import public, step
from shared.runtime.incoming import API_BYTES, Incoming
from shared.runtime.platform import Platform

if TYPE_CHECKING:
    from shared.usecases.desk.services import DeskServices

Body = Mapping[str, Any]


def _services(on: Platform) -> "DeskServices":
    from shared.runtime.keys import services_of
    from shared.usecases.desk.services import DeskServices

    return DeskServices(services_of(on), on.sealed, on.cipher)


@public(limit=API_BYTES, methods=("GET", "POST"))
async def edge_gateway(came: Incoming, on: Platform) -> Response:
    """Answer a front desk."""
    from functions.edge_gateway.desk_routes import answer

    return await answer(came, _services(on), on)


@step
async def desk_orders(body: Body, on: Platform) -> Body:
    """Do what an operator orders of desks."""
    from shared.usecases.desk.orders import order

    return await order(body, _services(on))
