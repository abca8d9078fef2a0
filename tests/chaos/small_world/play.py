"""Plays one schedule and judges it. A seed that fails is played again, with every line of its trace, by

python -m tests.chaos.small_world.play SEED [tiny|slow|card|set|ttlock|strict]
"""

import asyncio
import sys
from dataclasses import dataclass
from random import Random

import orjson

from infra.local.simulation.loop import run_virtually
from tests.chaos.small_world.card_locks import CardDoors
from tests.chaos.small_world.hotel import doors_of
from tests.chaos.small_world.judge import judge
from tests.chaos.small_world.locks import TinyDoors
from tests.chaos.small_world.onlooker import Onlooker
from tests.chaos.small_world.scene import Scene
from tests.chaos.small_world.set_locks import SetDoors
from tests.chaos.small_world.slow_locks import SlowDoors
from tests.chaos.small_world.staff import drawn_household
from tests.chaos.small_world.stays import drawn_next, drawn_stays
from tests.chaos.small_world.strict_ttlock import StrictTTLockDoors
from tests.chaos.small_world.ttlock import TTLockDoors
from tests.chaos.small_world.unsettled import changing, residues, told_to_people, unsettled
from tests.chaos.small_world.vault import opened_pins
from tests.chaos.small_world.weather import Climate, Weather
from tests.chaos.small_world.world import SmallWorld

MOST_PATIENCE = 10.0
MOST_ORDERS = 20
MOST_SECONDS = 3600
"""Longer than any storm: whoever is refused until then has met a bug, and the judge sees what it left."""
WHEN_RESIDUES_ARE_GONE = 3 * 3600.0
VENDORS = {
    "tiny": TinyDoors,
    "slow": SlowDoors,
    "card": CardDoors,
    "set": SetDoors,
    "ttlock": TTLockDoors,
    "strict": StrictTTLockDoors,
}


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a seed."""

    seed: int
    vendor: str
    problems: list[str]
    trace: list[tuple[float, str, str]]
    words: str

    def __str__(self) -> str:
        told = "\n  ".join(self.problems)
        again = f"python -m tests.chaos.small_world.play {self.seed} {self.vendor}"
        return f"play it again with {again}\n  {told}"


def play(seed: int, vendor: str = "tiny", weather: Weather | None = None) -> Played:
    """Play the schedule of a seed."""

    async def main(clock):
        chance = Random(seed)
        world, stays = _set_up(clock, weather or Weather(chance, Climate.drawn(chance)), VENDORS[vendor])
        stays = drawn_next(seed, stays, clock.now(), max(20.0, world.weather.climate.storm))
        desk_orders = any(stay.freed_at is not None or stay.lost_at is not None for stay in stays)
        storm = max(20.0, world.weather.climate.storm)
        household = drawn_household(seed, clock.now(), storm, may_close=not desk_orders)
        problems = await _happen(world, stays, household)
        return Played(seed, vendor, problems, world.weather.trace, world.fleet.words.getvalue())

    return run_virtually(main, seed)


def _set_up(clock, weather, kind):
    world = SmallWorld(clock, weather, kind)
    return world, drawn_stays(weather.chance, clock.now(), max(20.0, weather.climate.storm))


async def _happen(world, stays, household):
    """Let everything happen, and return what is wrong half an hour after the storm."""
    tellers = [
        world.spawn(_tell(world, told, at))
        for told in (*(each for stay in stays for each in stay.events), *household.events)
        for at in told.at
    ]
    sweeper = asyncio.ensure_future(world.sweep_each_minute())
    onlooker = Onlooker(world)
    looking = asyncio.ensure_future(onlooker.look_each_minute())
    tellers += [world.spawn(_free(world, stay)) for stay in stays if stay.freed_at is not None]
    tellers += [world.spawn(_replace(world, stay)) for stay in stays if stay.lost_at is not None]
    await asyncio.wait(tellers)
    await world.until_quiet()
    scene = _scene(world, stays, household)
    await onlooker.look(settled=not unsettled(scene))
    problems = [*world.witness.protests, *onlooker.protests, *world.doors.protests] + [
        f"the world broke: {error!r}" for error in world.broken
    ]
    problems += [] if changing(scene) else judge(scene)
    if not problems and unsettled(scene):
        # A lock that would not do what it is asked is asked again each hour, until it does.
        await asyncio.sleep(WHEN_RESIDUES_ARE_GONE)
        scene = _scene(world, stays, household)
        known = told_to_people(scene)
        problems = [each for each in judge(scene) + residues(scene) if not any(key in each for key in known)]
    sweeper.cancel()
    looking.cancel()
    return problems


async def _tell(world, told, at):
    await asyncio.sleep(at)
    await world.weather.reached(told.after, MOST_PATIENCE)
    world.bus.keep(told.subject, told.message)


async def _free(world, stay):
    """Be somebody at the desk, who frees a stay once it is held, and insists until it is free."""
    await asyncio.sleep(stay.freed_at)
    order = {"tenant": "tnt_silk", "reservation": stay.id, "reason": "fraud_review", "by": "usr_clerk"}
    asked = False
    for _ in range(MOST_SECONDS):
        if _is_held(world, stay):
            asked = True
            if await world.fleet.prompt("release-stay", order):
                return
        elif asked:  # the order was heeded, and only its answer was lost
            return
        await asyncio.sleep(1)


def _is_held(world, stay):
    row = world.main.rows.get(("tnt_silk", "reservations"), {}).get(stay.id)
    return row is not None and "fraud_review" in row.values.get("holds", [])


async def _replace(world, stay):
    """Be somebody at the desk, whom the guest tells that the key is lost, and who insists."""
    await asyncio.sleep(stay.lost_at)
    rows = world.main.rows
    for _ in range(MOST_ORDERS):
        row = rows.get(("tnt_silk", "reservations"), {}).get(stay.id)
        if row is not None and row.values["credentials"]:
            break
        await asyncio.sleep(1)
    else:
        return
    order = {"tenant": "tnt_silk", "key": row.values["credentials"][0], "by": "usr_clerk", "reason": "lost"}
    for _ in range(MOST_ORDERS):  # it is refused where the stay is another or over by now
        if await world.fleet.prompt("replace-key", order):
            return
        await asyncio.sleep(1)


def _scene(world, stays, household):
    doors = world.doors
    pins = opened_pins(world.sealed)
    return Scene(
        stays=stays,
        documents=world.main.rows,
        log=world.bus.log,
        acked=world.bus.first_acked,
        pushed=world.bus.first_pushed,
        given_up=world.bus.given_up,
        at_doors=list(doors.at_doors()),
        ever_at_doors=doors.ever_at_doors(),
        doors_of=doors_of(world.house),
        sealed_pins=pins,
        hidden=[*filter(None, pins.values()), *doors.hidden()],
        endless=[kept.id for kept in world.sagas.active],
        verdicts=[
            (kept.argument["saga_id"], kept.argument["generation"], kept.result["outcome"])
            for kept in world.sagas.kept.values()
            if kept.result is not None and "saga_id" in kept.argument
        ],
        household=household,
        words=world.fleet.words.getvalue(),
        arguments=orjson.dumps(
            [[kept.argument, kept.result, kept.entries] for kept in world.sagas.kept.values()]
        ).decode(),
    )


if __name__ == "__main__":
    outcome = play(int(sys.argv[1]), *sys.argv[2:])
    lines = (f"{at:10.3f} {who:28} {what}" for at, who, what in outcome.trace)
    sys.stdout.write("\n".join((*lines, outcome.words, str(outcome), "")))
    sys.exit(bool(outcome.problems))
