"""`keyfleet tenant invite`, `freeze`, `thaw`, `import`: a company moves from one cell to another."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, line, plain
from infra.cli.control import ControlPlane
from infra.cli.polling import OutOfPatience, Patience
from infra.cli.problems import Failed, Refused
from infra.cli.tenant_files import BOXES, DOCUMENTS, By, Folder, Json, Really, Tenant, lines_of, proven

To = Annotated[
    str, typer.Option(help="The cell that it goes to, by its name: keyfleet tenant invite prints it.")
]
Leaves = Annotated[
    str | None,
    typer.Option(help="The region that it leaves; only where its contract lets its records leave it."),
]
PATIENCE: Final = 300.0
Key = Annotated[str, typer.Option("--to", help="The key that tenant invite printed in the new cell.")]
Out = Annotated[Path, typer.Option(help="A file that is not there yet.")]
File = Annotated[Path, typer.Argument(help="What tenant set-aside wrote.")]
COMPARED_WITHIN: Final = 120.0
AT_ONCE: Final = 100
MOST_BYTES: Final = 2_000_000


def invite(at: FleetAddress, company: Tenant, by: By) -> Answer:
    """Print the key that another cell seals a company's secrets for, good for a week; run in the new cell."""
    facts = ControlPlane(at).post("tenants", company, "invitation", body={"by": by})
    said = line(plain(facts["key"], "bold"))
    return Answer(
        facts, (said, line(f"In its old cell: keyfleet tenant freeze {company} --to {facts['cell']}"))
    )


def freeze(at: FleetAddress, company: Tenant, to: To, by: By, leaves: Leaves = None) -> Answer:
    """Stop working for a company that moves: events are set aside, callers refused; run in the old cell."""
    body = {"to": to, "by": by, "leaves": leaves}
    facts = ControlPlane(at).post("tenants", company, "freeze", body=body)
    until = facts["rests_until"]
    return Answer(facts, (line(plain("Frozen", "bold"), f". It can be exported for {to} from {until} on."),))


def thaw(at: FleetAddress, company: Tenant, by: By, really: Really = None) -> Answer:
    """Work for a company again that goes nowhere; --really if it was exported and the other cell has none."""
    facts = ControlPlane(at).post("tenants", company, "thaw", body={"by": by, "nowhere": really})
    return Answer(facts, (line(f"{company} is at work here again."),))


def bring(at: FleetAddress, folder: Folder, by: By) -> Answer:
    """Take in a company that another cell exported for this one. Broken off, the same again goes on."""
    manifest, control = proven(folder), ControlPlane(at, patience=PATIENCE)
    company, told = manifest["tenant"], {"by": by, "manifest": manifest}
    if not control.post("tenants", company, "arrival", body=told)["here"]:
        for name, what in ((BOXES, "boxes"), (DOCUMENTS, "documents")):
            for page in _pages(lines_of(folder, name)):
                control.post("tenants", company, "arrival", what, body={what: page})
    _compared(control, company, told)
    digest = manifest["sha256"]
    many = counted(sum(manifest["counts"].values()), "document")
    done = line(plain("Arrived", "bold"), f": {many}, and all its locks are compared.")
    goes = line(
        f"In its old cell: keyfleet tenant remove {company} --by {by} --really {company} --arrived {digest}"
    )
    return Answer({"tenant": company, "arrived": digest}, (done, goes))


def set_aside(at: FleetAddress, company: Tenant, out: Out, to: Key) -> Answer:
    """Write what came for a company since it was frozen, sealed for the new cell; run in the old one."""
    boxes = ControlPlane(at, patience=PATIENCE).get("tenants", company, "set-aside", key=to)["boxes"]
    try:
        with out.open("xb") as file:
            file.writelines(orjson.dumps({"tenant": company, **each}) + b"\n" for each in boxes)
    except OSError as error:
        raise Refused(f"{out} cannot be written: {error.strerror}", "name a file that is not there") from None
    many = counted(len(boxes), "event")
    return Answer({"tenant": company, "events": len(boxes)}, (line(f"{many} in {out}"),))


def hear(at: FleetAddress, file: File) -> Answer:
    """Publish what the old cell set aside for a company; again has no effect; run in the new one."""
    try:
        boxes = [orjson.loads(each) for each in file.read_bytes().splitlines()]
        companies = sorted({str(each["tenant"]) for each in boxes})
    except (OSError, ValueError, LookupError, TypeError):
        raise Refused(f"{file} is no file of keyfleet tenant set-aside", "name one") from None
    control = ControlPlane(at, patience=PATIENCE)
    for company in companies:
        for page in _pages(each for each in boxes if each["tenant"] == company):
            control.post("tenants", company, "arrival", "events", body={"boxes": page})
    return Answer({"events": len(boxes)}, (line(f"Published {counted(len(boxes), 'event')}."),))


def _pages(told: Iterator[Json]) -> Iterator[list[Json]]:
    page, size = list[Json](), 0
    for each in told:
        if page and (len(page) == AT_ONCE or size > MOST_BYTES):
            yield page
            page, size = [], 0
        page.append(each)
        size += len(orjson.dumps(each))
    if page:
        yield page


def _compared(control: ControlPlane, company: str, told: Json) -> None:
    """Have every lock compared that was not, and wait; nothing is done at any before."""
    if not _waiting(control, company):
        return
    failed = control.post("tenants", company, "arrival", "end", body=told)["failed"]
    try:
        Patience().until(lambda: None if _waiting(control, company) else True, COMPARED_WITHIN)
    except OutOfPatience:
        where = ", ".join([*failed, *_waiting(control, company)])
        remedy = "no key is placed or removed before: mend that, and import the same export again"
        raise Failed(f"not all its locks are compared: {where}", remedy) from None


def _waiting(control: ControlPlane, company: str) -> list[Any]:
    waiting: list[Any] = control.post("tenants", company, "arrival", "settled")["waiting"]
    return waiting
