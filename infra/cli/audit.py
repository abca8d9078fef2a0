"""`keyfleet audit`: how the logs stand, evidence to take away, and the rights of guests."""

import base64
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import RenderableType

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, line, moment, plain, table
from infra.cli.command import at_a_place
from infra.cli.control import ControlPlane
from infra.cli.polling import OutOfPatience, Patience
from infra.cli.problems import Failed, Refused

Json = Mapping[str, Any]
PATIENCE: Final = 300.0
Tenant = Annotated[str, typer.Option(help="Whose log, such as tnt_silk.")]
By = Annotated[str, typer.Option(help="Who of staff asks, such as usr_7: the log says so.")]
Guest = Annotated[str, typer.Argument(help="The guest, such as gst_1.")]
Out = Annotated[Path, typer.Option(help="The folder to write into; no file is replaced.")]
Language = Annotated[str, typer.Option(help="Of the page: en, fr, ar, ps or fa-AF.")]
Since = Annotated[str | None, typer.Option(help="From when, such as 2026-11-18T00:00:00Z.")]
Until = Annotated[str | None, typer.Option(help="Until when.")]
Reason = Annotated[str, typer.Option(help="One word, such as police_request.")]
Date = Annotated[str | None, typer.Option(help="The day, such as 2026-11-18; else yesterday.")]

audit = typer.Typer(no_args_is_help=True, help="The audit log: its days, its evidence, the rights of guests.")


def status(at: FleetAddress) -> Answer:
    """Show up to which day each log is closed, and whether one is overdue."""
    facts = ControlPlane(at).call("audit-status", {})
    heads = ("log", "closed", "entries", "closed at (UTC)", "next")
    rows = [
        (
            each["log"],
            each["closed"] or "never",
            each["size"],
            moment(each["closed_at"]) if each["closed_at"] else "",
            plain(f"{each['next']}, overdue", "bold red") if each["overdue"] else each["next"] or "",
        )
        for each in facts["logs"]
    ]
    late = any(each["overdue"] for each in facts["logs"])
    ways = (line("See infra/runbooks/audit/anchor.md."),) if late else ()
    return Answer(facts, (table(heads, rows), *ways), int(late))


def anchor(at: FleetAddress, date: Date = None) -> Answer:
    """Close the logs up to a day now, as each night does, and wait for it."""
    control = ControlPlane(at, patience=PATIENCE)
    started = control.call("anchor-due", {"date": date})
    try:
        ended = Patience().until(lambda: _ended(control, started["execution"]), PATIENCE)
    except OutOfPatience:
        remedy = f"keyfleet workflow show {started['execution']}{at.flags}"
        raise Failed(f"{started['date']} is not closed within {PATIENCE:g} s", remedy) from None
    if ended["state"] != "SUCCEEDED":
        raise Failed(f"{started['date']} could not be closed", "see infra/runbooks/audit/anchor.md")
    facts = {**started, **(ended.get("result") or {})}
    left = f", but for {', '.join(facts['open'])}" if facts.get("open") else ""
    return Answer(facts, (line(f"Closed up to {facts['date']}{left}."),), int(bool(left)))


def pack(  # noqa: PLR0913, PLR0917 - each is an option of the command line
    at: FleetAddress,
    tenant: Tenant,
    by: By,
    stay: Annotated[str | None, typer.Option(help="A stay, such as rsv_1.")] = None,
    staff: Annotated[str | None, typer.Option(help="A person of staff, such as usr_7.")] = None,
    place: Annotated[str | None, typer.Option("--property", help="The property of the doors.")] = None,
    room: Annotated[
        list[str] | None, typer.Option(help="A room, whose door is meant; again for more.")
    ] = None,
    since: Since = None,
    until: Until = None,
    language: Language = "en",
    out: Out = Path(),
) -> Answer:
    """Write evidence: who could open, did, was refused, looked; a pack to verify and a page to read."""
    about = {"stay": ("reservation", stay), "staff": ("staff", staff), "door": ("property", place)}
    named = [(kind, {name: value}) for kind, (name, value) in about.items() if value is not None]
    if len(named) != 1:
        raise Refused("nothing is asked about, or several things", "name one: --stay, --staff or --property")
    (kind, which) = named[0]
    asked = {"kind": kind, **which, "tenant": tenant, "by": by, "language": language}
    times = {"rooms": room or [], "since": _instant("--since", since), "until": _instant("--until", until)}
    facts = ControlPlane(at, patience=PATIENCE).call("audit-pack", {**asked, **times})
    return _written(facts, out, f"{kind}-{next(iter(which.values()))}")


