"""A backup is put back elsewhere, and what it does not know is found at the doors.

A small hotel by a clock that takes no time, its doors those of the vendor's simulator; the backup is of a
fleet that runs, and restored by the same code as `keyfleet backup`. Nothing real is touched.
"""

import asyncio
import io
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

from infra.cli.answer import Answer, Telling, line, plain
from infra.cli.demo.claim import Claim, Proof
from infra.cli.demo.stay import TENANT
from infra.cli.demo.week import home
from infra.cli.demo.week_house import FRONT, WeekHouse, hotel_time
from infra.cli.polling import Patience
from infra.local.backup import back_up, restore
from infra.local.fleet import open_fleet
from infra.local.simulation.loop import VirtualClock, run_virtually
from infra.local.world import FleetConfig, World
from shared.domain.instants import instant_to_text
from shared.kernel.log import Log

ROOM, OTHER, NEW = "Room 101", "Room 102", "Room 203"
STAYS: Final = {"rsv_off": "rmu_101", "rsv_stays": "rmu_102", "rsv_new": "rmu_203"}
BY: Final = "usr_drill"
LONG_ENOUGH: Final = 600.0
SINCE: Final = {ROOM: 0, OTHER: 1, NEW: 1, FRONT: 2}
"""So many codes are at each door since the backup."""
Seen = Mapping[str, Any]


def drilled() -> Telling:
    """Back a fleet up, lose it, restore it elsewhere, and compare with its locks: what is found, is told."""
    patience = Patience()
    yield line(plain("keyfleet drill", "bold"), ": a fleet is lost, and comes back as it was an hour before.")
    with home() as folder:
        claims = run_virtually(lambda clock: _all(folder.parent, clock, patience), 0)
    for claim in claims:
        yield claim.said()
    held = all(claim.held for claim in claims)
    facts = {"held": held, "claims": [claim.described() for claim in claims]}
    settled, failed = "✓ What the backup did not know was found, and settled.", "✗ The drill failed."
    verdict = plain(settled, "bold green") if held else plain(failed, "bold red")
    return Answer(facts, (line("\n", verdict),), int(not held))


async def _all(place: Path, clock: VirtualClock, patience: Patience) -> list[Claim]:
    claims, house, began = list[Claim](), WeekHouse(clock), patience.seconds()
    async for name, text, proof in _played(place, house):
        claims.append(Claim(name, text, proof.held, round(patience.seconds() - began, 3), proof.seen))
        began = patience.seconds()
    return claims


async def _played(place: Path, house: WeekHouse) -> AsyncIterator[tuple[str, str, Proof]]:
    backup, scratch = place / "backup", place / "scratch"
    async with open_fleet(FleetConfig(place / "lost", sample=True), _world(house)) as house.fleet:
        yield await _backed_up(house, place / "lost", backup)
        yield await _since(house)
    restore(backup, scratch)
    async with open_fleet(FleetConfig(scratch, sample=True), _world(house)) as house.fleet:
        yield await _compared(house)
        yield await _told_again(house)


def _world(house: WeekHouse) -> World:
    log = Log("keyfleet", io.StringIO(), house.clock.now)
    return World(clock=house.clock, outside=house, threaded=False, log=log)


async def _backed_up(house: WeekHouse, lost: Path, backup: Path) -> tuple[str, str, Proof]:
    for stay in ("rsv_off", "rsv_stays"):
        await _book(house, stay)
    back_up(lost, backup)
    seen = await _codes(house)
    held = seen == {ROOM: 1, OTHER: 1, NEW: 0, FRONT: 2}
    return "backup", "Two guests have keys, and the running fleet is backed up.", Proof(held, seen)


async def _since(house: WeekHouse) -> tuple[str, str, Proof]:
    await house.tell("cancelled", "rsv_off")
    await _book(house, "rsv_new")
    await asyncio.sleep(LONG_ENOUGH)
    seen = await _codes(house)
    text = "Since then one stay was called off, and another booked; then the fleet is lost."
    return "since", text, Proof(seen == SINCE, seen)


async def _compared(house: WeekHouse) -> tuple[str, str, Proof]:
    await asyncio.sleep(LONG_ENOUGH)
    kinds = Counter(each["kind"] for each in await _findings(house))
    doors = await _codes(house)
    held = set(kinds) == {"unknown", "vanished"} and doors == SINCE
    text = "Restored elsewhere, it compares every lock: it finds both, places nothing and removes nothing."
    return "compared", text, Proof(held, {**kinds, **doors})


async def _told_again(house: WeekHouse) -> tuple[str, str, Proof]:
    await house.tell("cancelled", "rsv_off")
    await _book(house, "rsv_new")
    for each in await _findings(house):
        if each["kind"] == "unknown":
            said = {"tenant": TENANT, "finding": each["finding"], "word": "remove", "by": BY}
            await house.order("judge-finding", **said)
    await asyncio.sleep(LONG_ENOUGH)
    left = [each["kind"] for each in await _findings(house)]
    doors = await _codes(house)
    held = not left and doors == SINCE
    text = "Told again what it missed, and by a person's word: each door has its guests' keys and no other."
    return "reconciled", text, Proof(held, {"left": left, **doors})


async def _codes(house: WeekHouse) -> dict[str, int]:
    return {door: len(await house.at(door)) for door in SINCE}


async def _findings(house: WeekHouse) -> list[Any]:
    return list((await house.ask("findings"))["findings"])


async def _book(house: WeekHouse, stay: str) -> None:
    window = {
        "validFrom": instant_to_text(hotel_time("Mon", "14:00")),
        "validUntil": instant_to_text(hotel_time("Wed", "11:00")),
    }
    guest = {"id": f"gst_{stay.removeprefix('rsv_')}"}
    rooms = {"propertyId": "ppt_kabul", "rooms": [STAYS[stay]]}
    await house.tell("confirmed", stay, guest=guest, **rooms, **window)
