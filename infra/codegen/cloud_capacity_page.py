"""The page of what the fleet costs on Google Cloud and how much it holds: counts, prices and the plan."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra.codegen.fleet_plan import fleet_plan
from infra.manifest.plan.storage import DATABASE_LIMITS
from shared.ledger.indexes import DUE

PAGE: Final = Path("infra/docs/cloud-capacity.md")
OWNED: Final = (str(PAGE),)
KEYS: Final = 1000
COUNTED: Final = "counted (`tests/workflows/test_operation_counts.py`)"
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
    Cost("document writes", 14, 0.90, COUNTED),
    Cost("document reads, of instances that remember nothing", 12, 0.30, "counted there"),
    Cost("workflow steps", 4, 10.0, "counted there"),
    Cost("function calls", 2, 0.40, "counted there"),
    Cost("vCPU-seconds of those", 0.12, 24.0, "assumed: ten requests share an instance that waits"),
    Cost("GiB-seconds of those", 0.06, 2.5, "as above"),
    Cost("KiB through Pub/Sub: heard, told, copied, heard by consumers", 17, 0.0373, "a KiB each, at least"),
    Cost("KiB copied to BigQuery", 3, 0.0466, "as above"),
    Cost("KiB of log", 4, 0.477, "assumed"),
    Cost("accesses of secrets, uses of KMS", 0.1, 3.0, "remembered for 15 s and an hour"),
    Cost("calls of notification and audit consumers", 6, 0.40, "assumed: two, of three events each"),
    Cost("vCPU-seconds of those", 0.12, 24.0, "assumed: 20 ms each"),
    Cost("document writes of those", 6, 0.90, "assumed: one each"),
)
"""Prices of us-central1: other regions take up to a third more."""


@dataclass(frozen=True, slots=True)
class Load:
    """Something that Google limits, and how near to it we come."""

    what: str
    load: float
    limit: float
    how: str

    @property
    def headroom(self) -> float:
        """How many times as much there is room for."""
        return self.limit / self.load


PROPERTIES, STAYS, PEAK = 10_000, 50, 0.1
"""A region: properties, stays a day of each, and the share of a day that its busiest hour has."""
HOLDS: Final = 4.0
"""Seconds that an execution lives when all is well: a gateway takes most of them."""
OUTAGE: Final = 324.0
"""Seconds that an execution sleeps between its tries while a vendor is down."""


def generate() -> dict[Path, str]:
    """Return the page."""
    parts = (_HEAD, _cost_table(), _STANDING, _REGION, _capacity_table(fleet_plan()), _READING)
    return {PAGE: "\n\n".join(part.strip("\n") for part in parts) + "\n"}


def dollars_per_thousand_keys() -> float:
    """Return what a thousand keys cost."""
    return sum(each.dollars for each in COSTS)


def loads(plan: Plan) -> Sequence[Load]:
    """Return what a region of that size asks of Google."""
    keys = PROPERTIES * STAYS * PEAK / 3600
    works = 2 * keys  # a key is made, and taken back
    return (
        Load("executions begun a minute", works * 60, 6_000, "a key made and one taken back"),
        Load("executions at once", works * HOLDS, 10_000, f"{HOLDS:g} s each"),
        Load("executions at once, a vendor down", keys * OUTAGE, 10_000, f"asleep for {OUTAGE:g} s"),
        Load(
            "writes a second to a place of the due index", works * 4 / DUE.shards, 500, f"{DUE.shards} shards"
        ),
        *_of_functions(plan, keys),
        Load(
            "calls a minute of an application at its vendor",
            STAYS * PEAK / 60 * 4,
            100,
            "one property's, where 100 are allowed",
        ),
        Load("uses of KMS a minute", 0.1 * works * 60, 60_000, "a data key an hour, of every process"),
        Load("service accounts", len(plan["identities"]) + 2, 100, "80 of ours by a rule of the plan (0159)"),
        *_of_databases(plan),
        Load("members of the project's policy", _members(plan), 1_500, "Google's own come beside"),
    )


def _of_functions(plan: Plan, keys: float) -> Iterator[Load]:
    adapter = next(name for name, each in plan["functions"].items() if each["adapter"])
    for what, name, at_once, how in (
        ("an adapter", adapter, 2 * keys * HOLDS, "if all hotels had one vendor"),
        ("on-booking-confirmed", "on-booking-confirmed", keys * 0.25, "0.25 s each"),
    ):
        each = plan["functions"][name]
        room = float(each["max_instances"] * each["concurrency"])
        yield Load(f"requests at once in {what}", at_once, room, how)


def _of_databases(plan: Plan) -> Iterator[Load]:
    fields = sum(row["database"] == "main" for row in plan["fields"].values())
    yield Load(
        "field settings of one database", fields, DATABASE_LIMITS["fields"], "four or five a collection"
    )
    yield Load(
        "composite indexes of one database", len(plan["indexes"]), DATABASE_LIMITS["indexes"], "with billing"
    )


def _members(plan: Plan) -> float:
    return float(sum(row["on"] in ("database", "project", "secret") for row in plan["grants"].values()))


def _cost_table() -> str:
    head = ["| a key uses | how much | $ per 1,000 keys | known how |", "|---|---|---|---|"]
    rows = [f"| {each.what} | {each.count:g} | {each.dollars:.4f} | {each.known} |" for each in COSTS]
    return "\n".join([*head, *rows, f"| **all** | | **{dollars_per_thousand_keys():.3f}** | |"])


def _capacity_table(plan: Plan) -> str:
    head = ["| what is limited | load | limit | headroom | how |", "|---|---|---|---|---|"]
    return "\n".join([*head, *(_row(each) for each in loads(plan))])


def _row(each: Load) -> str:
    numbers = " | ".join(_round(number) for number in (each.load, each.limit, each.headroom))
    return f"| {each.what} | {numbers} × | {each.how} |"


def _round(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


_HEAD: Final = """
# What it costs and what it holds

Written by `python -m infra.codegen` (`infra/codegen/cloud_capacity_page.py`). Worked out on paper:
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
_REGION: Final = f"""
## A region of {PROPERTIES:,} properties with {STAYS} stays a day each

Its busiest hour has a tenth of the day.
"""
_READING: Final = """
Below a headroom of 2 something must be done before such a region opens. Not limited by Google, but by
others: a vendor's application (often 100 calls a minute), and a property's gateway (one call at
a time). After an outage of everything the sweeper takes up what is due, oldest first; how fast it is on
Firestore is not measured. An execution that sleeps through an outage holds a place: waits over a minute
should park instead.
"""
