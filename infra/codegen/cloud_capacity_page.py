"""The page of what the fleet costs on Google Cloud and how much it holds: counts, prices and the plan."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra.capacity.loads import Load, linear, loads_of, operations
from infra.capacity.profile import kept
from infra.capacity.region import PROPERTIES, Day, Profile
from infra.capacity.town import STAYS
from infra.codegen.fleet_plan import fleet_plan
from infra.manifest.plan.storage import DATABASE_LIMITS

PAGE: Final = Path("infra/docs/cloud-capacity.md")
OWNED: Final = (str(PAGE),)
KEYS: Final = 1000
COUNTED: Final = "counted (`tests/workflows/guests/test_what_a_told_key_costs.py`)"
Plan = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cost:
    """Something that a key uses: how much of it, and what a million of it costs in dollars."""

    what: str
    count: float
    per_million: float
    known: str

    @property
    def dollars(self) -> float:
        """What a thousand keys cost of it."""
        return self.count * KEYS * self.per_million / 1e6


COSTS: Final = (
    Cost("document writes", 23, 0.90, f"{COUNTED}: 14 of the key's own, 9 to tell its guest"),
    Cost("document reads", 35, 0.30, "counted there: 12 of instances that remember nothing, 23 to tell"),
    Cost("workflow steps", 5, 10.0, "counted there: 3 of the key's saga, 2 of the message's"),
    Cost("function calls", 7, 0.40, "counted there: 2 of the key's own"),
    Cost("vCPU-seconds of those", 0.22, 24.0, "assumed: 60 ms each, and 20 ms of the others"),
    Cost("GiB-seconds of those", 0.11, 2.5, "as above"),
    Cost("KiB through Pub/Sub: heard, told, copied, heard by consumers", 17, 0.0373, "a KiB each, at least"),
    Cost("KiB copied to BigQuery", 3, 0.0466, "as above"),
    Cost("KiB of log", 4, 0.477, "assumed"),
    Cost("accesses of secrets, uses of KMS", 0.1, 3.0, "remembered for 15 s and an hour"),
)
_UNCOUNTED: Final = ("KiB of log", "accesses of secrets, uses of KMS")
"""Prices of us-central1: other regions take up to a third more."""


PER_MILLION: Final[Mapping[str, float]] = {
    "document_writes": 0.90,
    "document_reads": 0.30,
    "billable_steps": 10.0,
    "function_calls": 0.40 + 0.02 * (24.0 + 0.5 * 2.5),
    "publishes": 5 * 0.0373 + 0.0466,
}
"""Of what the embedded cloud counts; a call takes 20 ms of a vCPU, an event 5 KiB of Pub/Sub and a copy."""


def measured_dollars(counts: Mapping[str, float]) -> float:
    """Return what so much costs, besides a key's share of logs and secrets."""
    counted = sum(count * PER_MILLION[name] / 1e6 for name, count in counts.items())
    return counted + sum(each.dollars for each in COSTS if each.what in _UNCOUNTED) / KEYS


PEAK: Final = 0.1
"""The share of a day that its busiest hour has."""


def generate() -> dict[Path, str]:
    """Return the page."""
    played, plan = kept(), fleet_plan()
    day = Day(**played["day"])
    tables = (_grown_table(played), _operations_table(day), _capacity_table(played, day, plan))
    parts = (_HEAD, _cost_table(), _STANDING, _region(played), *tables, _READING)
    return {PAGE: "\n\n".join(part.strip("\n") for part in parts) + "\n"}


def dollars_per_thousand_keys() -> float:
    """Return what a thousand keys cost."""
    return sum(each.dollars for each in COSTS)


def loads(played: Profile, day: Day, plan: Plan) -> Sequence[Load]:
    """Return what a region of that size asks of Google: what was played, and what the plan says."""
    works = 2 * PROPERTIES * STAYS * PEAK / 3600  # a key is made, and taken back
    return (
        *loads_of(played, day, plan),
        Load("uses of KMS a minute", 0.1 * works * 60, 60_000, "a data key an hour, of every process"),
        Load("service accounts", len(plan["identities"]) + 2, 100, "80 of ours by a rule of the plan (0159)"),
        *_of_databases(plan),
        Load("members of the project's policy", _members(plan), 1_500, "Google's own come beside"),
    )


def _of_databases(plan: Plan) -> Iterator[Load]:
    fields = sum(row["database"] == "main" for row in plan["fields"].values())
    how = "one a collection, one where it expires"
    yield Load("field settings of one database", fields, DATABASE_LIMITS["fields"], how)
    yield Load(
        "composite indexes of one database", len(plan["indexes"]), DATABASE_LIMITS["indexes"], "with billing"
    )


