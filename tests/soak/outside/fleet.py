"""A fleet as `keyfleet up --sample` serves it, at a vendor that takes as many calls as one likes.

At TTLock's hundred calls a minute a thousand bookings would take hours. A sandbox's clock can be moved, but
not while an adapter works: its call, made later than it may take, would be an effect out of nowhere. So this
one counts, among what its status tells, how many of its adapters' steps are under way.
"""

import sys
from dataclasses import replace
from pathlib import Path

from infra.local.host.app import Host
from infra.local.server import serve
from infra.local.world import FleetConfig, World
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.guard import GuardPolicy

ENOUGH = GuardPolicy(limit=Limit(calls=60_000, spare=600))
UNDER_WAY = "steps_under_way"


def _counted(call):
    async def counting(host, hosted, *how):
        step = hosted.deployed.name.startswith("adapter-")
        host._counters[UNDER_WAY] += step
        try:
            return await call(host, hosted, *how)
        finally:
            host._counters[UNDER_WAY] -= step

    return counting


def main(home, port, vendor_port):
    """Serve until told to stop."""
    Host._call = _counted(Host._call)
    config = FleetConfig(Path(home), int(port), sample=True, simulator_port=int(vendor_port))
    serve(config, replace(World.of(config), guard_policy=ENOUGH))


if __name__ == "__main__":
    main(*sys.argv[1:])
