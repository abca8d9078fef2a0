"""`keyfleet quota`: what each vendor's application may be asked, and whether that lasts for its month."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane

Json = Mapping[str, Any]
PLAN = "plan-quota"


def quota(at: FleetAddress) -> Answer:
    """Forecast the calls of each vendor's application: what is due, and what there would be none for."""
    control = ControlPlane(at)
    control.call(PLAN, {})
    facts = control.get("quota")
    found = facts["applications"]
    if not found:
        return Answer(facts, (line("No vendor that counts calls was asked yet."),))
    return Answer(facts, tuple(text for each in found for text in _said(each)))


def _said(of: Json) -> Iterator[Text]:
    rate = f"{of['calls']} calls in {of['seconds']:.0f} seconds"
    yield line(plain(of["application"], "bold"), f"  {rate}")
    due = of.get("due") or {}
    listed = ", ".join(f"{count} for {sort}" for sort, count in due.items() if count) or "nothing"
    if of["monthly"] is None:
        yield line(f"    {of['spent']} this month, of which nobody said how many there are; due: {listed}")
        return
    left = of["monthly"] - of["spent"]
    yield line(
        f"    {of['spent']} of {of['monthly']} this month, until {of.get('month_ends')}; due: {listed}"
    )
    if of.get("missing"):
        short = f"    {of['missing']} too few: they end about {of['calls_end']}, and what is dropped is "
        yield line(plain(short + ", ".join(of["dropped"]), "bold red"))
    else:
        yield line(plain(f"    {left} are left, which is enough", "green"))
