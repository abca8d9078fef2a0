"""`keyfleet message list|show|resend|apps`: what a stay's guest was told, how far it came, and once more."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from functions.backoffice.console_reasons import in_words
from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane
from infra.cli.wall import both

Json = Mapping[str, Any]
FUNCTION: Final = "guest-messages"
Stay = Annotated[str, typer.Argument(help="The booking, such as rsv_1.")]
Message = Annotated[str, typer.Argument(help="The message, as keyfleet message list shows it.")]
Tenant = Annotated[str | None, typer.Option(help="Whose stay it is, where two tenants have the same id.")]
Whose = Annotated[str, typer.Option(help="Whose it is, such as tnt_silk.")]
By = Annotated[str, typer.Option(help="Who wants it sent, such as usr_7.")]
Home = Annotated[Path, typer.Option(envvar="KEYFLEET_HOME", help="The folder that keeps the outbox's token.")]
OutboxPort = Annotated[int, typer.Option(min=1, max=65535, help="Where to listen; mail comes in one above.")]
Apple = Annotated[list[str] | None, typer.Option(help="An app, as TEAM.bundle; once for each.")]
Android = Annotated[list[str] | None, typer.Option(help="An app, as PACKAGE=SHA-256 of its signer.")]
ByOrNot = Annotated[str | None, typer.Option("--by", help="Who names them, such as usr_7.")]
_LOUD: Final = {"unreached": "bold red", "reached": "green", "superseded": "dim"}
_STATES: Final = {"delivered": "green", "sent": "green", "failed": "red", "undelivered": "red"}


def list_messages(at: FleetAddress, stay: Stay, tenant: Tenant = None) -> Answer:
    """List what the guest of a stay was told, the newest first: by which way, how far, and why not."""
    control = ControlPlane(at)
    whose = control.get("timeline", stay, tenant=tenant)["tenant"]
    facts = control.call(FUNCTION, {"do": "list", "tenant": whose, "reservation": stay})
    found = facts["messages"]
    if not found:
        none = line(plain(stay, "bold"), ": its guest was told nothing, as far as is kept.")
        return Answer({"tenant": whose, **facts}, (none,))
    told = (part for message in found for part in _told(message))
    again = line(f"Send one again: keyfleet message resend MESSAGE --tenant {whose} --by usr_…{at.flags}")
    return Answer({"tenant": whose, **facts}, (*told, again))


def show_message(at: FleetAddress, message: Message, tenant: Whose) -> Answer:
    """Show how far one message came on each way; its words were the guest's, and are not kept."""
    facts = ControlPlane(at).call(FUNCTION, {"do": "show", "tenant": tenant, "message": message})
    return Answer(facts, tuple(_told(facts)))


def resend(at: FleetAddress, message: Message, tenant: Whose, by: By) -> Answer:
    """Tell a guest once more, with new links, what is true of the key now."""
    body = {"do": "resend", "tenant": tenant, "message": message, "by": by}
    facts = ControlPlane(at).call(FUNCTION, body)
    said = line(plain(facts["message"], "bold"), f" goes out in place of {message}, by {by}.")
    see = line(f"See how far it comes: keyfleet message show {facts['message']} --tenant {tenant}{at.flags}")
    return Answer(facts, (said, see))


def apps(at: FleetAddress, apple: Apple = None, android: Android = None, by: ByOrNot = None) -> Answer:
    """Show which booking apps open guests' links in place of a browser, or name them anew."""
    body: dict[str, Any] = {"do": "apps"}
    if apple or android:
        body |= {"apple": apple or [], "android": android or [], "by": by}
    facts = ControlPlane(at).call(FUNCTION, body)
    named = [f"  {system}  {each}" for system in ("apple", "android") for each in facts[system]]
    said = [line(each) for each in named] or [line("No app opens guests' links: a browser does.")]
    return Answer(facts, tuple(said))


def outbox(home: Home, port: OutboxPort) -> Answer:
    """Catch mail, SMS and pushes on this machine, and show them, until Ctrl-C."""
    from infra.catchers.serve import serve

    serve(home, port)
    return Answer({}, ())


def _told(message: Json) -> Iterator[Text]:
    outcome = message["outcome"] or "under way"
    yield line(
        plain(message["message"], "bold"),
        f"  {in_words(message['kind'])}  ",
        plain(outcome, _LOUD.get(outcome, "yellow")),
        plain(f"  {both(message['at'], message['zone'])}", "dim"),
    )
    for name, way in message["ways"].items():
        because = f", {in_words(way['because'])}" if way["because"] else ""
        tries = f", tried {way['tries']} times" if way["tries"] > 1 else ""
        due = f", due {both(way['due'], message['zone'])}" if way["due"] else ""
        state = plain(way["state"], _STATES.get(way["state"], ""))
        yield line(f"    {name:<6}", state, f"{because}{tries}{due}")
