"""`keyfleet message settings`: how a hotel writes to its guests, shown, or changed one by one."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane
from infra.cli.messages import FUNCTION, Whose

Hotel = Annotated[
    str | None, typer.Option("--property", help="Of this hotel; else of all without their own.")
]
By = Annotated[str | None, typer.Option(help="Who changes them, such as usr_7.")]
Phone = Annotated[str | None, typer.Option(help="The front desk's number, which stands in each message.")]
LinkBase = Annotated[str | None, typer.Option(help="Where the key page is, such as https://keys.example/k.")]
StatusBase = Annotated[str | None, typer.Option(help="Where providers tell statuses, if not at that host.")]
Sender = Annotated[str | None, typer.Option(help="In whose name is written, if not in the hotel's.")]
Language = Annotated[
    str | None, typer.Option(help="For guests of whom none is known: ps, fa-AF, ar, en, fr.")
]
Sms = Annotated[bool | None, typer.Option("--sms/--no-sms", help="Whether SMS are sent.")]
Push = Annotated[bool | None, typer.Option("--push/--no-push", help="Whether pushes are sent.")]
From = Annotated[int | None, typer.Option(help="The hour from which no telephone rings unless it must.")]
Until = Annotated[int | None, typer.Option(help="The hour until which none does.")]
Seconds = Annotated[int | None, typer.Option(help="How long a push may go without a receipt.")]
Renews = Annotated[
    bool | None, typer.Option("--renews-codes/--desk-renews-codes", help="Whether guests renew codes.")
]
Wallets = Annotated[
    list[str] | None, typer.Option("--wallet", help="Offer its card: apple, google; or none.")
]
OnCards = Annotated[
    bool | None, typer.Option("--code-on-cards/--no-code-on-cards", help="Whether a card may hold a code.")
]
Colour = Annotated[str | None, typer.Option(help="Of buttons, as #rrggbb; dark enough to be read on white.")]
NONE: Final = ["none"]
"""Said in place of wallets where none is to be offered."""


def settings(  # noqa: PLR0913, PLR0917 - each is an option of the command line
    at: FleetAddress,
    tenant: Whose,
    hotel: Hotel = None,
    by: By = None,
    phone: Phone = None,
    link_base: LinkBase = None,
    status_base: StatusBase = None,
    sender: Sender = None,
    locale: Language = None,
    sms: Sms = None,
    push: Push = None,
    quiet_from: From = None,
    quiet_until: Until = None,
    push_seconds: Seconds = None,
    renews_codes: Renews = None,
    wallet: Wallets = None,
    code_on_cards: OnCards = None,
    colour: Colour = None,
) -> Answer:
    """Show how a hotel writes to its guests, or change what is named."""
    wallets = [] if wallet == NONE else wallet or None
    named = {name: said for name, said in locals().items() if name not in {"at", "hotel", "wallet"}}
    body = {"do": "settings", "property": hotel, **named}
    facts = ControlPlane(at).call(FUNCTION, {name: said for name, said in body.items() if said is not None})
    return Answer(facts, tuple(_told(facts, at, tenant)))


def _told(facts: Mapping[str, Any], at: FleetAddress, tenant: str) -> Iterator[Text]:
    whose = "every hotel without its own" if facts["place"] == "tenant" else facts["place"]
    if facts["settings"] is None:
        yield line(plain(whose, "bold"), ": no settings. Whoever has none writes to nobody.")
        first = "--phone +93… --link-base https://…"
        yield line(
            f"Give the first: keyfleet message settings --tenant {tenant} {first} --by usr_…{at.flags}"
        )
        return
    yield line(plain(whose, "bold"))
    for name, said in facts["settings"].items():
        shown = ", ".join(said) if isinstance(said, list) else str(said)
        yield line(f"  {name.replace('_', ' '):<14}", shown or "-")
