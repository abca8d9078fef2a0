"""`keyfleet retry KEY`, `--all-failed` or `--vendor V`: what is mended is made use of at once."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Final

import typer
from rich.console import RenderableType

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, line, plain
from infra.cli.control import ControlPlane
from infra.cli.problems import Refused, not_found
from infra.cli.residue import Json

FUNCTION: Final = "retry-keys"
Key = Annotated[str | None, typer.Argument(help="A key that failed or waits, as status shows it.")]
AllFailed = Annotated[bool, typer.Option("--all-failed", help="All that failed and are wanted still.")]
Vendor = Annotated[str | None, typer.Option(help="All that failed at one vendor, by its code.")]
Tenant = Annotated[
    str | None, typer.Option(help="Whose they are, such as tnt_silk; else they are looked for.")
]


def retry(
    at: FleetAddress,
    key: Key = None,
    all_failed: AllFailed = False,
    vendor: Vendor = None,
    tenant: Tenant = None,
) -> Answer:
    """Request keys anew that failed, and ask at once for one that waits; it costs a key no attempt."""
    if (key is not None) == (all_failed or vendor is not None):
        remedy = f"name a key that keyfleet status{at.flags} shows, or say --all-failed or --vendor"
        raise Refused("either one key is meant, or all that failed", remedy)
    control = ControlPlane(at)
    bodies = _several(control, vendor, tenant) if key is None else [_one(at, control, key, tenant)]
    answers = [control.call(FUNCTION, body) for body in bodies]
    facts = {part: [each for answer in answers for each in answer[part]] for part in ("retried", "refused")}
    facts["left"] = sum(answer.get("left", 0) for answer in answers)
    return Answer(facts, tuple(_said(at, facts)))


def _several(control: ControlPlane, vendor: str | None, tenant: str | None) -> list[Json]:
    """Return what is asked of each tenant that has keys that failed, whose guest comes first first."""
    failed = control.get("failed", tenant=tenant)["failed"]
    tenants = dict.fromkeys(each["tenant"] for each in failed)
    of_vendor = {} if vendor is None else {"vendor": vendor}
    return [{"tenant": each, **of_vendor} for each in tenants]


def _one(at: FleetAddress, control: ControlPlane, key: str, tenant: str | None) -> Json:
    found: Sequence[Json] = control.get("credentials", key=key, tenant=tenant, limit=1)["credentials"]
    if not found:
        raise not_found("key", [key], f"name one that keyfleet status{at.flags} shows")
    return {"tenant": found[0]["tenant"], "key": found[0]["id"]}


def _said(at: FleetAddress, facts: Json) -> Iterator[RenderableType]:
    for each in facts["retried"]:
        anew = ", ".join(each["anew"])
        what = "is asked for again" if each["anew"] == [each["key"]] else f"failed; requested anew: {anew}"
        yield line(plain(each["key"], "bold"), f" {what} at {each['vendor']}.")
    for each in facts["refused"]:
        yield line(plain(each["key"], "bold red"), f" is not: {each['problem']}. {each['remedy']}.")
    if facts["left"]:
        yield line(f"{counted(facts['left'], 'key')} more: say it again.")
    if not facts["retried"] and not facts["refused"]:
        yield line("No key failed that is wanted still.")
    else:
        yield line(f"See what comes of it: keyfleet status{at.flags}")
