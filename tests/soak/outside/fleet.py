"""A fleet as `keyfleet up --sample` serves it, at a vendor that takes as many calls as one likes.

At TTLock's hundred calls a minute a thousand bookings would take hours; a sandbox's clock can be moved, but
not while a call is under way.
"""

import sys
from dataclasses import replace
from pathlib import Path

from infra.local.server import serve
from infra.local.world import FleetConfig, World
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.guard import GuardPolicy

ENOUGH = GuardPolicy(limit=Limit(calls=60_000, spare=600))


def main(home, port, vendor_port):
    """Serve until told to stop."""
    config = FleetConfig(Path(home), int(port), sample=True, simulator_port=int(vendor_port))
    serve(config, replace(World.of(config), guard_policy=ENOUGH))


if __name__ == "__main__":
    main(*sys.argv[1:])
