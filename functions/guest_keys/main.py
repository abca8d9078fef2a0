"""Entry points for guests: their page, and what a tenant's booking service asks for them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shared.runtime.api import api

if TYPE_CHECKING:
    from shared.runtime.routes import Route


@api
def guest_api() -> "Sequence[Route]":
    """Return every route of /guest/v1."""
    from functions.guest_keys.service_routes import ROUTES

    return ROUTES
