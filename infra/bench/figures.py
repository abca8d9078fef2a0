"""What is measured: figures with their floors, and measures that take samples of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Better = Literal["higher", "lower"]
Sample = Mapping[str, float]
"""One round's values by figure."""


class BenchError(Exception):
    """A measure that could not be taken; the message says why."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number: its unit, which way is better, what it has to keep, and the raw limit it stands beside."""

    unit: str
    better: Better = "higher"
    floor: float | None = None
    aim: float | None = None
    beside: str | None = None

    def keeps(self, bound: float | None, value: float) -> bool | None:
        """Return whether a value is at least as good as a bound; None where there is no bound."""
        if bound is None:
            return None
        return value >= bound if self.better == "higher" else value <= bound


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to look: fewer and shorter rounds are noisier ones."""

    rounds: int = 3
    seconds: float = 0.8
    publishes: int = 300
    messages: int = 2000
    starts: int = 2
    idle_seconds: float = 3.0
    quick: bool = False
    keys_kept: int = 60_000
    keys_compared: int = 6_000


QUICK = Effort(
    rounds=1,
    seconds=0.4,
    publishes=100,
    messages=500,
    starts=3,
    idle_seconds=1.0,
    quick=True,
    keys_kept=1_000,
    keys_compared=250,
)


@dataclass(frozen=True, slots=True)
class Ground:
    """Where one round of a measure happens: an empty folder on a real disk, and how hard to try."""

    folder: Path
    effort: Effort
    round: int = 0


@dataclass(frozen=True, slots=True)
class Measure:
    """Some figures that are taken together, the product's and the raw limit's in the same round."""

    name: str
    figures: Mapping[str, Figure]
    take: Callable[[Ground], Sample]
