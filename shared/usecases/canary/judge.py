"""Whether a next build does worse than what came before it, and where it is handed more (A §15.5).

| step | where | of a hundred keys | at least for |
|---|---|---|---|
| 0 | the pilot | 25 | a day |
| 1 | the pilot | 100 | six days more |
| 2 | all hotels of the company | 25 | a day |
| 3 | all hotels of the company | 100 | a day, then it is promoted |

A step is over once it had its time and as many keys as say something. A rate is worse where it is more than
one point below, and three or more went badly: one or two may be chance. The slowest twentieth of calls is
worse where it takes more than a hundredth longer than on the slowest of the seven days before.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from shared.ledger.canary import Figures

MARGIN: Final = 0.01
FEWEST_BAD: Final = 3
FEWEST_TIMED: Final = 20
FEWEST_TRIED: Final = 10
BASELINE: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Step:
    """How much of what is handed over, where, and for how long at least."""

    share: int
    lasts: timedelta
    everywhere: bool = False


STEPS: Final = (
    Step(25, timedelta(days=1)),
    Step(100, timedelta(days=6)),
    Step(25, timedelta(days=1), everywhere=True),
    Step(100, timedelta(days=1), everywhere=True),
)


def worse(now: Figures, before: Figures) -> str | None:
    """Return the first figure by which a build does worse than before, or None."""
    for name, (good, bad), (good_before, bad_before) in _rates(now, before):
        if bad >= FEWEST_BAD and _share(good, bad) < _share(good_before, bad_before) - MARGIN:
            return name
    if now.p95_ms is None or before.worst_p95_ms is None or now.placed < FEWEST_TIMED:
        return None
    return "issue.p95" if now.p95_ms > before.worst_p95_ms * (1 + MARGIN) else None


def says_something(now: Figures) -> bool:
    """Say whether enough was tried to go on by."""
    return now.placed + now.unplaced >= FEWEST_TRIED


def _rates(now: Figures, before: Figures) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    yield "issue.success.rate", (now.placed, now.unplaced), (before.placed, before.unplaced)
    yield "revoke.success.rate", (now.removed, now.unremoved), (before.removed, before.unremoved)
    yield (
        "vendor.error.rate",
        (now.calls - now.errors, now.errors),
        (before.calls - before.errors, before.errors),
    )


def _share(good: int, bad: int) -> float:
    """Return the share that went well; of nothing, all did."""
    return good / (good + bad) if good + bad else 1.0
