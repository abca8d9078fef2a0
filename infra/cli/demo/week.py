"""`keyfleet demo --week`: a week of a small hotel, by a clock that takes no time, proven at its doors."""

import io
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from infra.cli.answer import Answer, Telling, line, plain
from infra.cli.demo.claim import Claim
from infra.cli.demo.week_house import WeekHouse
from infra.cli.demo.week_story import MOMENTS, Moment
from infra.cli.polling import Patience
from infra.local.fleet import open_fleet
from infra.local.simulation.loop import run_virtually
from infra.local.world import FleetConfig, World
from shared.kernel.log import Log

Seen = Mapping[str, Any]


def week() -> Telling:
    """Play the week, and say of each moment whether what must be so was so."""
    patience = Patience()
    began = patience.seconds()
    yield line(plain("keyfleet demo --week", "bold"), ": a week of a small hotel, by the clock on its wall.")
    claims, seen = played(patience)
    for moment, claim in zip(MOMENTS, claims, strict=False):
        yield _said(moment, claim)
    return _verdict(claims, seen, round(patience.seconds() - began, 3))


def played(patience: Patience) -> tuple[list[Claim], Seen]:
    """Return the claims of the week, the first that does not hold the last, and what else was seen of it."""
    with tempfile.TemporaryDirectory(prefix="keyfleet-week-") as folder:
        home = Path(folder) / "home"
        return run_virtually(lambda clock: _lived(WeekHouse(clock), home, patience), 0)


async def _lived(house: WeekHouse, home: Path, patience: Patience) -> tuple[list[Claim], Seen]:
    log = Log("keyfleet", io.StringIO(), house.clock.now)
    world = World(clock=house.clock, outside=house, threaded=False, log=log)
    async with open_fleet(FleetConfig(home, sample=True), world) as house.fleet:
        claims = list[Claim]()
        for moment in MOMENTS:
            claims.append(await _claimed(moment, house, patience))
            if not claims[-1].held:
                break
        subjects = await house.subjects()
    return claims, {"subjects": subjects, "told": house.told, "tries": house.tried}


async def _claimed(moment: Moment, house: WeekHouse, patience: Patience) -> Claim:
    began = patience.seconds()
    await house.until(*moment.when)
    proof = await moment.play(house)
    seconds = round(patience.seconds() - began, 3)
    return Claim(moment.name, moment.claim, proof.held, seconds, proof.seen, proof.detail)


def _said(moment: Moment, claim: Claim) -> Text:
    return line(plain(" ".join(moment.when), "dim"), claim.said())


def _verdict(claims: Sequence[Claim], seen: Seen, seconds: float) -> Answer:
    held = [claim.name for claim in claims if claim.held] == [moment.name for moment in MOMENTS]
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
    said = line(
        "\n", plain(f"✓ All {len(claims)} moments held", "bold green"), f", after {seconds:.1f} s: {counts}."
    )
    return Answer(facts, (said, *(line("    ", each) for each in seen["subjects"])))
