"""`keyfleet hold STAY` and `keyfleet release STAY`: the keys of a stay rest on somebody's word, and wake."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, line, plain
from infra.cli.control import ControlPlane
from infra.cli.problems import not_found
from shared.domain.kinds import SuspendReason

HOLD, RELEASE = "hold-stay", "release-stay"
REASONS: Final = tuple(SuspendReason)
Json = Mapping[str, Any]
Stay = Annotated[str, typer.Argument(help="The booking, such as rsv_1.")]
Reason = Annotated[str, typer.Option(help=f"Why: {', '.join(REASONS)}.")]
By = Annotated[str, typer.Option(help="Who orders it, such as usr_7: audit keeps that.")]
Tenant = Annotated[str | None, typer.Option(help="Whose it is, where two tenants have the same id.")]


def hold(
    at: FleetAddress, stay: Stay, by: By, reason: Reason = SuspendReason.MANUAL, tenant: Tenant = None
) -> Answer:
    """Let the keys of a stay rest, now and whenever they are made anew, until it is released."""
    facts = _ordered(at, HOLD, {"reservation": stay, "reason": reason, "by": by}, tenant)
    said = line(plain(stay, "bold"), f" is held ({reason.replace('_', ' ')}): {_keys(facts)} to rest.")
    return Answer(facts, (said, *_ways(at, facts, f"keyfleet release {stay} --reason {reason} --by {by}")))


def release(
    at: FleetAddress, stay: Stay, by: By, reason: Reason = SuspendReason.MANUAL, tenant: Tenant = None
) -> Answer:
    """Take a reason to rest away from a stay; with the last its keys wake, with the same PIN."""
    facts = _ordered(at, RELEASE, {"reservation": stay, "reason": reason, "by": by}, tenant)
    left = facts["holds"]
    said = line(plain(stay, "bold"), f" is not held for {reason.replace('_', ' ')}")
    rests = (
        f", but still is for {', '.join(left).replace('_', ' ')}"
        if left
        else f": {_keys(facts)} to open again"
    )
    return Answer(facts, (line(said, rests, "."), *_ways(at, facts)))


def _ordered(at: FleetAddress, function: str, order: Json, tenant: str | None) -> Json:
    if order["reason"] not in REASONS:
        raise not_found("reason to hold a stay", [str(order["reason"])], f"name one of {', '.join(REASONS)}")
    control, stay = ControlPlane(at), str(order["reservation"])
    whose = control.get("timeline", stay, tenant=tenant)["tenant"]
    facts = control.call(function, {**order, "tenant": whose})
    record = control.get("documents", whose, "reservations", stay)["document"] or {}
    return {**order, "tenant": whose, "keys": facts["keys"], "holds": record.get("holds", [])}


def _keys(facts: Json) -> str:
    count = len(facts["keys"])
    return (
        f"{counted(count, 'key')} {'has' if count == 1 else 'have'}" if count else "its keys, once made, have"
    )


def _ways(at: FleetAddress, facts: Json, back: str | None = None) -> Iterator[Text]:
    yield line(
        plain("    the locks follow as they are asked: ", "dim"),
        f"keyfleet credentials --reservation {facts['reservation']}{at.flags}",
    )
    if back:
        yield line(plain("    to take it back: ", "dim"), f"{back}{at.flags}")
