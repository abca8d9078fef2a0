"""The worst of a region's day beside what Google, a vendor or our own clocks allow."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from infra.capacity.region import ARRIVALS, LINE_A_MINUTE, PROPERTIES, Day, Profile, swept
from infra.local.sample.load import sample_vendor
from shared.ledger.indexes import DAYS, DUE, DUE_STAYS
from shared.ports.documents import Index
from shared.usecases.upkeep.go_round import A_SECOND, LONGEST
from shared.usecases.upkeep.sweep_due import AT_A_TIME, KEYS_EVERY

A_PLACE: Final = 500
"""Writes a second that one ordered place of an index takes."""
ONE_DOCUMENT: Final = 60
"""Writes a minute that one document takes for long: Google says one a second."""
EXECUTIONS, BEGUN, PER_APPLICATION = 10_000, 6_000, 100
BEFORE_ARRIVAL: Final = 7200.0
TICK: Final = 300.0
"""Seconds from one call of a round to the next."""
VENDORS: Final = "calls of vendors"
_INDEXES: Final[tuple[Index, ...]] = (DUE, DUE_STAYS)


@dataclass(frozen=True, slots=True)
class Load:
    """Something that is limited, and how near to it we come."""

    what: str
    load: float
    limit: float
    how: str

    @property
    def headroom(self) -> float:
        """How many times as much there is room for."""
        return self.limit / self.load if self.load else float("inf")


def loads_of(
    profile: Profile, day: Day, plan: Mapping[str, Any], properties: int = PROPERTIES
) -> Sequence[Load]:
    """Return what a region's day comes to beside its limits."""
    return (
        Load("executions begun in the busiest minute", day.begun_a_minute, BEGUN, "every one drawn"),
        Load("executions at once", day.at_once, EXECUTIONS, "as long as the sample's lived"),
        Load(
            "executions at once, a vendor down for its busiest hour",
            day.at_once_in_outage,
            EXECUTIONS,
            "as long and as often as those lived whose vendor answered nobody for that hour",
        ),
        Load(
            "executions begun in the busiest minute of that hour",
            day.begun_a_minute_in_outage,
            BEGUN,
            f"of those that wait {LINE_A_MINUTE:,} at most: that is the sweeper's own pace",
        ),
        *_indexes(day),
        *_hot(profile),
        *_functions(profile, day, plan),
        Load(
            "calls of one application in its busiest minute",
            profile["calls_a_minute"],
            PER_APPLICATION,
            "the sample's, a property each; the rate is taken from the store",
        ),
        *_sweeper(profile, day, properties),
        *_rounds(profile, plan, properties),
    )


def _indexes(day: Day) -> Iterator[Load]:
    for index in _INDEXES:
        a_second = day.a_second.get(f"entries of {index.name}", 0.0)
        what = f"writes a second to a place of `{index.name}`"
        yield Load(what, a_second / index.shards, A_PLACE, f"{index.shards} shards, all companies")
    told = day.a_second[f"entries of {DAYS.name}"]
    yield Load(f"writes a second to `{DAYS.name}`", told, A_PLACE, "if it were all one company's")


def _hot(profile: Profile) -> Iterator[Load]:
    by_minute = sorted(profile["hottest"].items(), key=lambda each: -each[1][1])
    for name, (second, minute) in by_minute[:3]:
        how = f"of `{name}`; {second} within a second"
        yield Load("writes to one document in its busiest minute", minute, ONE_DOCUMENT, how)


def _functions(profile: Profile, day: Day, plan: Mapping[str, Any]) -> Iterator[Load]:
    adapter = plan["functions"][f"adapter-{sample_vendor()}"]
    room = float(adapter["max_instances"] * adapter["concurrency"])
    yield Load("requests at once in an adapter, for keys", day.at_once, room, "if all hotels had one vendor")
    for name, seconds in profile["round_seconds"].items():
        how = f"{seconds:.0f} s a property, {A_SECOND} begun a second"
        yield Load(f"requests at once in an adapter, for rounds of {name}", seconds * A_SECOND, room, how)
    for name in ("on-booking-confirmed", "on-booking-checked-out", "on-key-told"):
        each = plan["functions"][name]
        seconds = profile["call_seconds"][name]
        load = day.a_second[f"calls of {name}"] * seconds
        room = float(each["max_instances"] * each["concurrency"])
        yield Load(
            f"requests at once in {name}", load, room, f"{seconds:.2g} s each, all of a second at once"
        )


def _sweeper(profile: Profile, day: Day, properties: int) -> Iterator[Load]:
    each = f"{profile['tending'] * 1000:.0f} ms each"
    yield Load(
        "seconds until the last arrival is checked, two hours before",
        swept(profile, ARRIVALS, properties),
        BEFORE_ARRIVAL,
        f"{each}; three zones, check-in at three hours",
    )
    yield Load("the same, all at one moment", swept(profile, {0: 1}, properties), BEFORE_ARRIVAL, each)
    yield Load(
        "seconds to tend what an hour's outage left",
        day.owed * profile["tending"],
        BEFORE_ARRIVAL,
        f"{day.owed:,} keys, as long as a stay's check each",
    )
    # A sweep of other things ends just before it would look at keys, and the next comes a minute later.
    longest = 2 * KEYS_EVERY.total_seconds() + AT_A_TIME * profile["tending"]
    how = "keys come first in each, and once more each minute"
    yield Load("seconds that a key waits for a sweep at most", longest, 300, how)


def _rounds(profile: Profile, plan: Mapping[str, Any], properties: int) -> Iterator[Load]:
    for name in profile["round_seconds"]:
        longest, limit = (
            LONGEST.total_seconds(),
            float(plan["functions"][name]["environment"]["KEYFLEET_TIMEOUT"]),
        )
        how = "what is left goes on with the next, five minutes after"
        yield Load(f"seconds of one call of {name}", longest, limit, how)
        minutes = properties / (A_SECOND * longest) * TICK / 60
        yield Load(f"minutes of a round of {name}", minutes, 60.0, "one begun a property, all in one zone")


_OPERATIONS: Final = {
    "documents read": "reads",
    "documents written": "writes to ",
    "index entries written": "entries of ",
    "functions called": "calls of ",
    "billable steps": "steps",
}


def operations(day: Day) -> Sequence[tuple[str, float, float]]:
    """Return what a region's day comes to: of each operation how many, and the most of a second."""
    found = [
        ("events heard", float(day.events), float(max(day.events_a_second.values()))),
        ("executions begun", float(day.executions), day.begun_a_minute / 60),
        ("calls of vendors", day.operations[VENDORS], day.a_second[VENDORS]),
    ]
    for what, prefix in _OPERATIONS.items():
        kinds = [each for each in day.operations if each.startswith(prefix) and each != VENDORS]
        a_day, a_second = (sum(of[kind] for kind in kinds) for of in (day.operations, day.a_second))
        found.append((what, a_day, a_second))
    return found


def linear(profile: Profile) -> Sequence[tuple[str, int, int, float]]:
    """Return what grew with the stays: both counts, and how much more than the stays they grew."""
    few, many = profile["houses"]
    return [(what, one, other, other / one / (many / few)) for what, (one, other) in profile["grew"].items()]
