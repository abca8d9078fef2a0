"""What the hotel stands on: its locks and how they are mapped, its vendors, its staff's keys, its log."""

from collections.abc import Mapping
from typing import Any, Final

from functions.backoffice.console_paper import word
from functions.backoffice.screens.look import MOST_ROWS, Look
from shared.queries.audit import standing
from shared.queries.devices import devices_at, map_at
from shared.queries.staff import shown_staff
from shared.queries.vendor_health import vendor_health

ODD: Final = ("swapped", "missing", "doubled", "rooms_without_a_lock", "locks_without_a_room", "unproven")
SHARED: Final = ("shared_doors", "lifts")
BAD: Final = frozenset({"swapped", "missing", "offline", "critical", "wrong", "open", "half_open"})
SAID: Final[Mapping[str, str]] = {"missing": "missing_lock", "closed": "answers"}


def _state(look: Look, state: str) -> object:
    """Return how a thing is; of locks and vendors, `missing` and `closed` are said otherwise."""
    return word(look.paper, SAID.get(state, state), worst=state in BAD)


async def locks(look: Look) -> str:
    """Return how each lock is, those in trouble first, and what of the mapping is odd or unproven."""
    found = await devices_at(look.store, look.at())
    rows = [_lock(look, each) for each in sorted(found, key=_trouble)[:MOST_ROWS]]
    columns = ("lock", "room", "vendor", "state", "battery", "clock", "firmware", "seen", "proven")
    odd = await map_at(look.store, look.at())
    mapped = [
        (
            word(look.paper, SAID.get(name, name), worst=name in ODD),
            len(odd[name]),
            ", ".join(odd[name][:MOST_ROWS]),
        )
        for name in (*ODD, *SHARED)
        if odd[name]
    ]
    return look.table("locks", columns, rows) + look.table("mapping", ("kind", "count", "what"), mapped)


def _trouble(each: Mapping[str, Any]) -> tuple[bool, str]:
    told = {each["state"], each["battery_level"], each["clock"]}
    return (not told & BAD, str(each["label"]))


def _lock(look: Look, each: Mapping[str, Any]) -> tuple[object, ...]:
    battery = None if each["battery"] is None else f"{each['battery']} %"
    return (
        look.paper.link("doors", each["label"], door=each["device"]),
        ", ".join(each["rooms"]),
        each["vendor"],
        _state(look, each["state"].replace(" ", "_")),
        word(look.paper, f"! {battery}") if each["battery_level"] == "critical" else battery,
        None if each["clock"] == "right" and each["clock_skew_ms"] is None else _state(look, each["clock"]),
        each["firmware"],
        each["last_seen_at"],
        each["proven_at"],
    )


async def vendors(look: Look) -> str:
    """Return whether each vendor answers, and what is left of the calls that it may be asked."""
    setup = await look.on.hotels.premises(look.who.tenant, look.at())
    found = await vendor_health(look.cell, look.store, setup)
    rows = [
        (
            each["vendor"],
            each["locks"],
            _state(look, each["state"]),
            each["since"],
            None if each["comparison"] is None else word(look.paper, each["comparison"]),
            each["compared_at"],
        )
        for each in found
    ]
    columns = ("vendor", "count", "state", "since", "compared", "at")
    asked = [_application(each) for vendor in found for each in vendor["applications"]]
    calls = look.table("quota", ("about", "monthly", "spent", "reserved", "missing_calls", "pace"), asked)
    return look.table("vendors", columns, rows) + calls


def _application(each: Mapping[str, Any]) -> tuple[object, ...]:
    pace = None if each["calls"] is None else f"{each['calls']} / {each['seconds']:.0f} s"
    spent = (each["monthly"], each["spent"], each["reserved"], each.get("missing"))
    return (each["application"], *spent, pace)


async def staff(look: Look) -> str:
    """Return the keys of the hotel's staff: whose, for what, until when."""
    told = await shown_staff(look.cell, look.tenant, None, look.at(), None)
    rows = [
        (
            each["staff"],
            word(look.paper, each["state"]),
            ", ".join(each["scopes"]),
            word(look.paper, each["regime"]["kind"]),
            ", ".join(each["regime"].get("week", ())),
            each["from"],
            each["until"],
            each["by"],
        )
        for each in told["masterKeys"][:MOST_ROWS]
    ]
    columns = ("staff", "state", "opens_what", "kind", "week", "from", "until", "by")
    return look.table("master_keys", columns, rows)


async def audit(look: Look) -> str:
    """Return up to where the company's log is closed and proven, and how to verify it."""
    log = await standing(look.store, look.now)
    state = word(look.paper, "overdue" if log["overdue"] else "well", worst=log["overdue"])
    row = (log["log"], state, log["closed"], log["size"], log["closed_at"], log["next"], log["key"])
    columns = ("about", "state", "closed", "count", "at", "next", "signed_by")
    how = f'<p>{look.paper.word("verify")} <code dir="ltr">keyfleet verify</code></p>'
    return look.table("audit", columns, (row,)) + how
