"""`keyfleet ask-again KEY`: what a saga would ask its vendor later, it asks now."""

from collections.abc import Sequence
from typing import Annotated, Final

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane
from infra.cli.problems import not_found
from infra.cli.residue import Json, residues

FUNCTION: Final = "ask-again"
GRANT: Final = "grt_"
WORKS: Final = {"issue": "to make", "settle": "to bring to its wish"}
"""What a vendor is asked, by the work that is left."""
Key = Annotated[
    str, typer.Argument(help="A key that waits, as credentials shows it, or a grant of residue list.")
]
Tenant = Annotated[str | None, typer.Option(help="Whose it is, such as tnt_silk; else it is looked for.")]


def ask_again(at: FleetAddress, key: Key, tenant: Tenant = None) -> Answer:
    """Have the vendor of a key that waits asked at once: to make it, or to take back what is left of it."""
    meant = _meant(at, key, tenant)
    facts = ControlPlane(at).call(FUNCTION, {"tenant": meant["tenant"], "key": meant["id"]})
    said = line(f"{facts['vendor']} is asked again {WORKS[facts['work']]} ", plain(facts["key"], "bold"), ".")
    see = line(f"See what it says: keyfleet timeline {facts['key']}{at.flags}")
    return Answer(facts, (said, see))


def _meant(at: FleetAddress, identity: str, tenant: str | None) -> Json:
    """Return the key that an id stands for."""
    keys = [identity]
    if identity.startswith(GRANT):
        keys = [each["key"] for each in residues(at, tenant) if each["grant"] == identity]
    control = ControlPlane(at)
    asked = (control.get("credentials", key=key, tenant=tenant, limit=1) for key in keys)
    found: Sequence[Json] = [key for answer in asked for key in answer["credentials"]]
    if not found:
        lists = f"keyfleet credentials{at.flags} or keyfleet residue list{at.flags}"
        raise not_found("key and no residue", [identity], f"name one that {lists} shows")
    return found[0]
