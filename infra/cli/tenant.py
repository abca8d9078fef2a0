"""`keyfleet tenant`: all that is kept of a company, written to files, proven, and removed for good."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import orjson
import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, line, plain, table
from infra.cli.command import at_a_place, on_its_own
from infra.cli.control import ControlPlane
from infra.cli.problems import Failed, Refused
from infra.cli.tenant_files import BOXES, DOCUMENTS, FORM, MANIFEST, By, Folder, Json, Really, Tenant, proven
from infra.cli.tenant_move import PATIENCE, bring, freeze, hear, invite, set_aside, thaw

Out = Annotated[Path, typer.Option(help="A folder that is not there yet.")]
To = Annotated[
    str | None,
    typer.Option(
        help="The key that tenant invite printed in the other cell: secrets go along, sealed for it."
    ),
]
Arrived = Annotated[
    str | None, typer.Option(help="Of one that moved: the digest that its import in the other cell printed.")
]

tenant = typer.Typer(no_args_is_help=True, help="A company: what is kept of it, exported, proven, removed.")


def show(at: FleetAddress, company: Tenant) -> Answer:
    """Show how much is kept of a company, what of it outlives the company, and what keeps it from going."""
    facts = _control(at).get("tenants", company)
    return Answer(facts, tuple(_said(facts)), int(bool(facts["hindered"])))


def export(at: FleetAddress, company: Tenant, out: Out, to: To = None) -> Answer:
    """Write a company's every document into a folder, proven whole; secrets sealed for whom --to says."""
    control = _control(at)
    goes = {} if to is None else control.get("tenants", company, "departure")
    before = control.get("tenants", company)
    _new_folder(out)
    with _written_into(out):
        counts, whole = _written(out / DOCUMENTS, _documents(control, company))
        if to is not None:
            boxes, digest = _written(out / BOXES, _boxes(control, company, to))
            goes = {**goes, "form": FORM, "boxes": dict(sorted(boxes.items())), "boxes_sha256": digest}
    after = control.get("tenants", company)
    manifest = {
        "tenant": company,
        "counts": dict(sorted(counts.items())),
        "sha256": whole,
        "still": before["digest"] == after["digest"],
        "not_in_it": {each: after[each] for each in ("sealed", "secrets", "audit_files")},
        **goes,
    }
    with _written_into(out), _new_file(out / MANIFEST) as file:
        file.write(orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n")
    if to is not None and manifest["still"]:
        control.post("tenants", company, "exported", body={"sha256": manifest["sha256"]})
    moved = () if manifest["still"] else (line("It changed meanwhile: export it again once it is at rest."),)
    said = line(plain(counted(counts.total(), "document"), "bold"), f" in {out / DOCUMENTS}")
    return Answer(manifest, (said, *moved), int(not manifest["still"]))


def prove(folder: Folder) -> Answer:
    """Check an export: nothing changed, nothing missing, counted by its manifest, all of one moment."""
    manifest = proven(folder)
    documents = sum(manifest["counts"].values())
    facts = {"tenant": manifest["tenant"], "documents": documents, "sha256": manifest["sha256"]}
    return Answer(facts, (line(f"Whole: {counted(documents, 'document')} of {manifest['tenant']}."),))


def remove(
    at: FleetAddress, company: Tenant, by: By, really: Really = None, arrived: Arrived = None
) -> Answer:
    """Remove a company: dry unless --really; the audit log stays for its time. Broken off, it goes on."""
    control = _control(at)
    facts = control.get("tenants", company)
    if really is None or (facts["hindered"] and arrived is None):
        return Answer({**facts, "removed": {}}, tuple(_said(facts)), int(bool(facts["hindered"])))
    if really != company:
        raise Refused(f"--really {really} is another company", f"say --really {company}")
    told = {"tenant": company, "by": by, **({"arrived": arrived} if arrived else {})}
    facts = control.post("tenants", company, "removal", body=told)
    gone = ", ".join(f"{many} of {what}" for what, many in sorted(facts["removed"].items()))
    return Answer(facts, (line(plain("Removed", "bold"), f": {gone}."), *_said(facts)))


def _control(at: FleetAddress) -> ControlPlane:
    return ControlPlane(at, patience=PATIENCE)


def _written(path: Path, told: Iterator[Json]) -> tuple[Counter[str], str]:
    """Write what is told, a line each; return how many of each collection, and their digest."""
    counts, whole = Counter[str](), hashlib.sha256()
    with _new_file(path) as file:
        for each in told:
            written = orjson.dumps(each, option=orjson.OPT_SORT_KEYS) + b"\n"
            counts[each["collection"]] += 1
            whole.update(written)
            file.write(written)
    return counts, whole.hexdigest()


def _boxes(control: ControlPlane, company: str, key: str) -> Iterator[Json]:
    place: tuple[str | None, ...] | None = (None, None, None)
    while place is not None:
        at = dict(zip(("db", "collection", "id"), place, strict=True))
        page = control.get("tenants", company, "boxes", key=key, **at)
        yield from page["boxes"]
        place = page["next"]


def _documents(control: ControlPlane, company: str) -> Iterator[Json]:
    place: tuple[str | None, str | None] | None = (None, None)
    while place is not None:
        page = control.get("tenants", company, "documents", collection=place[0], id=place[1])
        yield from page["documents"]
        place = page["next"]


def _said(facts: Json) -> Iterator[Any]:
    kept = set(facts["audit"])
    rows = [
        (name, many, "outlives it" if name in kept else "")
        for part in ("documents", "sealed")
        for name, many in sorted(facts[part].items())
    ]
    yield table(("kept", "how many", ""), rows)
    until = facts["audit_kept_until"] or "no day"
    files = f"files of the audit log: {facts['audit_files']}, until {until}"
    yield line(f"{counted(facts['secrets'], 'secret')}; {files}")
    if follows := facts.get("audit_follows"):
        yield line(
            f"its log goes on from {follows['origin']}, of {follows['size']} entries up to {follows['date']}"
        )
    yield line(f"digest {facts['digest']}")
    yield from (line(plain("Not yet", "bold red"), f": {each}") for each in facts["hindered"])


@contextmanager
def _written_into(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Failed(
            f"{folder} could not be written: {error.strerror}", "make room, and name another"
        ) from None


def _new_folder(out: Path) -> None:
    """Make a folder for its owner alone; what goes into it is about people."""
    try:
        out.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise Refused(f"{out} is there already", "name a folder that is not") from None
    except OSError as error:
        raise Refused(f"{out} cannot be made: {error.strerror}", "name another folder with --out") from None


def _new_file(path: Path) -> BinaryIO:
    path.touch(mode=0o600, exist_ok=False)
    return path.open("wb")


tenant.command("show")(at_a_place(show))
tenant.command("export")(at_a_place(export))
tenant.command("prove")(on_its_own(prove))
tenant.command("remove")(at_a_place(remove))
tenant.command("invite")(at_a_place(invite))
tenant.command("freeze")(at_a_place(freeze))
tenant.command("thaw")(at_a_place(thaw))
tenant.command("import")(at_a_place(bring))
tenant.command("set-aside")(at_a_place(set_aside))
tenant.command("hear")(at_a_place(hear))
