"""`keyfleet webhook add|prove|list|…`: addresses that hear a company's events."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, line, moment, plain
from infra.cli.command import at_a_place
from infra.cli.control import ControlPlane

Json = Mapping[str, Any]
DESK: Final = "listener-desk"
Tenant = Annotated[str, typer.Option(help="Whose events, such as tnt_silk.")]
By = Annotated[str, typer.Option(help="Who wants it, such as usr_7.")]
Url = Annotated[str, typer.Argument(help="Where to: https://host/path, a name of the public network.")]
Listener = Annotated[str, typer.Argument(help="The address, as keyfleet webhook list names it: lsn_….")]
Sending = Annotated[str, typer.Argument(help="The event, as keyfleet webhook log names it: snd_….")]
Events = Annotated[
    list[str] | None, typer.Option("--event", help="A subject, or what it begins with and a star; else all.")
]
Places = Annotated[list[str] | None, typer.Option("--property", help="Of which property; else of all.")]
AtOnce = Annotated[bool, typer.Option("--at-once", help="The secret before ends now, not in a day.")]
_LOUD: Final = {"live": "green", "disabled": "bold red", "unproven": "yellow"}
_STATES: Final = {"delivered": "green", "given_up": "red", "waiting": "yellow"}


def add(
    at: FleetAddress, url: Url, tenant: Tenant, by: By, event: Events = None, at_property: Places = None
) -> Answer:
    """Have events sent to an address, once it proves itself; its secret is shown this once."""
    body = {"url": url, "by": by, "events": event or ["*"], "properties": at_property or []}
    facts = asked(at, tenant, "add", **body)
    return Answer(
        facts,
        (
            line(plain(facts["id"], "bold"), f" is sent a challenge at {url}."),
            _shown_once(facts),
            line(f"Then: keyfleet webhook prove {facts['id']} CHALLENGE --tenant {tenant}{at.flags}"),
        ),
    )


def prove(
    at: FleetAddress,
    listener: Listener,
    challenge: Annotated[str, typer.Argument(help="What arrived at the address.")],
    tenant: Tenant,
) -> Answer:
    """Say what an address was sent: events go there from now on."""
    facts = asked(at, tenant, "prove", listener=listener, challenge=challenge)
    return Answer(facts, tuple(_about(facts)))


def list_webhooks(at: FleetAddress, tenant: Tenant) -> Answer:
    """List the addresses that hear a company's events, and how each fares."""
    facts = asked(at, tenant, "list")
    if not facts["listeners"]:
        return Answer(facts, (line("Nobody hears its events."),))
    return Answer(facts, tuple(text for each in facts["listeners"] for text in _about(each)))


def log(at: FleetAddress, listener: Listener, tenant: Tenant) -> Answer:
    """Show what was sent to an address in the last thirty days, the newest first, and what came back."""
    facts = asked(at, tenant, "log", listener=listener)
    told = [text for each in facts["sendings"] for text in _sent(each)]
    if not told:
        told.append(line("Nothing was sent there in the last thirty days."))
    if facts["cursor"]:
        told.append(line("There are older ones: the API pages through them all."))
    return Answer(facts, tuple(told))


def resend(at: FleetAddress, listener: Listener, sending: Sending, tenant: Tenant) -> Answer:
    """Send an event once more, the same bytes under the same id."""
    facts = asked(at, tenant, "resend", listener=listener, sending=sending)
    return Answer(facts, tuple(_sent(facts)))


def rotate(at: FleetAddress, listener: Listener, tenant: Tenant, at_once: AtOnce = False) -> Answer:
    """Give an address another secret; for a day its events are signed with both."""
    facts = asked(at, tenant, "rotate", listener=listener, at_once=at_once)
    return Answer(facts, (_shown_once(facts),))


def enable(at: FleetAddress, listener: Listener, tenant: Tenant) -> Answer:
    """Send events to a disabled address again, from now on."""
    facts = asked(at, tenant, "enable", listener=listener)
    return Answer(facts, tuple(_about(facts)))


def remove(at: FleetAddress, listener: Listener, tenant: Tenant) -> Answer:
    """Send an address nothing any more, and destroy its secrets."""
    facts = asked(at, tenant, "remove", listener=listener)
    return Answer(facts, (line(plain(facts["removed"], "bold"), " hears nothing any more."),))


def _shown_once(facts: Json) -> Text:
    return line("Its events are signed with ", plain(facts["secret"], "bold"), ": it is shown this once.")


def asked(at: FleetAddress, tenant: str, do: str, **more: Any) -> Json:
    """Have the desk for webhooks do something for a company."""
    return ControlPlane(at).call(DESK, {"do": do, "tenant": tenant, **more})


def _about(listener: Json) -> Iterator[Text]:
    yield line(
        plain(listener["id"], "bold"),
        "  ",
        plain(listener["state"], _LOUD.get(listener["state"], "")),
        f"  {listener['url']}",
    )
    where = ", ".join(listener["properties"]) or "every property"
    yield line(
        f"    hears {', '.join(listener['events'])} of {where}, since {moment(listener['made_at'])} UTC"
    )
    if listener["failing_since"]:
        rests = f", rests until {moment(listener['rests_until'])} UTC" if listener["rests_until"] else ""
        because = f": {listener['because']}" if listener["because"] else ""
        times, since = counted(listener["failures"], "time"), moment(listener["failing_since"])
        told = f"    failed {times} since {since} UTC"
        yield line(plain(told + rests + because, "red"))


def _sent(sending: Json) -> Iterator[Text]:
    state = plain(sending["state"].replace("_", " "), _STATES.get(sending["state"], ""))
    due = f", due {moment(sending['due_at'])} UTC" if sending["due_at"] else ""
    yield line(plain(sending["id"], "bold"), "  ", state, f"{due}  {sending['subject']}")
    for each in sending["tries"]:
        came = each["status"] if each["status"] is not None else each["problem"]
        yield line(plain(f"    {moment(each['at'])} UTC  {came}  {each['took_ms']} ms", "dim"))


webhook = typer.Typer(no_args_is_help=True, help="Addresses that hear a company's events, signed.")
webhook.command("add")(at_a_place(add))
webhook.command("prove")(at_a_place(prove))
webhook.command("list")(at_a_place(list_webhooks))
webhook.command("log")(at_a_place(log))
webhook.command("resend")(at_a_place(resend))
webhook.command("rotate")(at_a_place(rotate))
webhook.command("enable")(at_a_place(enable))
webhook.command("remove")(at_a_place(remove))
