"""What starting each function costs: CPU time to its first answer, beside the framework's emptiest function.

Functions of one family share their source file, so their start-ups differ in nothing but the name looked up:
each start is that of the family's next function, and the figure is the family's.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from statistics import median

from infra.bench.figures import Figure, Ground, Measure, Sample
from infra.bench.processes import spawned
from infra.bench.programs import bare_function
from infra.local.server import free_port
from infra.manifest.load import ROOT, Manifest
from infra.manifest.triggers import ServiceTrigger

RAW = "raw.bare_function_start_up_cpu_ms"
CPU, RATIO = "start_up.{}_cpu_ms", "start_up.{}_of_bare"


@dataclass(frozen=True, slots=True)
class Entry:
    """A source file and the functions it holds."""

    source: Path
    targets: tuple[str, ...]


BARE = Entry(Path(bare_function.__file__), ("bare",))


def measure(manifest: Manifest) -> Measure:
    """Return the measure of all functions of a manifest."""
    families = _families(manifest)
    figures = {RAW: Figure("ms", "lower")}
    for name in families:
        figures[CPU.format(name)] = Figure("ms", "lower", beside=RAW)
        figures[RATIO.format(name)] = Figure("ratio", "lower", floor=1.35, aim=1.15)
    return Measure("start_up", figures, lambda ground: _take(ground, families))


def _families(manifest: Manifest) -> Mapping[str, Entry]:
    targets: dict[str, list[str]] = defaultdict(list)
    for function in manifest.functions.values():
        if not isinstance(function.deployable.trigger, ServiceTrigger):  # the framework does not start those
            targets[function.family].append(function.entry_point)
    return {
        family: Entry(ROOT / "functions" / family / "main.py", tuple(names))
        for family, names in targets.items()
    }


def _take(ground: Ground, families: Mapping[str, Entry]) -> Sample:
    entries = {RAW: BARE, **{CPU.format(name): entry for name, entry in families.items()}}
    if ground.round == 0:
        for entry in entries.values():
            _start(entry, 0, ground.folder)  # unmeasured: it compiles what was never compiled here
    first = ground.round * ground.effort.starts
    took: dict[str, list[float]] = defaultdict(list)
    for number in range(first, first + ground.effort.starts):
        for name, entry in entries.items():
            took[name].append(_start(entry, number, ground.folder))
    sample = {name: median(times) for name, times in took.items()}
    ratios = {RATIO.format(name): sample[CPU.format(name)] / sample[RAW] for name in families}
    return {**sample, **ratios}


def _start(entry: Entry, number: int, folder: Path) -> float:
    """Return the milliseconds of CPU time, of all its processes, to the first answer."""
    port = free_port()
    target = next(islice(cycle(entry.targets), number, None))
    options = {"--target": target, "--source": entry.source, "--host": "127.0.0.1", "--port": port}
    arguments = [str(part) for option in options.items() for part in option]
    with spawned(["-m", "functions_framework", "--asgi", *arguments], port, folder) as process:
        process.first_answer()
        return process.cpu_seconds() * 1e3
