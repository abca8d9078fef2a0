"""`keyfleet break-glass …`: seeing a vendor's account in an emergency, once two others agree."""

import base64
import json
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import quote

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, moment, plain, table
from infra.cli.command import at_a_place
from infra.cli.inputs import read_text
from infra.cli.person import Json, Person
from infra.cli.problems import Refused
from shared.domain.permissions import Role

ROUTE: Final = "account-api/lock/v1/break-glass"
Glass = Annotated[str, typer.Argument(help="Which, such as brk_….")]
Tenant = Annotated[str, typer.Option(help="Whose it is, such as tnt_silk.")]
By = Annotated[str, typer.Option(help="Who says so, such as usr_guard.")]
break_glass = typer.Typer(
    no_args_is_help=True, help="A vendor's account, shown in an emergency: two others must agree."
)


def ask(  # noqa: PLR0913, PLR0917 - each is an option of the command line
    at: FleetAddress,
    incident: Annotated[str, typer.Argument(help="The documented incident, such as INC-7.")],
    tenant: Tenant,
    place: Annotated[str, typer.Option("--property", help="The property, such as ppt_kabul.")],
    vendor: Annotated[str, typer.Option(help="The vendor's code: keyfleet account list.")],
    because: Annotated[str, typer.Option(help="Why, in one word, such as vendor_outage.")],
    by: By,
    minutes: Annotated[int, typer.Option(help="For how long, an hour at most.")] = 30,
    out: Annotated[Path, typer.Option(help="The folder to keep your key in.")] = Path(),
) -> Answer:
    """Ask to see an account; your key, by which alone it can be read, is kept in a file."""
    from nacl.public import PrivateKey

    key = PrivateKey.generate()
    public = base64.b64encode(bytes(key.public_key)).decode()
    wanted = {"propertyId": place, "vendor": vendor, "incident": incident, "because": because}
    asked = {**wanted, "minutes": minutes, "sealTo": public}
    facts = Person(at, tenant, by, Role.SECURITY).ask(ROUTE, asked)
    file = _kept(out / f"{facts['breakGlassId']}.key", bytes(key))
    name = facts["breakGlassId"]
    told = f"Two others must agree by {moment(facts['decidedUntil'])}: keyfleet break-glass agree {name}"
    said = (line(plain(name, "bold"), f", your key is in {file}"), line(told))
    return Answer({**facts, "key": str(file)}, said)


def agree(at: FleetAddress, glass: Glass, tenant: Tenant, by: By) -> Answer:
    """Agree to what another asks for."""
    return _judged(at, glass, tenant, by, "agreed")


def refuse(at: FleetAddress, glass: Glass, tenant: Tenant, by: By) -> Answer:
    """Refuse what another asks for: it is over."""
    return _judged(at, glass, tenant, by, "refused")


def read(
    at: FleetAddress,
    glass: Glass,
    tenant: Tenant,
    by: By,
    key: Annotated[Path, typer.Option(help="The file with your key.")],
) -> Answer:
    """Print the account, to the one who asked, while it is open."""
    from nacl.exceptions import CryptoError
    from nacl.public import PrivateKey, SealedBox

    facts = Person(at, tenant, by, Role.SECURITY).ask(f"{ROUTE}/{quote(glass, safe='')}")
    box = facts.get("sealedAccount")
    if box is None:
        raise Refused(f"{glass} is {facts['stage']}, and shows you nothing", "see keyfleet break-glass list")
    try:
        secret = PrivateKey(base64.b64decode(read_text(key, "--key").strip()))
        account = SealedBox(secret).decrypt(base64.b64decode(box))
    except (ValueError, TypeError, CryptoError):
        raise Refused(f"{key} does not open it", "name the file that was written as you asked") from None
    shown = json.loads(account)
    return Answer(shown, (plain(json.dumps(shown, indent=2)),))


def close(at: FleetAddress, glass: Glass, tenant: Tenant, by: By) -> Answer:
    """Close it before its time; the account is to be replaced."""
    facts = Person(at, tenant, by, Role.SECURITY).ask(f"{ROUTE}/{quote(glass, safe='')}/closing", {})
    return _said(facts, "Bring the next account now: infra/runbooks/cloud/vendor-accounts.md")


def list_glass(at: FleetAddress, tenant: Tenant, by: By = "usr_local") -> Answer:
    """List all there were, with who asked, who agreed, and how each ended."""
    facts = Person(at, tenant, by, Role.AUDITOR).ask(ROUTE)
    heads = ("which", "incident", "vendor", "asked by", "at", "agreed", "stage", "ended by")
    rows = [
        (
            each["breakGlassId"],
            each["incident"],
            each["vendor"],
            each["askedBy"],
            moment(each["askedAt"]),
            ", ".join(one["by"] for one in each["approvals"]),
            each["stage"],
            each.get("endedBy", ""),
        )
        for each in facts["incidents"]
    ]
    return Answer(facts, (table(heads, rows) if rows else line("No glass was ever broken."),))


def _judged(at: FleetAddress, glass: str, tenant: str, by: str, verdict: str) -> Answer:
    asked = Person(at, tenant, by, Role.GM).ask(
        f"{ROUTE}/{quote(glass, safe='')}/verdict", {"verdict": verdict}
    )
    return _said(asked, f"Agreed so far: {len(asked['approvals'])} of 2.")


def _said(facts: Json, more: str) -> Answer:
    return Answer(facts, (line(plain(facts["breakGlassId"], "bold"), f" is {facts['stage']}."), line(more)))


def _kept(path: Path, key: bytes) -> Path:
    try:
        path.touch(mode=0o600, exist_ok=False)
        path.write_text(base64.b64encode(key).decode(), encoding="ascii")
    except OSError as error:
        raise Refused(f"cannot write {path}: {error.strerror}", "name a folder with --out") from None
    return path


for _command in (ask, agree, refuse, read, close):
    break_glass.command(_command.__name__)(at_a_place(_command))
break_glass.command("list")(at_a_place(list_glass))
