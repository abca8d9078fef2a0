"""`keyfleet sim calls|clock|reset`: what the vendor was asked, what time it is there, and a new beginning."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from infra.cli.answer import Answer, counted, line, moment, plain, span, table
from infra.cli.problems import Refused, not_found
from infra.cli.sim.odds import at_odds
from infra.cli.sim.simulator import Simulator

Json = Mapping[str, Any]
Operation = Annotated[str | None, typer.Option(help="Only this one of the vendor's operations.")]
Limit = Annotated[int, typer.Option(min=1, max=5000, help="At most so many, the last ones.")]
CENTURY: Final = 100.0 * 365 * 86_400
"""Further on, in seconds, there is no telling what a calendar says."""
Advance = Annotated[float | None, typer.Option(help="Go so many seconds on first.")]
To = Annotated[
    str | None,
    typer.Option(
        help="Go to this time first, such as 2027-05-01T09:30:00Z; in UTC unless it says otherwise."
    ),
]


def calls(at: Simulator, operation: Operation = None, limit: Limit = 100) -> Answer:
    """List what the vendor was asked, secrets masked, and what it answered."""
    query = {} if operation is None else {"operation": operation}
    found = at.get("requests", **query)[-limit:]
    if not found:
        _check_known(at, operation)
        return Answer({"calls": found}, (line("The vendor was asked nothing."),))
    dull = at.get("operations")["ofEveryCall"]
    rows = [(moment(each["at"]), each["operation"], _answer(each), _fields(each, dull)) for each in found]
    return Answer({"calls": found}, (table(("at (UTC)", "operation", "answer", "asked with"), rows),))


def clock(at: Simulator, advance: Advance = None, to: To = None) -> Answer:
    """Tell the simulated time; with --advance or --to, move it, and every door's with it."""
    if advance is not None and to is not None:
        raise Refused("--advance and --to both say when it shall be", "pass one of them")
    seconds = advance if to is None else _until(at, _instant(to))
    facts = at.get("clock") if seconds is None else _moved(at, seconds)
    said = line(f"{moment(facts['now'])} UTC, {_ahead(facts['aheadSeconds'])}")
    return Answer(facts, (said, *at_odds(at, facts)))


def reset(at: Simulator) -> Answer:
    """Forget everything, and begin again with the same doors."""
    facts = at.post("reset", {})
    return Answer(facts, (line(f"{counted(len(facts['locks']), 'door')}, and nothing opens them."),))


def _check_known(at: Simulator, operation: str | None) -> None:
    known = at.get("operations")["operations"]
    if operation is not None and operation not in known:
        raise not_found("operation", [operation], f"name one of {', '.join(known)}")


def _moved(at: Simulator, seconds: float) -> Json:
    if not abs(seconds) <= CENTURY:
        raise Refused("that is more than a century away", "name a nearer time")
    facts: Json = at.post("clock", {"advanceSeconds": seconds})
    return facts


def _until(at: Simulator, instant: datetime) -> float:
    return (instant - datetime.fromisoformat(at.get("clock")["now"])).total_seconds()


def _instant(text: str) -> datetime:
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(f"--to: {text[:64]!r} is no time", "write it as 2027-05-01T09:30:00Z") from None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def _ahead(seconds: float) -> str:
    if round(seconds) == 0:
        return "as here"
    return f"{span(seconds)} {'ahead of' if seconds > 0 else 'behind'} here"


def _answer(call: Json) -> Text:
    fault = f" ({call['fault']})" if call["fault"] else ""
    if call["status"] is None:
        return plain(f"none{fault}", "red")
    if call["status"] >= 500 or (call["status"] != 200 and not call["errcode"]):
        return plain(f"HTTP {call['status']}{fault}", "red")
    return plain(f"errcode {call['errcode']}{fault}", "red") if call["errcode"] else plain(f"done{fault}")


def _fields(call: Json, dull: Collection[str]) -> str:
    return " ".join(f"{name}={value}" for name, value in call["fields"].items() if name not in dull)
