"""How well keys are made and taken back, day by day, and what that is worth."""

from collections.abc import Mapping
from typing import Any, Final

from functions.backoffice.console_paper import shown
from functions.backoffice.screens.charts import Stack, bars, key
from functions.backoffice.screens.look import Look
from shared.queries.figures import WAITED, figures

COLUMNS: Final = ("day", "requested", "issued", "failed", "revoked", "left", "lost_keys")
GOOD, BAD = "good", "bad"


async def analytics(look: Look) -> str:
    """Return the hotel's last sixty days."""
    told = await figures(look.store, look.at(), look.now)
    return f"{_worth(look, told)}{_issued(look, told)}{_waits(look, told)}{_days(look, told)}"


def _worth(look: Look, told: Mapping[str, Any]) -> str:
    usd, minutes = told["usd_avoided"], told["minutes_saved"]
    rows = [
        (look.paper.word(name), value)
        for name, value in (
            ("issue_success", _percent(told["issue_success"])),
            ("revoke_success", _percent(told["revoke_success"])),
            ("revoked_within_5s", _percent(told["revoked_within_5s"])),
            ("usd_avoided", f"USD {usd[0]} – {usd[1]}"),
            ("minutes_saved", f"{minutes[0]:g} – {minutes[1]:g} min"),
        )
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{shown(value)}</dd>" for name, value in rows)
    return f"<dl>{listed}</dl><p>{look.paper.word('measured')} {look.caption()}</p>"


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:g} %"


def _issued(look: Look, told: Mapping[str, Any]) -> str:
    stacks = [Stack(each["day"], ((GOOD, each["issued"]), (BAD, each["failed"]))) for each in told["days"]]
    words = {GOOD: look.paper.word("issued"), BAD: look.paper.word("failed")}
    return f"{bars(look.paper.word('issue_success'), stacks)}{key(words) if stacks else ''}"


def _waits(look: Look, told: Mapping[str, Any]) -> str:
    """Return how long locks took to let go: the slowest apart, for a mean would hide them."""
    whole = told["whole"]
    named = [(look.paper.word(each), whole[each]) for each in WAITED]
    stacks = [Stack(name, ((BAD if name == named[-1][0] else GOOD, count),)) for name, count in named]
    return bars(look.paper.word("waits"), stacks) + look.table("waits", ("until", "count"), named)


def _days(look: Look, told: Mapping[str, Any]) -> str:
    rows = [
        (each["day"], *(each[name] for name in ("requested", "issued", "failed", "revoked", "left", "lost")))
        for each in reversed(told["days"])
    ]
    return look.table("analytics", COLUMNS, rows)
