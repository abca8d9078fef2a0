"""`keyfleet alerts`: what somebody was woken for, kept beside the log."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer
from rich.console import RenderableType

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane
from infra.cli.wall import both

Json = Mapping[str, Any]
RUNBOOKS: Final = "infra/runbooks"
_WORDS: Final = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
"""A cause, which is read as words; codes and ids stay as somebody looks for them."""
Tenant = Annotated[str | None, typer.Option(help="Only those of this tenant, such as tnt_silk.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="At most so many, newest first.")]


def alerts(at: FleetAddress, tenant: Tenant = None, limit: Limit = 20) -> Answer:
    """List the last alerts, newest first: what each was about, why, and what to do."""
    facts = ControlPlane(at).get("alerts", tenant=tenant, limit=limit)
    found = facts["alerts"]
    if not found:
        return Answer(facts, (line("Nobody was woken for anything, as far as is kept."),))
    more = (line("There are more: raise --limit."),) if facts["more"] else ()
    return Answer(facts, (*(part for alert in found for part in _told(at, alert)), *more))


def _told(at: FleetAddress, alert: Json) -> Iterator[RenderableType]:
    yield line(plain(both(alert["at"], alert["zone"]), "dim"), "  ", plain(alert["message"], "bold red"))
    about = [f"{name} {alert[name]}" for name in ("reservation", "key", "device", "event") if alert[name]]
    whose = f" of {alert['tenant']}" if alert["tenant"] else ""
    if about:
        yield line(f"    {', '.join(about)}{whose}")
    if alert["because"]:
        yield line(f"    because: {_WORDS.sub(_spaced, str(alert['because']))}")
    if alert["remedy"]:
        yield line(plain("    fix: ", "green"), str(alert["remedy"]))
    see = f"; keyfleet timeline {alert['reservation']}{at.flags}" if alert["reservation"] else ""
    yield line(plain(f"    {RUNBOOKS}/{alert['page']}.md{see}", "dim"))


def _spaced(cause: re.Match[str]) -> str:
    return cause[0].replace("_", " ")