def export(
    at: FleetAddress, guest: Guest, tenant: Tenant, by: By, language: Language = "en", out: Out = Path()
) -> Answer:
    """Write all that is kept of a guest: stays, keys, and every entry of the log with its proof."""
    asked = {"do": "export", "guest": guest, "tenant": tenant, "by": by, "language": language}
    facts = ControlPlane(at, patience=PATIENCE).call("audit-rights", asked)
    return _written(facts, out, f"guest-{guest}")


def erase(at: FleetAddress, guest: Guest, tenant: Tenant, by: By, reason: Reason = "asked") -> Answer:
    """Erase what may go; of audit, say until when it has to stay, and why."""
    facts = _of_guest(at, "erase", guest, tenant, by, reason)
    kept = facts["audit"]
    said = f"Contacts erased: {facts['contacts_erased']}."
    stays = (
        f"Audit is kept until {kept['kept_until']}: {kept['because']}."
        if kept["kept_until"]
        else "Audit has none."
    )
    phones = [line(f"{each['key']}: {each['because']}.") for each in facts["accounts_kept"]]
    return Answer(facts, (line(said), line(stays), *phones))


def hold(at: FleetAddress, guest: Guest, tenant: Tenant, by: By, reason: Reason) -> Answer:
    """Keep a guest's entries legible beyond the window, for somebody who has a right to it."""
    return _holds(_of_guest(at, "hold", guest, tenant, by, reason))


def release(at: FleetAddress, guest: Guest, tenant: Tenant, by: By, reason: Reason) -> Answer:
    """Take a reason to hold away."""
    return _holds(_of_guest(at, "release", guest, tenant, by, reason))


def log(at: FleetAddress, tenant: Tenant) -> Answer:
    """List what guests asked for, and who was shown what."""
    facts = ControlPlane(at).call("audit-rights", {"do": "list", "tenant": tenant})
    heads = ("at (UTC)", "what", "about", "by", "outcome")
    rows = [
        (moment(each["at"]), each["what"], f"{each['kind']} {each['about']}", each["by"], each["outcome"])
        for each in facts["requests"]
    ]
    return Answer(facts, (table(heads, rows) if rows else line("Nobody asked for anything."),))


def policy(at: FleetAddress, tenant: Tenant) -> Answer:
    """Print the keys that a tenant's auditors trust: give them by another way than any pack."""
    facts = ControlPlane(at).call("audit-pack", {"do": "policy", "tenant": tenant})
    return Answer(facts, (plain(facts["policy"].rstrip("\n")),))


def rotate(at: FleetAddress, tenant: Tenant) -> Answer:
    """Have a log turn to another key with its next day; tnt_platform means the cell's."""
    facts = ControlPlane(at).call("audit-keys", {"tenant": tenant})
    return Answer(facts, (line(f"With its next day, the log turns to {facts['coming']}."),))


def keep(
    at: FleetAddress, tenant: Tenant, days: Annotated[int, typer.Argument(help="At least 2557.")]
) -> Answer:
    """Keep a tenant's audit for longer than the seven years of the law."""
    facts = ControlPlane(at).call("audit-rights", {"do": "keep", "tenant": tenant, "days": days})
    return Answer(facts, (line(f"The audit of {tenant} is kept for {counted(days, 'day')}."),))


def egress(at: FleetAddress, tenant: Tenant) -> Answer:
    """List what leaves the cell for a tenant: calls to its vendors' clouds, and hashes to the witness."""
    facts = ControlPlane(at).call("audit-status", {"do": "egress", "tenant": tenant})
    rows = [(each["vendor"], each["locks"], ", ".join(each["properties"])) for each in facts["vendors"]]
    witness = (
        f"Hashes of the cell's log go to {facts['witness']}." if facts["witness"] else "No witness is set up."
    )
    return Answer(facts, (table(("vendor", "locks", "properties"), rows), line(witness)))


