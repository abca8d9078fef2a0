"""`keyfleet tenant`: all that is kept of a company, written to files, proven, and removed for good."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final

import orjson
import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, line, plain, table
from infra.cli.command import at_a_place, on_its_own
from infra.cli.control import ControlPlane
from infra.cli.problems import Failed, Refused

Json = Mapping[str, Any]
DOCUMENTS: Final = "documents.jsonl"
MANIFEST: Final = "manifest.json"
PROVEN: Final = frozenset({"tenant", "counts", "sha256", "still"})
"""What an export is proven by."""
AGAIN: Final = "export it again once it is at rest"
PATIENCE: Final = 300.0
Tenant = Annotated[str, typer.Argument(help="The company, such as tnt_silk.")]
Out = Annotated[Path, typer.Option(help="A folder that is not there yet.")]
Folder = Annotated[Path, typer.Argument(help="The folder of an export.")]
By = Annotated[str, typer.Option(help="Who decided, such as usr_7: the log says so.")]
Really = Annotated[
    str | None, typer.Option("--really", help="The company once more; without it nothing is removed.")
]

tenant = typer.Typer(no_args_is_help=True, help="A company: what is kept of it, exported, proven, removed.")


def show(at: FleetAddress, company: Tenant) -> Answer:
    """Show how much is kept of a company, what of it outlives the company, and what keeps it from going."""
    facts = _control(at).get("tenants", company)
    return Answer(facts, tuple(_said(facts)), int(bool(facts["hindered"])))


def export(at: FleetAddress, company: Tenant, out: Out) -> Answer:
    """Write a company's every document into a folder, with a manifest that proves it whole; no secret."""
    control = _control(at)
    before = control.get("tenants", company)
    _new_folder(out)
    counts, whole = Counter[str](), hashlib.sha256()
    with _written_into(out), _new_file(out / DOCUMENTS) as file:
        for each in _documents(control, company):
            written = orjson.dumps(each, option=orjson.OPT_SORT_KEYS) + b"\n"
            counts[each["collection"]] += 1
            whole.update(written)
            file.write(written)
    after = control.get("tenants", company)
    manifest = {
        "tenant": company,
        "counts": dict(sorted(counts.items())),
        "sha256": whole.hexdigest(),
        "still": before["digest"] == after["digest"],
        "not_in_it": {each: after[each] for each in ("sealed", "secrets", "audit_files")},
    }
    with _written_into(out), _new_file(out / MANIFEST) as file:
        file.write(orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n")
    moved = () if manifest["still"] else (line("It changed meanwhile: export it again once it is at rest."),)
    said = line(plain(counted(counts.total(), "document"), "bold"), f" in {out / DOCUMENTS}")
    return Answer(manifest, (said, *moved), int(not manifest["still"]))


def prove(folder: Folder) -> Answer:
    """Check an export: nothing changed, nothing missing, counted by its manifest, all of one moment."""
    manifest = _manifest(folder)
    counts, whole = _counted(folder)
    if (whole, counts) != (manifest["sha256"], manifest["counts"]):
        raise _another(folder, f"{DOCUMENTS} is not what {MANIFEST} counts")
    if manifest["still"] is not True:
        raise Failed(f"{folder} is of no one moment: the company changed meanwhile", AGAIN)
    many = counted(counts.total(), "document")
    facts = {"tenant": manifest["tenant"], "documents": counts.total(), "sha256": manifest["sha256"]}
    return Answer(facts, (line(f"Whole: {many} of {manifest['tenant']}."),))


def remove(at: FleetAddress, company: Tenant, by: By, really: Really = None) -> Answer:
    """Remove a company: dry unless --really; the audit log stays for its time. Broken off, it goes on."""
    control = _control(at)
    facts = control.get("tenants", company)
    if really is None or facts["hindered"]:
        return Answer({**facts, "removed": {}}, tuple(_said(facts)), int(bool(facts["hindered"])))
    if really != company:
        raise Refused(f"--really {really} is another company", f"say --really {company}")
    facts = control.post("tenants", company, "removal", body={"tenant": company, "by": by})
    gone = ", ".join(f"{many} of {what}" for what, many in sorted(facts["removed"].items()))
    return Answer(facts, (line(plain("Removed", "bold"), f": {gone}."), *_said(facts)))


def _control(at: FleetAddress) -> ControlPlane:
    return ControlPlane(at, patience=PATIENCE)


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


def _manifest(folder: Path) -> Json:
    try:
        found = orjson.loads((folder / MANIFEST).read_bytes())
    except OSError:
        raise Refused(f"{folder / MANIFEST} cannot be read", "name the folder of an export") from None
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict) or not found.keys() >= PROVEN:
        raise _another(folder, f"{MANIFEST} is none of an export")
    return found


def _counted(folder: Path) -> tuple[Counter[str], str]:
    """Return how many documents of each collection lie in an export, and their digest."""
    counts, whole = Counter[str](), hashlib.sha256()
    try:
        with (folder / DOCUMENTS).open("rb") as file:
            for number, written in enumerate(file, 1):
                counts[_collection(folder, number, written)] += 1
                whole.update(written)
    except OSError as error:
        raise _another(folder, f"{DOCUMENTS} cannot be read: {error.strerror}") from None
    return counts, whole.hexdigest()


def _collection(folder: Path, number: int, written: bytes) -> str:
    try:
        return str(orjson.loads(written)["collection"])
    except (orjson.JSONDecodeError, LookupError, TypeError):
        raise _another(folder, f"line {number} of {DOCUMENTS} is no document") from None


def _another(folder: Path, why: str) -> Failed:
    remedy = "export it again, or look for the copy that is"
    return Failed(f"{folder} is not what was exported: {why}", remedy)


tenant.command("show")(at_a_place(show))
tenant.command("export")(at_a_place(export))
tenant.command("prove")(on_its_own(prove))
tenant.command("remove")(at_a_place(remove))