def _members(plan: Plan) -> float:
    return float(sum(row["on"] in ("database", "project", "secret") for row in plan["grants"].values()))


def _cost_table() -> str:
    head = ["| a key uses | how much | $ per 1,000 keys | known how |", "|---|---|---|---|"]
    rows = [f"| {each.what} | {each.count:g} | {each.dollars:.4f} | {each.known} |" for each in COSTS]
    return "\n".join([*head, *rows, f"| **all** | | **{dollars_per_thousand_keys():.3f}** | |"])


def _grown_table(played: Profile) -> str:
    head = ["| of each run | small | large | grew by, to the stays |", "|---|---|---|---|"]
    return "\n".join(
        [
            *head,
            *(f"| {what} | {one:,} | {other:,} | {by:.3f} |" for what, one, other, by in linear(played)),
        ]
    )


def _operations_table(day: Day) -> str:
    head = ["| operation | a day | busiest second |", "|---|---|---|"]
    return "\n".join(
        [
            *head,
            *(f"| {what} | {many:,.0f} | {second:,.0f} |" for what, many, second in operations(day)),
        ]
    )


def _capacity_table(played: Profile, day: Day, plan: Plan) -> str:
    head = ["| what is limited | load | limit | headroom | how |", "|---|---|---|---|---|"]
    return "\n".join([*head, *(_row(each) for each in loads(played, day, plan))])


def _row(each: Load) -> str:
    numbers = " | ".join(_round(number) for number in (each.load, each.limit, each.headroom))
    return f"| {each.what} | {numbers} × | {each.how} |"


def _round(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


_HEAD: Final = """
# What it costs and what it holds

Written by `python -m infra.codegen` (`infra/codegen/cloud_capacity_page.py`). Worked out and played:
nothing was deployed, and no bill was read. Counts are of the embedded cloud, which bills as Google
does; prices and limits are Google's published ones, to be looked at again before anybody signs
anything.

## A key, from the booking to the guest
"""
_STANDING: Final = """
Taking a key back costs about as much again. The free tier takes 5,000 steps a month off, and the first
20,000 writes of each day. What stands there whether or not anybody books: one instance kept warm (about
$10 a month; `warm = false` saves it), the sweeper's 43,800 calls (about $0.30), a version of each
cipher key ($0.06), with `fixed_addresses` a connector of two machines and the addresses (about $20),
and whatever policies and logs cost under the account's contract.
"""


def _region(played: Profile) -> str:
    few, many = played["houses"]
    return _REGION.format(properties=PROPERTIES, stays=STAYS, few=few, many=many, played=many * STAYS)


_REGION: Final = """
## A region of {properties:,} properties with {stays} stays a day each

Played, not deployed (decision 0230). The fleet's own code lived through the bookings, arrivals and
check-outs of few properties ({few}), and of {many} ({played:,} stays), on the embedded cloud by a virtual
clock, with Firestore's and a vendor's distances assumed (`keyfleet capacity --houses {few} --keep` does it
again). What grew with the stays is an event's; then every event of the region's day is drawn, each doing as
much, and each execution living as long as one of those (`keyfleet capacity`). Nobody writes to guests there.
The outage was played too: the same day of {few}, whose vendor answers nobody from ten to eleven.
"""
_READING: Final = """
Below a headroom of 2 something must be done before such a region opens; below 1 it does not hold. What does
not hold at this size:

- **Rounds.** Every company is visited, 16 houses side by side, eight begun a second (decision 0246). Adapters
  have up to 60 instances for that: a quota of the region's, to be asked for.
- **An outage.** Those that wait are begun again forty a second (decision 0245), beside all that is new; more
  would find no place among what Google begins. After an hour of it the last is begun within the next.
- **One application.** A hotel's own takes its comparison's calls and its keys'; keys come first, and the
  limit holds. Each block of calls is a write to `rates`: of single calls at the vendor's limit, 95 a minute.
- **Arrivals checked.** The one sweeper tends stays in 32 lanes. What that takes of CPU is not measured.

Not limited by Google, but by others: a vendor's application (often 100 calls a minute; fifty instances keep
to it together and use 95 % of it, `tests/unit/shared/vendor_kit/calm/test_blocks.py`), and a property's
gateway (one call at a time). How fast the sweeper is on Firestore itself is not measured.
"""
