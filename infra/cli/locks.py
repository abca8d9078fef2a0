"""`keyfleet devices`, `doors`, `attempts` and `map`: locks, who tried them, and where they really hang."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

import typer
from rich.console import RenderableType

from functions.backoffice.console_reasons import said_in_words
from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, line, moment, plain, table
from infra.cli.control import ControlPlane
from infra.cli.problems import not_found

Json = Mapping[str, Any]
OUT_OF_USE: Final = "take-out-of-use"
CHALLENGE: Final = "challenge-door"
DEVICES: Final = ("lock", "door", "state", "battery", "clock", "firmware", "last heard (UTC)", "tenant")
ATTEMPTS: Final = ("at (UTC)", "door", "outcome", "why", "key", "with", "tenant")
ANOMALIES: Final = ("at (UTC)", "what", "door", "key", "said", "attempts")
ARRIVALS: Final = ("arrives (UTC)", "stay", "ready", "at risk because", "tenant")
Tenant = Annotated[str | None, typer.Option(help="Only those of this tenant, such as tnt_silk.")]
Door = Annotated[str | None, typer.Option(help="Only those at this lock, such as lck_….")]
Key = Annotated[str | None, typer.Option(help="Only those with this key, such as key_….")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="At most so many, newest first.")]
Odd = Annotated[bool, typer.Option("--anomalies", help="Only what somebody should look at.")]
Lock = Annotated[str, typer.Argument(help="Which lock, as keyfleet devices shows it, such as lck_….")]
By = Annotated[str, typer.Option(help="Who decides, such as usr_7.")]
Because = Annotated[str, typer.Option(help="Why, in a few words that name no guest.")]
Whose = Annotated[str, typer.Option("--tenant", help="Whose lock it is, such as tnt_silk.")]


def list_devices(at: FleetAddress, tenant: Tenant = None) -> Answer:
    """List every lock, how it is, and when it was heard of last."""
    found = ControlPlane(at).get("devices", tenant=tenant)
    if not found["devices"]:
        return Answer(found, (line("There are no locks yet."),))
    return Answer(found, (table(DEVICES, map(_device, found["devices"])),))


def out_of_use(at: FleetAddress, lock: Lock, by: By, because: Because, tenant: Whose) -> Answer:
    """Take a lock out of its hotel, on a person's word; its account must change within a day."""
    body = {"tenant": tenant, "device": lock, "by": by, "because": because}
    facts = ControlPlane(at).call(OUT_OF_USE, body)
    until = moment(facts["rotate_by"])
    said = [line(f"{lock} is out of use, by {by}. Change its vendor's account by {until} UTC.")]
    if facts["keys"]:
        keys = ", ".join(facts["keys"])
        said.append(line(f"Meanwhile keys were made for it: move or end the stays of {keys}."))
    return Answer(facts, tuple(said))


def challenge(at: FleetAddress, lock: Lock, by: By) -> Answer:
    """Prove at the door that a lock hangs there: type the code within ten minutes, then look at the map."""
    found = ControlPlane(at).get("devices")["devices"]
    device = next((each for each in found if each["device"] == lock), None)
    if device is None:
        raise not_found("lock", [lock], "name one that keyfleet devices shows")
    asked = {"tenant": device["tenant"], "property": device["property"], "device": lock, "by": by}
    facts = ControlPlane(at).call(CHALLENGE, asked)
    where = device["label"] or lock
    said = line("Type ", plain(facts["code"], "bold"), f" at {where}, until {moment(facts['until'])} UTC.")
    return Answer(facts, (said, line(f"A minute later: keyfleet map{at.flags}")))


def attempts(
    at: FleetAddress,
    tenant: Tenant = None,
    door: Door = None,
    key: Key = None,
    limit: Limit = 30,
    anomalies: Odd = False,
) -> Answer:
    """List who tried which door, newest first, or what in that is odd."""
    if anomalies:
        found = ControlPlane(at).get("anomalies", tenant=tenant, limit=limit)
        return Answer(found, tuple(_odd(found)))
    asked = {"tenant": tenant, "door": door, "key": key, "limit": limit}
    found = ControlPlane(at).get("attempts", **asked)
    return Answer(found, tuple(_tried(found)))


