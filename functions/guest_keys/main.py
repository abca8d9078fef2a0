"""Entry points for guests: their page, and what a tenant's booking service asks for them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shared.runtime.api import api
from shared.runtime.entry import step
from shared.runtime.pages import Page, Visit, page
from shared.runtime.platform import Platform

if TYPE_CHECKING:
    from shared.runtime.routes import Route

Body = Mapping[str, Any]
GUESTS = "usr_a_guest"
"""On whose word a code is renewed that its own guest complained of."""


@api
def guest_api() -> "Sequence[Route]":
    """Return every route of /guest/v1."""
    from functions.guest_keys.service_routes import ROUTES

    return ROUTES


@page()
async def guest_page(request: Visit, on: Platform) -> Page:
    """Show guests their keys, once they have shown whose stay it is."""
    from functions.guest_keys.key_page import answer

    return await answer(request, on)


@step
async def renew_code(body: Body, on: Platform) -> Body:
    """Replace a code that its guest says does not work."""
    from shared.runtime.keys import services_of
    from shared.usecases.upkeep.end_one_key import KeyOrder, renew_key

    return await renew_key(KeyOrder.of({**body, "by": GUESTS}), services_of(on))
