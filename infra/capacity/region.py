"""A region of 10,000 properties: every event of a day drawn, each doing what the sample's did on the average.

What is drawn: when each guest books, comes and leaves, and how long each execution lives (out of those that
were really played). What is not: that one house's trouble is another's, and more than one vendor.
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import accumulate
from random import Random
from typing import Any, Final

from infra.capacity.tally import DAY, MINUTE
from infra.capacity.town import SHARES, STAYS, WORDS
from shared.keywork.trouble_line import A_SECOND

PROPERTIES: Final = 10_000
LINE_A_MINUTE: Final = 60 * sum(A_SECOND.values())
"""As many are begun again in a minute that wait out one vendor's trouble."""
OUTAGE: Final = (10 * 3600, 3600)
"""A vendor is down for an hour, in the hour of most check-outs: from when, and for how long."""
CHECK_IN: Final = {14: 6, 15: 3, 16: 1}
"""Hours of check-in, and in how many tenths of the hotels."""
ARRIVALS: Final = Counter(
    (hour + zone - 2) * 3600 for zone in (0, 1, 2) for hour, tenths in CHECK_IN.items() for _ in range(tenths)
)
"""At which moments arrivals are due to be checked, in hotels of three zones: two hours before."""
Profile = Mapping[str, Any]
Span = tuple[float, float]
Story = Sequence[Span]
"""When the executions of one key lived, from the moment on at which its first began."""


@dataclass(frozen=True, slots=True)
class Day:
    """What a region's day came to at its worst."""

    events: int
    executions: int
    at_once: int
    at_once_in_outage: int
    begun_a_minute: int
    begun_a_minute_in_outage: int
    """Those of what is new, and as many of those that wait as the sweeper begins again."""
    events_a_second: Mapping[str, int]
    operations: Mapping[str, float]
    """Of each how many in the whole day."""
    a_second: Mapping[str, float]
    """Of each the most of a second, if all that an event does were done at once."""
    owed: int
    """Keys that an outage left to the sweeper."""


def a_day(profile: Profile, properties: int = PROPERTIES, seed: int = 0) -> Day:
    """Play a day of so many properties."""
    chance = Random(seed)  # noqa: S311 - repeatable on purpose
    told = {
        word: _told(shares, properties * STAYS, chance) for word, shares in zip(WORDS, SHARES, strict=True)
    }
    begun = [*_moments(told[WORDS[0]]), *_moments(told[WORDS[2]])]
    well = [(at, at + chance.choice(profile["seconds"])) for at in begun]
    down, again = _troubled(profile, well, chance)
    return Day(
        events=sum(map(sum, told.values())),
        executions=len(begun),
        at_once=_most(well),
        at_once_in_outage=_most(down),
        begun_a_minute=_busiest(begun, MINUTE),
        begun_a_minute_in_outage=_busiest([*begun, *again], MINUTE),
        events_a_second={word: max(counts) for word, counts in told.items()},
        operations=_operations(profile, properties),
        a_second=_peaks(profile, told),
        owed=sum(_in_outage(at) for at in begun),
    )


def swept(profile: Profile, due: Mapping[int, float], properties: int = PROPERTIES) -> float:
    """Return how late the last of a day's arrivals is looked at, if such a share is due at each moment."""
    whole, free, longest = sum(due.values()), 0.0, 0.0
    for moment in sorted(due):
        many = due[moment] / whole * properties * STAYS
        free = max(free, float(moment)) + many * profile["tending"]
        longest = max(longest, free - moment)
    return longest


def _told(shares: Sequence[int], many: int, chance: Random) -> "array[int]":
    counts, upper = array("I", bytes(4 * DAY)), list(accumulate(shares))
    for _ in range(many):
        hour = bisect_left(upper, chance.random() * upper[-1])
        counts[hour * 3600 + int(chance.random() * 3600)] += 1
    return counts


def _moments(counts: "array[int]") -> Iterator[int]:
    for second, many in enumerate(counts):
        yield from [second] * many


def _troubled(profile: Profile, well: Sequence[Span], chance: Random) -> tuple[list[Span], list[float]]:
    """Return when executions live if the vendor is down, and when those begin that are not a key's first."""
    spans, due = list[Span](), list[tuple[float, int, Story]]()
    for key, (began, ended) in enumerate(well):
        story = chance.choice(profile["stories"]) if _in_outage(began) else [(0.0, ended - began)]
        spans.append((began, began + story[0][1]))
        if len(story) > 1:
            due.append((began + story[1][0], key, story[1:]))
    again = list(_in_line(due))
    return spans + again, [began for began, _ in again]


def _in_line(due: list[tuple[float, int, Story]]) -> Iterator[Span]:
    """Yield when those live that are begun again while the vendor is down: at the pace of the line."""
    heapify(due)
    free, over = 0.0, sum(OUTAGE)
    while due and max(due[0][0], free) < over:
        ready, key, ((since, until), *later) = heappop(due)
        began = max(ready, free)
        free = began + MINUTE / LINE_A_MINUTE
        yield began, began + until - since
        if later:
            heappush(due, (began + later[0][0] - since, key, later))


def _in_outage(at: float) -> bool:
    first, long = OUTAGE
    return first <= at < first + long


def _most(spans: Sequence[Span]) -> int:
    steps = [0] * (DAY + 2)
    for began, ended in spans:
        steps[int(began)] += 1
        steps[min(DAY + 1, int(ended) + 1)] -= 1
    return max(accumulate(steps))


def _busiest(moments: Sequence[float], seconds: int) -> int:
    counts = [0] * (DAY // seconds + 1)
    for moment in moments:
        counts[int(moment) // seconds] += 1
    return max(counts)


def _operations(profile: Profile, properties: int) -> dict[str, float]:
    sums: dict[str, float] = {}
    for word in WORDS:
        for what, each in profile["an_event"][word].items():
            sums[what] = sums.get(what, 0.0) + each * properties * STAYS
    return sums


def _peaks(profile: Profile, told: Mapping[str, Sequence[int]]) -> dict[str, float]:
    """Return of each operation the most of a second: all that an event does is taken to be done at once."""
    names = sorted({what for word in WORDS for what in profile["an_event"][word]})
    return {what: max(map(sum, _seconds(profile, told, what))) for what in names}


def _seconds(profile: Profile, told: Mapping[str, Sequence[int]], what: str) -> Iterator[tuple[float, ...]]:
    return zip(
        *(_scaled(told[word], profile["an_event"][word].get(what, 0.0)) for word in WORDS), strict=True
    )


def _scaled(counts: Sequence[int], each: float) -> Iterator[float]:
    return (count * each for count in counts)
