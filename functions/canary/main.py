"""Entry points of vendors' next builds on trial."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shared.runtime.api import api
from shared.runtime.entry import step
from shared.runtime.platform import Platform

if TYPE_CHECKING:
    from shared.runtime.routes import Route

Body = Mapping[str, Any]


@api
def canary_api() -> "Sequence[Route]":
    """Return what people may do about next builds."""
    from functions.canary.canary_routes import ROUTES

    return ROUTES


@step
async def canary_steps(body: Body, on: Platform) -> Body:
    """Look at a next build on trial, and say when to look again, or how it ended."""
    from shared.runtime.keys import services_of
    from shared.usecases.canary.look import LookAtBuild, look_at_build

    return await look_at_build(LookAtBuild.of(body), services_of(on))
