"""`keyfleet why STAY|ROOM`: why a door refused, the first cause to be seen to on top."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, moment, plain
from infra.cli.control import ControlPlane
from shared.messages.locales import Locale

Json = Mapping[str, Any]
What = Annotated[str, typer.Argument(help="The booking, such as rsv_1, or the room, such as 204.")]
Tenant = Annotated[str | None, typer.Option(help="Whose it is, where two tenants have the same.")]
Language = Annotated[Locale, typer.Option(help="In which language the guest is told.")]
Kept = Annotated[bool, typer.Option("--kept", help="Tell only what is kept; do not ask the locks now.")]
ASKED: Final = {True: "asked now", False: "it did not answer in time: this is what was known before"}
NEVER: Final = "never"


def why(
    at: FleetAddress,
    what: What,
    tenant: Tenant = None,
    language: Language = Locale.EN,
    kept: Kept = False,
) -> Answer:
    """Ask a lock why it refused a guest: each cause, what to do about it, and what to tell the guest."""
    facts = ControlPlane(at).get("why", what, tenant=tenant, live=None if kept else "true")
    return Answer(facts, tuple(_said(facts, language)))


def _said(facts: Json, language: Locale) -> Iterator[Text]:
    for each in facts["refusals"]:
        yield line(plain(each["label"], "bold"), f"  {each['reservation']} at {each['property']}")
        for cause in each["causes"]:
            sure = "green" if cause["cause"] == "nothing_found" else "bold red"
            yield line("    ", plain(cause["cause"].replace("_", " "), sure), f": {cause['because']}")
            yield line(f"      do: {cause['remedy']}")
            yield line(f"      tell: {cause['guest'][language]}")
        compared, looked = _when(each["compared_at"]), _when(each["looked_at"])
        yield line(plain(f"    its lock was compared {compared}, looked at {looked}", "dim"))
        if each["asked_now"] is not None:
            yield line(plain(f"    {ASKED[each['asked_now']]}", "dim"))


def _when(instant: str | None) -> str:
    return f"{moment(instant)} UTC" if instant else NEVER
