"""What a month's keys cost, vendor by vendor: counted from what was told, at the company's own prices."""

from collections.abc import Mapping
from typing import Any, Final

from functions.backoffice.console_paper import Markup, entry, form, hidden, shown
from functions.backoffice.screens.charts import Stack, bars, key
from functions.backoffice.screens.look import Look
from shared.domain.errors import InvalidInput
from shared.domain.instants import instant_to_text
from shared.queries.costs import costs as counted
from shared.runtime.problems import NotThere

COLUMNS: Final = ("vendor", "issued", "failed", "issue_success", "took", "revoked", "left", "locks", "cost")
GOOD, BAD = "good", "bad"


async def costs(look: Look) -> str:
    """Return what each vendor did at the hotel in a month, how well, and what it cost."""
    month = look.query.get("month") or instant_to_text(look.now)[:7]
    try:
        told = await counted(look.store, month)
    except InvalidInput:
        raise NotThere("no such month") from None
    rows = [each for each in told["rows"] if each["property_id"] == look.at()]
    chart = bars(look.paper.word("issue_success"), [_stack(each) for each in rows])
    words = {GOOD: look.paper.word("issued"), BAD: look.paper.word("failed")}
    listed = look.table("costs", COLUMNS, map(_row, rows))
    return f"{_months(look, month)}{chart}{key(words) if chart else ''}{listed}{_sums(look, rows)}"


def _stack(each: Mapping[str, Any]) -> Stack:
    return Stack(each["vendor"], ((GOOD, each["issued"]), (BAD, each["failed"])))


def _row(each: Mapping[str, Any]) -> tuple[object, ...]:
    took = None if each["issue_p95_ms"] is None else f"{each['issue_p95_ms'] / 1000:.1f} s"
    rate = None if each["issue_success_rate"] is None else f"{100 * each['issue_success_rate']:.1f} %"
    cost = None if each["cost"] is None else f"{each['cost']} {each['currency']}"
    done = (each["vendor"], each["issued"], each["failed"], rate, took)
    return (*done, each["revoked"], each["unrevoked"], each["locks"], cost)


def _sums(look: Look, rows: list[Mapping[str, Any]]) -> str:
    """Say which vendors have no price, and which days were not counted: no cost is told then, and no zero."""
    uncounted = sorted({each["counted_since"] for each in rows if each["counted_since"]})
    unpriced = [each["vendor"] for each in rows if each["cost"] is None and not each["counted_since"]]
    return _said(look, "no_price", unpriced) + _said(look, "uncounted", uncounted)


def _said(look: Look, word: str, what: list[str]) -> str:
    return f"<p>{look.paper.word(word)} {shown(', '.join(what))}</p>" if what else ""


def _months(look: Look, month: str) -> Markup:
    field = hidden(property=look.at()) + entry(look.paper.word("month"), "month", value=month)
    return form(look.paper, "costs", field, "look", method="get")
