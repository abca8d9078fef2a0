"""A fleet to whose streams desktops listen: `... desktops HOME PORT`.

Besides what every fleet serves, `POST /_bench/news` tells the hotel's desktops something, as what is heard of
a neighbour does: in the feed, and by its bell.
"""

import itertools
import sys
from pathlib import Path
from typing import Final

import uvloop
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from infra.bench.hotel import MOCK, PROPERTY, TENANT, hotel
from infra.bench.programs.serving import serve
from infra.local.ambient import SystemClock
from infra.local.fleet import Fleet, open_fleet
from infra.local.sample.load import move_in
from infra.local.server import spare_the_collector
from infra.local.world import FleetConfig
from shared.usecases.backoffice.feed import feed_of
from shared.usecases.backoffice.listening import bell_of

PATH: Final = "/_bench/news"
WORD: Final = "alerts.new"


class NewsDesk:
    """The fleet's own application, with the bench's path before it."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet, self._numbers = fleet, itertools.count()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["path"] != PATH:
            await self._fleet(scope, receive, send)
            return
        on = self._fleet.platform
        store = on.documents.tenant(TENANT)
        feed = await feed_of(PROPERTY, store)
        await feed.told(WORD, f"alt_{next(self._numbers)}", on.clock.now()).saved(store)
        await on.nudges.ring(TENANT, bell_of(PROPERTY))
        await Response(status_code=204)(scope, receive, send)


async def main(home: Path, port: int) -> None:
    """Serve until killed."""
    async with open_fleet(FleetConfig(home, port)) as fleet:
        await move_in(hotel(MOCK), fleet.documents, SystemClock().now())
        spare_the_collector()
        await serve(NewsDesk(fleet), port)


if __name__ == "__main__":
    _, home, port = sys.argv
    Path(home).mkdir(parents=True, exist_ok=True)
    uvloop.run(main(Path(home), int(port)))
