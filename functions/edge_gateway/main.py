"""Entry points of front desks: theirs, where every request but the first is signed, and their operators'."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from shared.runtime.entry import public, step
from shared.runtime.incoming import API_BYTES, Incoming
from shared.runtime.platform import Platform

Body = Mapping[str, Any]


@public(limit=API_BYTES, methods=("GET", "POST"))
async def edge_gateway(came: Incoming, on: Platform) -> Response:
    """Answer a front desk."""
    from functions.edge_gateway.desk_routes import answer

    return await answer(came, on)


@step
async def desk_orders(body: Body, on: Platform) -> Body:
    """Do what an operator orders of desks."""
    from functions.edge_gateway.desk_routes import services
    from shared.usecases.desk.orders import order

    return await order(body, services(on))
