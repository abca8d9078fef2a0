"""Entry point of the function that shows a PIN; its route is loaded with the first request."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shared.runtime.api import api

if TYPE_CHECKING:
    from shared.runtime.routes import Route


@api
def lock_reveal() -> "Sequence[Route]":
    """Return the one route there is."""
    from functions.lock_reveal.reveal import ROUTES

    return ROUTES
