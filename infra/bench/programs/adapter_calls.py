"""One adapter, asked for keys by many at once: `... HOME PORT CODE DIALECT TLS_PORT SECONDS`, JSON on stdout.

Of each key: how long it took, and how much of that its vendor says was the vendor's own time. The first key
of each door is asked for in one instant, and told apart: it waits for the work of all others. Between two
keys nobody waits for a door, a gateway or a limit: those are the hotel's.
"""

import asyncio
import sys
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import uvloop

from infra.bench import hotel
from infra.bench.programs.key_fleet import UNHURRIED
from infra.bench.programs.vendor_over_tls import TIMING
from infra.local.ambient import SystemClock
from infra.local.fleet import Fleet, open_fleet
from infra.local.server import spare_the_collector
from infra.local.transport import Sockets
from infra.local.world import FleetConfig, World
from infra.simulators.kit.vendor import Dialect
from infra.simulators.registry import simulated_vendor
from shared.domain.grant import name_at_vendor
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.policy import KeyKindPolicy
from shared.domain.secret import Secret
from shared.ports.lock import LockKey, LockVendor
from shared.vendor_kit.binding import AdapterPorts, Binding
from shared.vendor_kit.http import Answer, Call
from shared.vendor_kit.registry import opener_of

MANY = 32
SPENT: ContextVar[list[float]] = ContextVar("spent")


class Timing(Sockets):
    """Calls whom the vendor's name leads to on this machine, and notes what it says it took."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._here = f"https://127.0.0.1:{port}"

    async def send(self, call: Call) -> Answer:
        """Send a call where the name leads."""
        parts = urlsplit(call.url)
        url = f"{self._here}{call.url.removeprefix(f'{parts.scheme}://{parts.netloc}')}"
        answer = await super().send(replace(call, url=url))
        SPENT.get().append(float(answer.headers[TIMING.decode()].rpartition("=")[2]))
        return answer


@dataclass(frozen=True, slots=True)
class Asking:
    """An adapter, and what it is asked for."""

    vendor: LockVendor
    dialect: Dialect
    binding: Binding

    async def key(self, door: int, number: int) -> tuple[float, float]:
        """Have a key made at a door; return how long it took, and the vendor's part of it."""
        spent: list[float] = []
        SPENT.set(spent)
        now = SystemClock().now()
        key = LockKey(
            device_id=self.binding.devices[door].id,
            kind=KeyCredentialKind(self.dialect.kind),
            name=name_at_vendor(f"{number}"),
            valid_from=now.replace(minute=0, second=0, microsecond=0),
            valid_until=now.replace(minute=0, second=0, microsecond=0) + timedelta(days=2),
            idempotency_key=f"bench-{number}",
            secret=Secret(self.dialect.artifact(number)),
            intent_predates=False,
        )
        began = time.perf_counter()
        await self.vendor.place(key)
        return (time.perf_counter() - began) * 1e3, sum(spent)

    async def row(self, door: int, numbers: Iterator[int], until: float) -> list[tuple[float, float]]:
        """Have keys made at one door, one after the other: two at least."""
        took = [await self.key(door, next(numbers)), await self.key(door, next(numbers))]
        while time.perf_counter() < until:
            took.append(await self.key(door, next(numbers)))
        return took


def asking(fleet: Fleet, code: str, dialect: Dialect) -> Asking:
    """Open an adapter over a fleet's own store."""
    on, house = fleet.platform, hotel.hotel(code)
    binding = Binding(
        vendor=VendorCode(code),
        tenant=hotel.TENANT,
        property=house.property,
        devices=tuple(replace(each, capabilities=hotel.ABLE_OF_ALL) for each in house.devices),
        policy=KeyKindPolicy(),
        account=Secret(orjson.dumps(dialect.account(dialect.address))),
    )
    means = AdapterPorts(
        http=on.http,
        clock=on.clock,
        entropy=on.entropy,
        leases=on.leases,
        documents=on.documents,
        sealed=on.sealed,
        cipher=fleet.cipher,
        guards=on.guards,
    )
    return Asking(opener_of(binding.vendor)(binding, means), dialect, binding)


async def main(home: Path, port: int, code: str, dialect: str, tls_port: int, seconds: float) -> None:
    """Ask for as long as is said, after a key at each door that nobody counts."""
    spoken = next(each for each in simulated_vendor(code).dialects if each.name == dialect)
    world = World(guard_policy=UNHURRIED, outside=Timing(tls_port))
    async with open_fleet(FleetConfig(home, port), world) as fleet:
        asked, numbers = asking(fleet, code, spoken), iter(range(1, 900_000))
        spare_the_collector()
        await asyncio.gather(*(asked.row(door, numbers, 0) for door in range(MANY)))
        cpu, until = time.process_time(), time.perf_counter() + seconds
        rows = await asyncio.gather(*(asked.row(door, numbers, until) for door in range(MANY)))
        each = (time.process_time() - cpu) * 1e3 / sum(map(len, rows))
        took = [key for _, *others in rows for key in others]
        told = {"at_once": [first for first, *_ in rows], "took": took, "cpu_ms_each": each}
        sys.stdout.write(orjson.dumps(told).decode())


if __name__ == "__main__":
    _, home, port, code, dialect, tls_port, seconds = sys.argv
    uvloop.run(main(Path(home), int(port), code, dialect, int(tls_port), float(seconds)))
