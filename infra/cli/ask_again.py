"""`keyfleet ask-again KEY`: what a saga would ask its vendor later, it asks now."""

from typing import Annotated, Final

import typer

from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane
from infra.cli.place import Place
from infra.cli.problems import not_found
from infra.cli.residue import residues

FUNCTION: Final = "ask-again"
GRANT: Final = "grt_"
WORKS: Final = {"issue": "to make", "withdraw": "to take back"}
"""What a vendor is asked, by the work that is left."""
Key = Annotated[
    str, typer.Argument(help="A key that waits, as credentials shows it, or a grant of residue list.")
]
Tenant = Annotated[str | None, typer.Option(help="Whose it is, such as tnt_silk; else it is looked for.")]


def ask_again(at: Place, key: Key, tenant: Tenant = None) -> Answer:
    """Have the vendor of a key that waits asked at once: to make it, or to take back what is left of it."""
    whose, meant = _meant(at, key, tenant)
    facts = ControlPlane(at).call(FUNCTION, {"tenant": whose, "key": meant})
    said = line(f"{facts['vendor']} is asked again {WORKS[facts['work']]} ", plain(facts["key"], "bold"), ".")
    return Answer(facts, (said, line(f"See what it says: keyfleet timeline {facts['key']}{at.flags}")))


def _meant(at: Place, identity: str, tenant: str | None) -> tuple[str, str]:
    """Return the tenant and the key that an id stands for."""
    if identity.startswith(GRANT):
        left = (each for each in residues(at, tenant) if each["grant"] == identity)
        found = [(each["tenant"], each["key"]) for each in left]
    else:
        kept = ControlPlane(at).get("credentials", key=identity, tenant=tenant, limit=1)["credentials"]
        found = [(each["tenant"], each["id"]) for each in kept]
    if not found:
        lists = f"keyfleet credentials{at.flags} or keyfleet residue list{at.flags}"
        raise not_found("key and no residue", [identity], f"name one that {lists} shows")
    return found[0]
