"""A backoffice of a hotel whose rooms are all taken: `... backoffice HOME PORT ROOMS [composed]`.

`composed` forgets what was read before each page, so that every widget of it is read anew, and waits for all
of them; two pages that are asked for at the same instant share a reading, as they do in a hotel.
"""

import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

import uvloop

from functions.backoffice.services import BOARDS
from infra.bench.hotel import MOCK, PROPERTY, TENANT, hotel
from infra.bench.programs.key_fleet import BOOKED, UNHURRIED, booking
from infra.bench.programs.serving import serve
from infra.local.ambient import SystemClock
from infra.local.fleet import Fleet, open_fleet
from infra.local.sample.load import move_in
from infra.local.server import spare_the_collector
from infra.local.world import FleetConfig, World
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.queries.composing import Boards, Composed, Read
from shared.vendor_kit.accounts import account_secret

PATIENCE_SECONDS: Final = 30.0
STAY: Final = timedelta(days=3)
COMES, IS_HERE, LEAVES = timedelta(0), timedelta(days=-1), timedelta(hours=2) - STAY
"""When stays of three days begin, from this hour on: of every four, one is due, one leaves, and two are here.

Though the hour changes meanwhile: who is due comes today, and nobody has left before their key is made.
"""
BEGINS: Final = (COMES, IS_HERE, LEAVES, IS_HERE)


class Forgetful(Boards):
    """Boards that were never read before."""

    async def compose(self, tenant: str, house: str, epoch: int, reads: Mapping[str, Read]) -> Composed:
        """Read every widget anew."""
        self.forget()
        return await super().compose(tenant, house, epoch, reads)


async def fill(fleet: Fleet, rooms: int) -> None:
    """Have a key made for a guest in every room."""
    name = account_secret(VendorCode(MOCK), TENANT, PROPERTY)
    await fleet.platform.secrets.add(name, Secret(b"mock://"))
    for number in range(rooms):
        await fleet.bus.publish(BOOKED, [booking(number, rooms, BEGINS[number % len(BEGINS)], STAY)])
    await fleet.bus.idle()
    await fleet.sagas.settled()


async def main(home: Path, port: int, rooms: int, *, composed: bool) -> None:
    """Serve until killed."""
    async with open_fleet(FleetConfig(home, port), World(guard_policy=UNHURRIED)) as fleet:
        await move_in(hotel(MOCK, rooms), fleet.documents, SystemClock().now())
        await fill(fleet, rooms)
        if composed:
            fleet.platform.kept[BOARDS] = Forgetful(
                fleet.platform.clock, fleet.platform.log, PATIENCE_SECONDS
            )
        spare_the_collector()
        await serve(fleet, port)


if __name__ == "__main__":
    _, home, port, rooms, *rest = sys.argv
    Path(home).mkdir(parents=True, exist_ok=True)
    uvloop.run(main(Path(home), int(port), int(rooms), composed=bool(rest)))
