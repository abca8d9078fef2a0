"""`keyfleet key`: one key is ended, replaced, copied, or handed out in reserve, on a person's word."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane
from infra.cli.problems import not_found

Json = Mapping[str, Any]
END, REPLACE, COPY, BACKUP = "end-key", "replace-key", "copy-key", "hand-out-backup"
LOST: Final = "lost"
Key = Annotated[str, typer.Argument(help="The key, as credentials shows it, such as key_….")]
By = Annotated[str, typer.Option(help="Who orders it, such as usr_7.")]
Reason = Annotated[str, typer.Option(help="Why: lost, or security.")]
Kind = Annotated[str | None, typer.Option(help="Of another kind than the old one, such as rfid_card.")]
Copies = Annotated[int, typer.Option(help="How many copies there are to be, in all.")]
Stay = Annotated[str, typer.Argument(help="The booking, such as rsv_1.")]
Why = Annotated[str, typer.Option(help="Why the guest's own key will not do.")]
Room = Annotated[str | None, typer.Option(help="Which of its rooms, if it has several, such as rmu_101.")]
Tenant = Annotated[str | None, typer.Option(help="Whose it is, such as tnt_silk; else it is looked for.")]


def end(at: FleetAddress, key: Key, by: By, reason: Reason = LOST, tenant: Tenant = None) -> Answer:
    """End one key at once: its stay goes on without it, and its locks follow."""
    facts = _ordered(at, END, key, {"by": by, "reason": reason}, tenant)
    see = line(f"See its locks let go of it: keyfleet timeline {facts['key']}{at.flags}")
    return Answer(facts, (line(plain(facts["key"], "bold"), f" is {facts['state']}, by {by}."), see))


def replace(
    at: FleetAddress, key: Key, by: By, reason: Reason = LOST, kind: Kind = None, tenant: Tenant = None
) -> Answer:
    """End one key, and make another for the same stay with a secret of its own."""
    facts = _ordered(at, REPLACE, key, {"by": by, "reason": reason, **_of(kind)}, tenant)
    said = line(plain(facts["key"], "bold"), " is replaced by ", plain(facts["replacedBy"], "bold"), ".")
    see = line(f"See it made: keyfleet timeline {facts['replacedBy']}{at.flags}")
    return Answer(facts, (said, see))


def copy(
    at: FleetAddress, key: Key, by: By, copies: Copies = 1, kind: Kind = None, tenant: Tenant = None
) -> Answer:
    """Make copies of a key for a party: each opens what the key opens, with a secret of its own."""
    facts = _ordered(at, COPY, key, {"by": by, "copies": copies, **_of(kind)}, tenant)
    told = (line("    ", plain(each, "bold")) for each in facts["copies"])
    return Answer(facts, (line(plain(facts["key"], "bold"), " has these copies:"), *told))


def once(at: FleetAddress, key: Key, by: By, kind: Kind = None, tenant: Tenant = None) -> Answer:
    """Make a key that opens the room of another once, within a day, and ends by it."""
    facts = _ordered(at, COPY, key, {"by": by, "once": True, **_of(kind)}, tenant)
    (made,) = facts["copies"]
    return Answer(facts, (line(plain(made, "bold"), " opens its room once, and is over by it."),))


def backup(
    at: FleetAddress, stay: Stay, by: By, reason: Why, room: Room = None, tenant: Tenant = None
) -> Answer:
    """Hand a room's backup code out to a guest whose key does not open; another is made in its place."""
    facts = ControlPlane(at).get("stays", stay, tenant=tenant)
    order = {"tenant": facts["tenant"], "reservation": stay, "by": by, "reason": reason}
    done = ControlPlane(at).call(BACKUP, {**order, **({} if room is None else {"room": room})})
    said = line(plain(done["key"], "bold"), f" is one of {stay}'s keys from now on, until the stay's end.")
    see = line(
        "Its digits are seen where every guest's PIN is: the key's page, or POST …/reveal, with a reason."
    )
    return Answer(done, (said, see))


def _of(kind: str | None) -> Json:
    return {} if kind is None else {"kind": kind}


def _ordered(at: FleetAddress, function: str, key: str, why: Json, tenant: str | None) -> Json:
    control = ControlPlane(at)
    found = control.get("credentials", key=key, tenant=tenant, limit=1)["credentials"]
    if not found:
        raise not_found("key", [key], f"name one that keyfleet credentials{at.flags} shows")
    return control.call(function, {"tenant": found[0]["tenant"], "key": found[0]["id"], **why})
