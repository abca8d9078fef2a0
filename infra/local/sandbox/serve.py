"""The sandbox's function: hosted beside the fleet's own where the hotel is a sample, and nowhere else.

It stands in no manifest: Google Cloud is never told of it, and a fleet without a sample hotel has it not.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from infra.local.host.functions import Hosted, host_function
from infra.local.sandbox.doors import SimulatedDoors
from infra.local.sandbox.playing import Playing
from infra.local.world import FleetConfig
from shared.ports.playground import PLAYGROUND
from shared.runtime.api import api
from shared.runtime.platform import Deployed, Platform

if TYPE_CHECKING:
    from shared.runtime.routes import Route

NAME: Final = "sandbox-api"


@api
def sandbox_api() -> "Sequence[Route]":
    """Return every route of /sandbox/v1."""
    from infra.local.sandbox.routes import ROUTES

    return ROUTES


def sandbox_functions(config: FleetConfig, on: Platform) -> Mapping[str, Hosted]:
    """Return the sandbox's function, where this fleet is one."""
    if not on.sandbox:
        return {}
    on.kept[PLAYGROUND] = Playing(SimulatedDoors(config.simulator_url, config.home, on.http))
    address = f"{config.base_url}/{NAME}"
    deployed = Deployed(NAME, address, people=True, roles=frozenset({"documents"}))
    return {NAME: host_function(deployed, sys.modules[__name__], "sandbox_api")}
