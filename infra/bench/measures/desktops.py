"""Desktops that listen to one instance: when the last but a few hear of something, and what each costs."""

import json
import subprocess
import sys

from infra.bench.figures import BenchError, Figure, Ground, Measure, Sample
from infra.bench.programs.desktops import EVENTS

HEARD, HELD = "desktops.heard_p95_ms", "desktops.held_kb_each"
MANY, QUICKLY = 1000, 100
MOST_MEGABYTES = 150
FIGURES = {
    HEARD: Figure("ms", "lower", floor=200),
    HELD: Figure("kB", "lower", floor=MOST_MEGABYTES * 1000 / MANY),
}


def take(ground: Ground) -> Sample:
    """Let a thousand listen, in a process of their own; a quick look takes fewer."""
    many = QUICKLY if ground.effort.quick else MANY
    command = [sys.executable, "-m", "infra.bench.programs.desktops", str(ground.folder / "desktops")]
    command.append(str(many))
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if ran.returncode:
        raise BenchError(f"desktops did not listen: {ran.stderr[-300:]}")
    told = json.loads(ran.stdout)
    if told["heard"] != many * EVENTS:
        raise BenchError("some desktops did not hear everything: mend that first")
    return {HEARD: told["heard_p95_ms"], HELD: told["held_kb_each"]}


MEASURE = Measure("desktops", FIGURES, take)
