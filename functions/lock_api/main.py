"""Entry point of the API; its routes are loaded with the first request."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shared.runtime.api import api

if TYPE_CHECKING:
    from shared.runtime.routes import Route


@api
def lock_api() -> "Sequence[Route]":
    """Return every route of /lock/v1."""
    from functions.lock_api.table import ROUTES

    return ROUTES
