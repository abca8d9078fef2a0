"""What one event of a stay costs: what grew from a day of few houses to a day of more."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from infra.capacity.region import OUTAGE
from infra.capacity.sample_day import Execution, Played, Span
from infra.capacity.tally import DAY, Late
from infra.capacity.town import STAYS, WORDS
from infra.local.sample.load import sample_vendor

RUN: Final = Path(__file__).with_name("last_run.json")
WORK: Final = "work_on_key"
STARTERS: Final = {"compare-locks": "compare_locks", "listen-due": "hear_doors"}
"""The clock's functions that begin an execution for each house."""
QUANTILES: Final = 100


def profile_of(small: Played, large: Played, troubled: Played) -> dict[str, Any]:
    """Return what two runs say of a stay, a house and a cell, and a third of keys whose vendor was down."""
    return {
        "houses": [small.houses, large.houses],
        "states": [small.states, large.states],
        "an_event": {word: _an_event(day, small, large) for day, word in enumerate(WORDS)},
        "grew": _grew(small, large),
        "seconds": _quantiles(
            [each.ended - each.began for each in large.executions if each.workflow == WORK]
        ),
        "call_seconds": {name: _mean(spans) for name, spans in sorted(large.tally.calls.items())},
        "hottest": large.tally.hottest(),
        "waiting": large.tally.waiting,
        "calls_a_minute": large.tally.most_calls_a_minute(),
        "late": max((each.seconds for each in large.tally.late), default=0.0),
        "tending": _tending(large.tally.late),
        "stories": stories(troubled.executions),
        "round_seconds": {name: _lived(large.executions, saga) for name, saga in STARTERS.items()},
    }


def stories(executions: Sequence[Execution]) -> list[list[Span]]:
    """Return of each key that came in the first half of an outage when its executions lived, from then on."""
    first, long = OUTAGE
    of_key = defaultdict[tuple[str, int], list[Span]](list)
    for each in sorted(executions, key=lambda each: each.began):
        if each.workflow == WORK and first <= each.began % DAY < first + long:
            of_key[each.saga, int(each.began // DAY)].append((each.began, each.ended))
    told = [spans for spans in of_key.values() if spans[0][0] % DAY < first + long / 2]
    return [[(round(a - spans[0][0], 1), round(b - spans[0][0], 1)) for a, b in spans] for spans in told]


def keep(profile: Mapping[str, Any], path: Path = RUN) -> None:
    """Keep a profile and its region's day, for the page of capacity."""
    path.write_bytes(orjson.dumps(profile, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n")


def kept(path: Path = RUN) -> dict[str, Any]:
    """Return the profile that is kept, with the region's day that was played from it."""
    found: dict[str, Any] = orjson.loads(path.read_bytes())
    return found


def _an_event(day: int, small: Played, large: Played) -> dict[str, float]:
    """Return what grew with the houses on the day of these events, for each of them."""
    stays = (large.houses - small.houses) * STAYS
    names = sorted(what for at, what in large.tally.counts if at == day)
    more = {what: large.tally.counts[day, what] - small.tally.counts[day, what] for what in names}
    return {what: round(count / stays, 4) for what, count in more.items() if count > 0}


def _grew(small: Played, large: Played) -> dict[str, list[int]]:
    """Return the counts of both runs that a stay's own are in: they are to grow as the stays do."""
    sums = [Counter[str](), Counter[str]()]
    for total, run in zip(sums, (small, large), strict=True):
        for (_, what), count in run.tally.counts.items():
            total[what] += count
    named = (
        "executions of work_on_key",
        "writes to credentials",
        "writes to grants",
        "writes to outbox",
        "writes to reservations",
        f"calls of adapter-{sample_vendor()}",
        "calls of vendors",
        "reads",
    )
    return {what: [sums[0][what], sums[1][what]] for what in named}


def _quantiles(seconds: Sequence[float]) -> list[float]:
    ordered = sorted(seconds)
    return [round(ordered[(len(ordered) - 1) * each // QUANTILES], 3) for each in range(QUANTILES + 1)]


def _mean(spans: Sequence[tuple[float, float]]) -> float:
    return round(sum(ended - began for began, ended in spans) / len(spans), 4) if spans else 0.0


def _lived(executions: Sequence[Execution], workflow: str) -> float:
    return _mean([(each.began, each.ended) for each in executions if each.workflow == workflow])


def _tending(late: Sequence[Late]) -> float:
    """Return the seconds that each of many takes which come due at one moment, by the largest such moment."""
    moments = Counter(round(each.at - each.seconds) for each in late)
    (moment, many), *_ = moments.most_common(1)
    last = max(each.seconds for each in late if round(each.at - each.seconds) == moment)
    return round(last / many, 5)
