"""`keyfleet quota`: whether each vendor's calls last for its month, and each lock's places for its guests."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane

Json = Mapping[str, Any]
PLAN = "plan-quota"


def quota(at: FleetAddress) -> Answer:
    """Forecast the calls of each vendor's application and the places of locks: what there are too few of."""
    control = ControlPlane(at)
    places = control.call(PLAN, {})["places"]
    facts = {**control.get("quota"), "places": places}
    asked = [text for each in facts["applications"] for text in _said(each)]
    if not asked:
        asked = [line("No vendor that counts calls was asked yet.")]
    return Answer(facts, (*asked, *map(_places, places)))


def _places(of: Json) -> Text:
    """Say of a lock how full it is, and when it has too few places."""
    kept = f"  keeps {of['capacity']} keys and has {of['taken']}; {of['waiting']} wait for their time"
    if of["fills_at"] is None:
        return line(plain(of["label"], "bold"), kept)
    return line(plain(of["label"], "bold"), kept, plain(f"; full from {of['fills_at']}", "bold red"))


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
