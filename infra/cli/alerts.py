"""`keyfleet alerts`: what somebody was woken for, kept beside the log."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer
from rich.console import RenderableType

from functions.backoffice.console_reasons import said_in_words
from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane
from infra.cli.wall import both

Json = Mapping[str, Any]
RUNBOOKS: Final = "infra/runbooks"
_WORDS: Final = re.compile(r"(?<![\w.(])[a-z]+(?:_[a-z]+)+(?![\w.])")
"""A cause that is read as words; codes, and names with dots, stay as somebody looks for them."""
_NAMED: Final = re.compile(r"\b(?:lck|rmu|ppt)_\w+")
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
    title = said_in_words(alert["message"])
    yield line(plain(both(alert["at"], alert["zone"]), "dim"), "  ", plain(title, "bold red"))
    whose = f" of {alert['tenant']}" if alert["tenant"] else ""
    if about := [*_where(alert), *_what(alert)]:
        yield line(f"    {', '.join(about)}{whose}")
    if alert["because"]:
        yield line(f"    because: {_read(str(alert['because']), alert)}")
    if alert["remedy"]:
        yield line(plain("    fix: ", "green"), _called(str(alert["remedy"]), alert))
    see = f"; keyfleet timeline {alert['reservation']}{at.flags}" if alert["reservation"] else ""
    yield line(plain(f"    {RUNBOOKS}/{alert['page']}.md{see}", "dim"))


def _where(alert: Json) -> Iterator[str]:
    """Say at which house and in which rooms, as people there call them."""
    names, rooms = alert.get("names", {}), alert.get("rooms", [])
    if house := alert.get("property"):
        yield f"at {names.get(house, house)}"
    if rooms:
        yield f"room{'s' if len(rooms) > 1 else ''} {' and '.join(names.get(each, each) for each in rooms)}"


def _what(alert: Json) -> Iterator[str]:
    for name in ("reservation", "key", "device", "event"):
        if alert[name]:
            yield f"{name} {_called(alert[name], alert)}"


def _called(text: str, alert: Json) -> str:
    """Return a text in which what people have a name for goes by it, its id behind."""
    return _NAMED.sub(lambda it: _name(it[0], alert), text)


def _name(id_: str, alert: Json) -> str:
    name = alert.get("names", {}).get(id_)
    return f"{name} ({id_})" if name else id_


def _read(because: str, alert: Json) -> str:
    """Return a reason in words, its codes behind them; what is no code of ours is read as it is spelt."""
    return _called(_WORDS.sub(lambda it: it[0].replace("_", " "), said_in_words(because)), alert)