def witness(
    at: FleetAddress,
    bucket: Annotated[str, typer.Option(help="A bucket of S3 with Object Lock, in another account.")],
    region: Annotated[str, typer.Option(help="The region it is in.")],
    role: Annotated[str | None, typer.Option(help="The role our function takes there.")] = None,
    endpoint: Annotated[str | None, typer.Option(help="Where it answers, if not at AWS.")] = None,
) -> Answer:
    """Have a bucket outside our cloud witness the cell's log from the next day on."""
    asked = {"do": "set-up", "bucket": bucket, "region": region, "role": role, "endpoint": endpoint}
    facts = ControlPlane(at).call("audit-witness", asked)
    return Answer(facts, (line(f"From the next day on, {facts['witness']} cosigns the cell."),))


def desk(
    at: FleetAddress, key: Annotated[str, typer.Argument(help="The desk's key, as it shows it.")]
) -> Answer:
    """Trust a desk as a witness of the cell: its lines are kept, and packs ask for one."""
    facts = ControlPlane(at).call("audit-cosign", {"do": "trust", "key": key})
    return Answer(facts, (line(f"{counted(len(facts['witnesses']), 'desk')} may cosign the cell."),))


def _instant(option: str, text: str | None) -> str | None:
    """Return an instant with its offset as it was given; a day alone has none, for hotels have zones."""
    try:
        read = None if text is None else datetime.fromisoformat(text)
    except ValueError:
        raise Refused(f"{option}: {text!r:.64} is no time", "write it as 2026-11-22T00:00:00Z") from None
    if read is not None and read.tzinfo is None:
        whole = f"{read.isoformat()}Z"
        raise Refused(f"{option}: {text!r:.64} says nothing of its zone", f"write it as {whole}")
    return text


def _of_guest(at: FleetAddress, do: str, guest: str, tenant: str, by: str, reason: str) -> Json:
    asked = {"do": do, "guest": guest, "tenant": tenant, "by": by, "reason": reason}
    return ControlPlane(at).call("audit-rights", asked)


def _holds(facts: Json) -> Answer:
    held = ", ".join(facts["holds"])
    return Answer(facts, (line(f"Held for: {held}." if held else "Nobody holds it any more."),))


def _ended(control: ControlPlane, execution: str) -> Json | None:
    shown = control.get("executions", execution)
    return None if shown["state"] in ("ACTIVE", "QUEUED") else shown


def _written(facts: Json, out: Path, name: str) -> Answer:
    """Write pack, page and keys into files of our own, and say how to check them."""
    files = {"jsonl": base64.b64decode(facts["pack"]), "html": facts["page"], "policy": facts["policy"]}
    told = {key: value for key, value in facts.items() if key not in ("pack", "page", "policy")}
    written = {kind: _new_file(out / f"audit-{name}.{kind}", content) for kind, content in files.items()}
    check = f"To check it: keyfleet verify {written['jsonl']} --policy {written['policy']}"
    said: list[RenderableType] = [
        line(f"{counted(facts['entries'], 'entry')} up to {facts['closed_up_to']}.")
    ]
    said += [line(path) for path in written.values()]
    return Answer({**told, "files": written}, (*said, line(check)))


def _new_file(path: Path, content: str | bytes) -> str:
    """Create a file for its owner alone; what it holds is about people."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=False)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    except FileExistsError as error:
        taken = error.filename or path
        raise Refused(
            f"{taken} is there already", "move it away, or name another folder with --out"
        ) from None
    except OSError as error:
        raise Refused(f"cannot write {path}: {error.strerror}", "name a folder with --out") from None
    return str(path)


for _command in (
    status,
    anchor,
    pack,
    export,
    erase,
    hold,
    release,
    log,
    policy,
    rotate,
    keep,
    egress,
    witness,
    desk,
):
    audit.command(_command.__name__)(at_a_place(_command))
