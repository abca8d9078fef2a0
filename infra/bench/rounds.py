"""Taking every measure in rounds: what disturbs the machine then disturbs each a little, and none alone."""

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from infra.bench.figures import Effort, Ground, Measure

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Taken:
    """What all rounds brought: values by figure, and reasons by measure that could not be taken."""

    samples: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    untaken: dict[str, str] = field(default_factory=dict)


def take_all(measures: Sequence[Measure], effort: Effort, folder: Path, say: Say) -> Taken:
    """Take each measure once a round; one that fails is named and left out of later rounds."""
    taken = Taken()
    for number in range(effort.rounds):
        for measure in measures:
            if measure.name not in taken.untaken:
                say(f"round {number + 1} of {effort.rounds}: {measure.name}")
                _take(measure, effort, number, folder, taken)
    return taken


def _take(measure: Measure, effort: Effort, number: int, folder: Path, taken: Taken) -> None:
    with tempfile.TemporaryDirectory(dir=folder, prefix=measure.name) as own:
        try:
            sample = measure.take(Ground(Path(own), effort, number))
        except Exception as error:  # noqa: BLE001 - told in the report; the other measures are still worth taking
            taken.untaken[measure.name] = f"{type(error).__name__}: {error}"
            return
    for name, value in sample.items():
        taken.samples[name].append(value)


def each_cpu_second(work: Callable[[], object], seconds: float) -> float:
    """Return how often one core does something in a second of its own, whatever else the machine is at."""
    done, began, until = 0, time.process_time(), time.perf_counter() + seconds
    while time.perf_counter() < until:
        work()
        done += 1
    return done / (time.process_time() - began)


def each_second(work: Callable[[], object], seconds: float) -> float:
    """Return how often a second something can be done."""
    done, began = 0, time.perf_counter()
    until = began + seconds
    while time.perf_counter() < until:
        work()
        done += 1
    return done / (time.perf_counter() - began)
