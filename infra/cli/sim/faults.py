"""`keyfleet sim fault add|operations|list|clear`: what goes wrong at the vendor, how often, from one seed."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from infra.cli.answer import Answer, counted, line, plain, table
from infra.cli.problems import Refused, not_found
from infra.cli.sim.simulator import Simulator

Strike = Annotated[
    list[str],
    typer.Argument(
        metavar="OPERATION FAULT",
        help="One of the vendor's operations, or '*' for all; and what befalls it, such as http_500, drop, "
        "or a code of the vendor's own as errcode:CODE: sim fault operations lists both.",
    ),
]
Times = Annotated[int | None, typer.Option(min=0, help="Strike so often; unless given, always.")]
After = Annotated[int, typer.Option(min=0, help="Let so many calls pass first.")]
Percent = Annotated[float | None, typer.Option("--pct", min=0, max=100, help="Strike in so many per cent.")]
Seconds = Annotated[float, typer.Option(min=0, help="How late the answer or the break comes.")]
Numbers = Annotated[list[int] | None, typer.Argument(help="Rules by number; unless given, every one.")]


def add(
    at: Simulator,
    strike: Strike,
    times: Times = None,
    after: After = 0,
    pct: Percent = None,
    seconds: Seconds = 0,
) -> Answer:
    """Have something go wrong from now on."""
    if len(strike) != 2:
        what = "no fault is named" if len(strike) == 1 else "more than an operation and a fault is named"
        raise Refused(what, "write them as '*' http_500: see keyfleet sim fault operations")
    rule = dict(zip(("operation", "fault"), strike, strict=True))
    facts = at.post("faults", {**rule, "times": times, "after": after, "pct": pct, "seconds": seconds})
    return Answer(facts, (line("Rule ", plain(facts["number"], "bold"), f": {_meaning(facts)}."),))


def operations(at: Simulator) -> Answer:
    """List the vendor's operations, and what can befall them."""
    facts = at.get("operations")
    faults = line(plain("Each, or '*', can be struck by: ", "bold"), ", ".join(facts["faults"]))
    return Answer(facts, (*map(line, facts["operations"]), faults))


def list_faults(at: Simulator) -> Answer:
    """List the rules in force, each with what it saw and struck."""
    rules = at.get("faults")
    if not rules:
        return Answer({"faults": rules}, (line("Nothing is made to go wrong."),))
    rows = [(each["number"], _meaning(each), each["seen"], each["struck"]) for each in rules]
    return Answer({"faults": rules}, (table(("rule", "what", "calls seen", "struck"), rows),))


def clear(at: Simulator, numbers: Numbers = None) -> Answer:
    """Lift rules: those named, or all."""
    known = [rule["number"] for rule in at.get("faults")]
    if missing := sorted(set(numbers or ()) - set(known)):
        raise not_found("rule", missing, f"see keyfleet sim fault list{at.flags}", but="nothing was lifted")
    lifted = sorted(set(numbers)) if numbers else known
    for number in lifted:
        at.delete(f"faults/{number}")
    return Answer({"lifted": lifted}, (line(f"Lifted {counted(len(lifted), 'rule')}."),))


def _meaning(rule: Mapping[str, Any]) -> str:
    late = f" {rule['seconds']:g} s late" if rule["seconds"] else ""
    after = f", after {counted(rule['after'], 'call')}" if rule["after"] else ""
    return f"{rule['fault']}{late} at {rule['operation']}, {_frequency(rule)}{after}"


def _frequency(rule: Mapping[str, Any]) -> str:
    chance = f"{rule['pct']:g} % of the calls" if rule["pct"] is not None else ""
    often = f"{rule['times']} ×" if rule["times"] is not None else ""
    return ", ".join(part for part in (chance, often) if part) or "always"
