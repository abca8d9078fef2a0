"""A whole fleet that makes a key a request: `... key_fleet HOME PORT VENDOR VENDOR_PORT [https] [alone]`.

Besides what every fleet serves, `POST /_bench/keys` with the number of a stay publishes its booking and is
answered when the key's `issued` is published, so that nobody has to ask whether it is; `POST /_bench/ends`
publishes that its guest has left, and is answered when `revoke_settled` is. A GET is answered with what the
fleet has counted, once nothing is under way. With `alone`, nobody hears of a key beside those who make it.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import orjson
import uvloop
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from infra.bench.hotel import PROPERTY, ROOMS, TENANT, account, hotel, room
from infra.bench.programs.serving import serve
from infra.local.ambient import SystemClock
from infra.local.fleet import Fleet
from infra.local.sample.load import move_in
from infra.local.server import spare_the_collector
from infra.local.storage.engine import LAZY_SECONDS
from infra.local.transport import Sockets
from infra.local.world import FleetConfig, World
from infra.manifest.load import Manifest, load_manifest
from infra.manifest.topics import topics_of
from shared.events.wire import write_instant
from shared.ports.bus import EventBus, Message
from shared.runtime.platform import bind
from shared.vendor_kit.accounts import account_secret
from shared.vendor_kit.guard import GuardPolicy
from shared.vendor_kit.http import Answer, Call

PATH, LEFT = "/_bench/keys", "/_bench/ends"
VENDOR_NAME = "vendor.example"
BOOKED = "melmastoon.reservation.booking.confirmed.v1"
CHECKED_OUT = "melmastoon.reservation.booking.checked_out.v1"
ENDS = {
    "melmastoon.lock.credential.issued.v1": 200,
    "melmastoon.lock.credential.failed.v1": 500,
    "melmastoon.lock.credential.revoke_settled.v1": 200,
}
UNHURRIED = GuardPolicy(limit=None)
ALONE = "alone"
WHO_MAKES_KEYS = "on-booking-confirmed"
FIRST_DAY, NIGHT = timedelta(days=30), timedelta(days=1)
"""Keys are usually made long before the guest comes; the next one has the room when the last one leaves."""


@dataclass(frozen=True, slots=True)
class Listening:
    """The fleet's bus, with somebody who hears what became of each key."""

    bus: EventBus
    waiting: dict[str, asyncio.Future[int]] = field(default_factory=dict)

    async def publish(self, topic: str, messages: Sequence[Message]) -> tuple[str, ...]:
        """Publish, and tell whoever waits for this event that it is published."""
        ids = await self.bus.publish(topic, messages)
        if topic in ENDS:
            for message in messages:
                waiting = self.waiting.pop(orjson.loads(message.data)["correlationId"], None)
                if waiting is not None:
                    waiting.set_result(ENDS[topic])
        return ids


class KeyDesk:
    """The fleet's own application, with the bench's path before it."""

    def __init__(self, fleet: Fleet, heard: Listening) -> None:
        self._fleet, self._heard = fleet, heard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        told = {PATH: (BOOKED, booking), LEFT: (CHECKED_OUT, leaving)}.get(scope["path"])
        if told is None:
            await self._fleet(scope, receive, send)
            return
        request = Request(scope, receive)
        answer = await (self._done(request, *told) if request.method == "POST" else self._counted(request))
        await answer(scope, receive, send)

    async def _done(self, request: Request, subject: str, told: Callable[[int], Message]) -> Response:
        number = int(await request.body())
        done = asyncio.get_running_loop().create_future()
        self._heard.waiting[f"rsv_{number}"] = done
        await self._fleet.bus.publish(subject, [told(number)])
        return Response(status_code=await done)

    async def _counted(self, _request: Request) -> Response:
        await self._fleet.sagas.settled()
        await self._fleet.bus.idle()
        await asyncio.sleep(2 * LAZY_SECONDS)  # acknowledgements and the ends of sagas are kept by then
        return JSONResponse(dict(self._fleet.counters))


def booking(
    number: int, rooms: int = ROOMS, begins: timedelta = FIRST_DAY, lasts: timedelta = NIGHT
) -> Message:
    """Return the confirmation of a stay in one room, as reservation-service publishes it."""
    now = SystemClock().now()
    arrival = now.replace(minute=0, second=0, microsecond=0) + begins + lasts * (number // rooms)
    data = {
        "propertyId": PROPERTY,
        "guest": {"id": f"gst_{number}", "displayName": "A Guest"},
        "rooms": [room(number, rooms)],
        "validFrom": write_instant(arrival),
        "validUntil": write_instant(arrival + lasts),
    }
    return _event(number, BOOKED, f"evt_{number}", data)


def leaving(number: int) -> Message:
    """Return that the guest of a stay has left."""
    return _event(number, CHECKED_OUT, f"out_{number}", {})


def _event(number: int, subject: str, name: str, data: Mapping[str, object]) -> Message:
    event = {
        "specVersion": "1.0",
        "id": name,
        "subject": subject,
        "type": subject,
        "time": write_instant(SystemClock().now()),
        "tenantId": TENANT,
        "data": {"reservationId": f"rsv_{number}", **data},
    }
    return Message(json.dumps(event).encode(), {"subject": subject, "tenantId": TENANT}, f"rsv_{number}")


class ToThisMachine(Sockets):
    """The vendor's name leads to this machine: no fleet calls a bare address over TLS."""

    def __init__(self, port: str) -> None:
        super().__init__()
        self._here = f"https://127.0.0.1:{port}"

    async def send(self, call: Call) -> Answer:
        """Send a call where the name leads."""
        return await super().send(replace(call, url=call.url.replace(f"https://{VENDOR_NAME}", self._here)))


def only_who_is_waited_for() -> Manifest:
    """Return the fleet without who hears of a booking or of a key and is waited for by none."""
    manifest = load_manifest()
    kept = {
        name: function
        for name, function in manifest.functions.items()
        if name == WHO_MAKES_KEYS or not {BOOKED, *ENDS}.intersection(topics_of(function.deployable.trigger))
    }
    return replace(manifest, functions=kept)


async def main(home: Path, port: int, vendor: str, vendor_port: str, how: Collection[str]) -> None:
    """Serve until killed."""
    over_tls = "https" in how
    address = f"https://{VENDOR_NAME}" if over_tls else f"http://127.0.0.1:{vendor_port}"
    outside = ToThisMachine(vendor_port) if over_tls else Sockets()
    manifest = only_who_is_waited_for() if ALONE in how else load_manifest()
    world = World(guard_policy=UNHURRIED, outside=outside)
    fleet = Fleet(FleetConfig(home, port), world, manifest)
    await fleet.start()
    try:
        await move_in(hotel(vendor), fleet.documents, SystemClock().now())
        name = account_secret(hotel(vendor).devices[0].vendor, TENANT, PROPERTY)
        await fleet.platform.secrets.add(name, account(vendor, address))
        heard = Listening(fleet.bus)
        bind(replace(fleet.platform, bus=heard))
        spare_the_collector()
        await serve(KeyDesk(fleet, heard), port)
    finally:
        await fleet.stop()


if __name__ == "__main__":
    _, home, port, vendor, vendor_port, *how = sys.argv
    uvloop.run(main(Path(home), int(port), vendor, vendor_port, how))
