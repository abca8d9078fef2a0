"""A day of a few properties, really played: the fleet's own code, by a virtual clock."""

import asyncio
import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final

import orjson

from infra.capacity.counted import CountedFleet
from infra.capacity.tally import DAY, MINUTE, Tally
from infra.capacity.town import MIDNIGHT, SHARES, Locks, client_of, described, event_of, house_of, stays_of
from infra.local.ambient import SeededEntropy
from infra.local.sample.load import sample_vendor
from infra.local.simulation.loop import BEGINNING, VirtualClock, run_virtually
from infra.local.world import FleetConfig, World
from infra.manifest.load import load_manifest
from infra.simulators.registry import simulated_vendor
from shared.domain.ids import PropertyId, TenantId
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.kernel.log import Log
from shared.ports.bus import Message
from shared.vendor_kit.accounts import account_secret
from shared.vendor_kit.http import Call

BEFORE: Final = (MIDNIGHT - BEGINNING).total_seconds()
DAYS: Final = len(SHARES)
SETTLED: Final = 6 * 3600
CLOUD: Final = "http://127.0.0.1:8788"


Span = tuple[float, float]
"""From one second to another."""


@dataclass(frozen=True, slots=True)
class Execution:
    """An execution: of which workflow and work, and from when to when, in seconds since that midnight."""

    workflow: str
    began: float
    ended: float
    steps: int
    saga: str = ""


@dataclass(frozen=True, slots=True)
class Played:
    """What became of a day: what was counted, and in which states its keys are after it."""

    houses: int
    tally: Tally
    executions: tuple[Execution, ...]
    states: dict[str, int]


def played(home: Path, houses: int, seed: int = 0, outage: Span | None = None) -> Played:
    """Play a day's guests of so many houses, whose vendor answers nobody during an outage, each day."""

    async def main(clock: VirtualClock) -> Played:
        return await _played(home, houses, seed, clock, outage)

    return run_virtually(main, seed)


async def _played(home: Path, houses: int, seed: int, clock: VirtualClock, outage: Span | None) -> Played:
    tally, chance = Tally(midnight=MIDNIGHT.timestamp()), Random(seed)  # noqa: S311 - repeatable on purpose

    def called(call: Call) -> None:
        at = asyncio.get_running_loop().time() - BEFORE
        tally.vendor.append((house_of(call), at))
        tally.count("calls of vendors", at)

    def down() -> bool:
        at = asyncio.get_running_loop().time() - BEFORE
        return outage is not None and at >= 0 and outage[0] <= at % DAY < outage[1]

    world = World(
        clock=clock,
        entropy=SeededEntropy(seed),
        outside=Locks(houses, clock.now, chance, called, down),
        threaded=False,
        log=Log("keyfleet", io.StringIO(), clock.now),
    )
    fleet = CountedFleet(FleetConfig(home), world, load_manifest(), tally)
    await fleet.start()
    try:
        for house in range(houses):
            await _set_up(fleet, house)
        await asyncio.sleep(BEFORE - asyncio.get_running_loop().time())
        await _lived(fleet, houses, chance)
        return Played(houses, tally, tuple(_executions(fleet)), _states(fleet))
    finally:
        await fleet.stop()


async def _set_up(fleet: CountedFleet, house: int) -> None:
    token = fleet.identity.token("operator", fleet.config.control_url)
    call = Call(
        "POST",
        f"{fleet.config.control_url}/hotels",
        {"authorization": f"Bearer {token}"},
        orjson.dumps(described(house)),
        timeout=60,
    )
    answer = await fleet.means.transport.send(call)
    if answer.status != 200:
        raise RuntimeError(f"house {house} could not be set up: {answer.status}")
    vendor = sample_vendor()
    account = {**simulated_vendor(vendor).account(CLOUD), "clientId": client_of(house)}
    name = account_secret(VendorCode(vendor), TenantId(f"tnt_{house}"), PropertyId(f"ppt_{house}"))
    await fleet.platform.secrets.add(name, Secret(orjson.dumps(account)))


async def _lived(fleet: CountedFleet, houses: int, chance: Random) -> None:
    watching = asyncio.ensure_future(_watched(fleet))
    for told in sorted(stays_of(houses, chance)):
        await asyncio.sleep(max(0.0, told.at + BEFORE - asyncio.get_running_loop().time()))
        event = event_of(told, fleet.world.clock.now())
        key = event["data"]["reservationId"]
        await fleet.bus.publish(event["subject"], [Message(orjson.dumps(event), ordering_key=key)])
    await asyncio.sleep(DAYS * 86_400 + SETTLED + BEFORE - asyncio.get_running_loop().time())
    watching.cancel()


async def _watched(fleet: CountedFleet) -> None:
    while True:
        await asyncio.sleep(MINUTE)
        waiting = fleet.tasks.count(failed=False) + sum(fleet.bus.backlog().values())
        fleet.tally.waiting = max(fleet.tally.waiting, waiting)


def _executions(fleet: CountedFleet) -> Iterable[Execution]:
    rows = fleet.means.engine.read(
        "SELECT workflow, started_at, ended_at, steps, json_extract(argument, '$.saga_id') FROM executions",
        (),
    )
    for workflow, began, ended, steps, saga in rows:
        if ended is not None and _since(began) >= 0:
            fleet.tally.count(f"executions of {workflow}", _since(began))
            fleet.tally.count("steps", _since(began), steps)
            yield Execution(workflow, _since(began), _since(ended), steps, saga or "")


def _since(instant: str) -> float:
    return (datetime.fromisoformat(instant) - MIDNIGHT) / timedelta(seconds=1)


def _states(fleet: CountedFleet) -> dict[str, int]:
    rows = fleet.means.engine.read(
        "SELECT json_extract(unpacked(body), '$.credential.state.type') AS state, count(*) FROM packed "
        "WHERE db = 'main' AND collection = 'credentials' GROUP BY state",
        (),
    )
    return dict(rows)
