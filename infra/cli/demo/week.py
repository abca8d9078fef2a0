"""`keyfleet demo --week`: a week of a small hotel, by a clock that takes no time, proven at its doors."""

import io
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from rich.text import Text

from infra.cli.answer import Answer, Telling, line, plain
from infra.cli.demo.claim import Claim
from infra.cli.demo.week_house import WeekHouse
from infra.cli.demo.week_story import MOMENTS, Moment
from infra.cli.polling import Patience
from infra.local.fleet import open_fleet
from infra.local.simulation.loop import run_virtually
from infra.local.world import FleetConfig, World
from shared.events.catalogue import subjects as catalogued
from shared.events.subject import Direction
from shared.kernel.log import Log

Seen = Mapping[str, Any]
_OF_A_DESK: Final = "a desk's agent tells it, and the week has no desk: keyfleet demo plays one"
WHY_NOT: Final = {f"melmastoon.lock.encoder_session.{word}.v1": _OF_A_DESK for word in ("opened", "closed")}
"""What B §2 promises and the week does not show, each with the reason."""
MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it, for its owner alone
ROOM: Final = 256 * 1024**2


def week() -> Telling:
    """Play the week, and say of each moment whether what must be so was so."""
    patience = Patience()
    began = patience.seconds()
    yield line(plain("keyfleet demo --week", "bold"), ": a week of a small hotel, by the clock on its wall.")
    claims, seen = played(patience)
    for moment, claim in zip(MOMENTS, claims, strict=False):
        yield said(moment, claim)
    return verdict(claims, seen, round(patience.seconds() - began, 3))


def played(patience: Patience) -> tuple[list[Claim], Seen]:
    """Return the claims of the week, the first that does not hold the last, and what else was seen of it."""
    with home() as folder:
        config = FleetConfig(folder, sample=True)
        return run_virtually(lambda clock: lived(WeekHouse(clock), config, patience), 0)


@contextmanager
def home() -> Iterator[Path]:
    """Yield a home for a week: in memory where there is room, for no disk is half as fast as its clock."""
    roomy = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM
    with tempfile.TemporaryDirectory(prefix="keyfleet-week-", dir=MEMORY if roomy else None) as folder:
        yield Path(folder) / "home"


async def lived(
    house: WeekHouse, config: FleetConfig, patience: Patience, moments: Sequence[Moment] = MOMENTS
) -> tuple[list[Claim], Seen]:
    """Live through a story at a house: its claims, and what else was seen."""
    log = Log("keyfleet", io.StringIO(), house.clock.now)
    world = World(clock=house.clock, outside=house, threaded=False, log=log)
    async with open_fleet(config, world) as house.fleet:
        claims = list[Claim]()
        for moment in moments:
            claims.append(await _claimed(moment, house, patience))
            if not claims[-1].held:
                break
        subjects = await house.subjects()
    untold = [each for each in promised() if each not in subjects]
    lacking = {each: WHY_NOT.get(each, "nothing of the week told it") for each in untold}
    return claims, {"subjects": subjects, "lacking": lacking, "told": house.told, "tries": house.tried}


def promised() -> list[str]:
    """Return the subjects that B §2 has us produce."""
    return [each.name for each in catalogued(Direction.PRODUCED) if not each.extension]


async def _claimed(moment: Moment, house: WeekHouse, patience: Patience) -> Claim:
    began = patience.seconds()
    await house.until(*moment.when)
    proof = await moment.play(house)
    seconds = round(patience.seconds() - began, 3)
    return Claim(moment.name, moment.claim, proof.held, seconds, proof.seen, proof.detail)


def said(moment: Moment, claim: Claim) -> Text:
    """Return a moment as it is told."""
    return line(plain(" ".join(moment.when), "dim"), claim.said())


def verdict(
    claims: Sequence[Claim], seen: Seen, seconds: float, moments: Sequence[Moment] = MOMENTS
) -> Answer:
    """Return what became of a story."""
    held = [claim.name for claim in claims if claim.held] == [moment.name for moment in moments]
    facts = {
        "held": held,
        "seconds": seconds,
        "claims": [claim.described() for claim in claims],
        **seen,
    }
    if not held:
        return Answer(facts, (line("\n", plain(f"✗ {claims[-1].text} It was not so", "bold red"), "."),), 1)
    counts = (
        f"{seen['told']} events told, {seen['tries']} tries at the doors, {len(seen['subjects'])} subjects"
    )
    whole = line(
        "\n", plain(f"✓ All {len(claims)} moments held", "bold green"), f", after {seconds:.1f} s: {counts}."
    )
    lacking = (line(plain(f"    {name}: {why}", "dim")) for name, why in seen["lacking"].items())
    return Answer(facts, (whole, *(line("    ", each) for each in seen["subjects"]), *lacking))
