"""`keyfleet sim calls|clock|reset`: what the vendor was asked, what time it is there, and a new beginning."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from infra.cli.answer import Answer, counted, line, moment, plain, table
from infra.cli.sim.simulator import Simulator

Json = Mapping[str, Any]
Operation = Annotated[str | None, typer.Option(help="Only this one of the vendor's operations.")]
Limit = Annotated[int, typer.Option(min=1, max=5000, help="At most so many, the last ones.")]
Advance = Annotated[float | None, typer.Option(help="Go so many seconds on first.")]
OF_EVERY_CALL: Final = ("clientId", "clientSecret", "accessToken", "date", "pageNo", "pageSize")
"""Fields that tell nothing about a call."""


def calls(at: Simulator, operation: Operation = None, limit: Limit = 100) -> Answer:
    """List what the vendor was asked, secrets masked, and what it answered."""
    query = {} if operation is None else {"operation": operation}
    found = at.get("requests", **query)[-limit:]
    if not found:
        return Answer({"calls": found}, (line("The vendor was asked nothing."),))
    rows = [(moment(each["at"]), each["operation"], _answer(each), _fields(each)) for each in found]
    return Answer({"calls": found}, (table(("at (UTC)", "operation", "answer", "asked with"), rows),))


def clock(at: Simulator, advance: Advance = None) -> Answer:
    """Tell the simulated time; with --advance, move it, and every door's with it."""
    facts = at.get("clock") if advance is None else at.post("clock", {"advanceSeconds": advance})
    return Answer(facts, (line(f"{moment(facts['now'])} UTC, {facts['aheadSeconds']:g} s ahead of here"),))


def reset(at: Simulator) -> Answer:
    """Forget everything, and begin again with the same doors."""
    facts = at.post("reset", {})
    return Answer(facts, (line(f"{counted(len(facts['locks']), 'door')}, and nothing opens them."),))


def _answer(call: Json) -> Text:
    fault = f" ({call['fault']})" if call["fault"] else ""
    if call["status"] is None:
        return plain(f"none{fault}", "red")
    if call["status"] != 200:
        return plain(f"HTTP {call['status']}{fault}", "red")
    return plain(f"errcode {call['errcode']}{fault}", "red") if call["errcode"] else plain(f"done{fault}")


def _fields(call: Json) -> str:
    return " ".join(f"{name}={value}" for name, value in call["fields"].items() if name not in OF_EVERY_CALL)