def doors(at: FleetAddress, tenant: Tenant = None) -> Answer:
    """Show how far the keys of the next arrivals have come at their doors, and what puts one at risk."""
    found = ControlPlane(at).get("readiness", tenant=tenant)
    if not found["arrivals"]:
        return Answer(found, (line("Nobody arrives today, or within three days."),))
    ready = sum(not each["risks"] for each in found["arrivals"])
    head = line(f"{counted(len(found['arrivals']), 'stay')}, {ready} without any risk.")
    return Answer(found, (table(ARRIVALS, map(_arrival, found["arrivals"])), head))


def show_map(at: FleetAddress, tenant: Tenant = None) -> Answer:
    """Show what of rooms and locks does not fit together, or was never proven at the door."""
    found = ControlPlane(at).get("map", tenant=tenant)
    return Answer(found, tuple(part for each in found["maps"] for part in _mapped(each)))


def _device(it: Json) -> tuple[Any, ...]:
    battery = "" if it["battery"] is None else f"{it['battery']} %"
    low = "" if it["battery_level"] == "good" else f", {it['battery_level']}"
    skew = "" if it["clock_skew_ms"] is None else f"{it['clock_skew_ms'] / 1000:.0f} s, {it['clock']}"
    seen = moment(it["last_seen_at"]) if it["last_seen_at"] else ""
    firmware = f"{it['firmware'] or ''}{', old' if it['firmware_old'] else ''}"
    return it["device"], it["label"], it["state"], battery + low, skew, firmware, seen, it["tenant"]


def _tried(found: Json) -> Iterator[RenderableType]:
    if not found["attempts"]:
        yield line("Nobody was heard at a door yet. Doors are asked each night, and tell by webhooks.")
        return
    yield table(ATTEMPTS, map(_attempt, found["attempts"]))
    if found["more"]:
        yield line("There are more: raise --limit.")


def _attempt(it: Json) -> tuple[Any, ...]:
    opened = (
        plain("opened", "bold red" if it["alarm"] else "green")
        if it["opened"]
        else plain("refused", "yellow")
    )
    why = str(it["alarm"] or it["refused"] or "").replace("_", " ")
    staff = ", staff" if it["staff"] else ""
    door = it["label"] or it["device"]
    return moment(it["at"]), door, opened, why, it["key"], f"{it['means']}{staff}", it["tenant"]


def _odd(found: Json) -> Iterator[RenderableType]:
    if not found["anomalies"]:
        yield line("Nothing at the doors is odd, as far as is known.")
        return
    yield table(ANOMALIES, map(_anomaly, found["anomalies"]))
    yield line("What each means, and what to do: infra/runbooks/lock/doors.md")


def _anomaly(it: Json) -> tuple[Any, ...]:
    shown = ", ".join(it["attempts"])
    what = it["kind"].replace("_", " ")
    return moment(it["at"]), what, it["label"] or it["device"], it["key"], it["said"], shown


def _arrival(it: Json) -> tuple[Any, ...]:
    ready = plain(it["ready"].replace("_", " "), "green" if not it["risks"] else "yellow")
    return (
        moment(it["arrives"]),
        it["reservation"],
        ready,
        said_in_words("; ".join(it["risks"])),
        it["tenant"],
    )


def _mapped(it: Json) -> Iterator[RenderableType]:
    yield line(plain(f"{it['property']} of {it['tenant']}", "bold"))
    odd = {name: found for name, found in it.items() if isinstance(found, list) and found}
    for name, found in odd.items():
        yield line(f"  {name.replace('_', ' ')}: {', '.join(found)}")
    if not odd:
        yield line("  every room has its lock, and every lock was proven at its door.")
