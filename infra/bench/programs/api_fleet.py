"""A fleet whose API is asked, with the bench's hotel in it: `... api_fleet HOME PORT`."""

import sys
from pathlib import Path

import uvloop

from infra.bench.hotel import MOCK, PROPERTY, TENANT, hotel
from infra.bench.programs.serving import serve
from infra.local.ambient import SystemClock
from infra.local.fleet import open_fleet
from infra.local.sample.load import move_in
from infra.local.server import spare_the_collector
from infra.local.world import FleetConfig
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.runtime.platform import bind
from shared.vendor_kit.accounts import account_secret


async def serve_api(home: Path, port: int) -> None:
    """Serve a whole fleet until killed."""
    async with open_fleet(FleetConfig(home, port)) as fleet:
        await move_in(hotel(MOCK), fleet.documents, SystemClock().now())
        name = account_secret(VendorCode(MOCK), TENANT, PROPERTY)
        await fleet.platform.secrets.add(name, Secret(b"mock://"))
        bind(fleet.platform)
        spare_the_collector()
        await serve(fleet, port)


if __name__ == "__main__":
    _, home, port = sys.argv
    Path(home).mkdir(parents=True, exist_ok=True)
    uvloop.run(serve_api(Path(home), int(port)))
