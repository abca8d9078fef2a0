"""`keyfleet sim locks|state|try|lock|gateway`: the simulated doors, and what befalls them."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from infra.cli.answer import Answer, counted, line, plain, table
from infra.cli.problems import Refused, not_found
from infra.cli.sim.odds import at_odds
from infra.cli.sim.simulator import Simulator

Json = Mapping[str, Any]
DOOR_HELP = "A door: its name, a word of it, or its lock's number: 'Room 101', 101 or 1000101."
Door = Annotated[str, typer.Argument(help=DOOR_HELP)]
Which = Annotated[str | None, typer.Argument(help=f"{DOOR_HELP} Unless given, every one.")]
Pin = Annotated[str | None, typer.Argument(help="The digits to enter.")]
Card = Annotated[str | None, typer.Option(help="Hold a card of this number to the reader.")]
Ekey = Annotated[int | None, typer.Option(help="Use the phone that has this eKey.")]
Cached = Annotated[
    bool, typer.Option("--cached", help="The phone asserts its eKey without asking the cloud.")
]
Battery = Annotated[int | None, typer.Option(min=0, max=100, help="What its battery still has, in percent.")]
Skew = Annotated[float | None, typer.Option(help="How far the lock's own clock is ahead, in seconds.")]
Reach = Annotated[bool | None, typer.Option(help="Whether a gateway reaches it.")]
Frozen = Annotated[bool | None, typer.Option(help="Whether it shuts everybody out.")]
GatewayId = Annotated[int, typer.Argument(help="A gateway's number, as sim locks shows it.")]
Online = Annotated[bool | None, typer.Option("--online/--offline", help="Whether it has a connection.")]
Busy = Annotated[bool | None, typer.Option("--busy/--free", help="Whether it refuses to be asked.")]


def locks(at: Simulator) -> Answer:
    """List doors and gateways, with what is at each lock and what the vendor's cloud lists of it."""
    found = at.get("state")
    facts = {"locks": [_summary(lock) for lock in found["locks"]], "gateways": found["gateways"]}
    heads = ("door", "lock", "battery", "clock", "reach", "codes", "cards", "phones", "listed")
    gateways = [(each["gatewayId"], *_gateway(each)) for each in facts["gateways"]]
    rows = [_row(lock) for lock in facts["locks"]]
    return Answer(facts, (table(heads, rows), line(), table(("gateway", "online", "busy"), gateways)))


def state(at: Simulator, door: Which = None) -> Answer:
    """Show what opens each door: codes, cards and phones, beside what the vendor's cloud lists."""
    facts, odds = dict(at.get("state")), at_odds(at, at.get("clock"))
    if door is not None:
        facts["locks"] = [_found(facts["locks"], door)]
    return Answer(facts, (*odds, *(part for lock in facts["locks"] for part in _inside(lock))))


def try_door(
    at: Simulator,
    door: Door,
    pin: Pin = None,
    card: Card = None,
    ekey: Ekey = None,
    cached: Cached = False,
) -> Answer:
    """Try a door; exit status 0 if it opens, 1 if it stays shut."""
    tried = _one(pin=pin, card=card, ekey=ekey)
    lock = _found(at.get("state")["locks"], door)
    told = at.post(f"doors/{lock['lockId']}/try", {**tried, "phone": "cached" if cached else "honest"})
    facts = {"door": lock["alias"], "lock": lock["lockId"], **told}
    return Answer(facts, (_verdict(facts),), 0 if facts["opens"] else 1)


def change_lock(
    at: Simulator,
    door: Door,
    battery: Battery = None,
    skew: Skew = None,
    reach: Reach = None,
    frozen: Frozen = None,
) -> Answer:
    """Let something befall a lock; what is not said stays as it is."""
    lock = _found(at.get("state")["locks"], door)
    body = _said(battery=battery, skewSeconds=skew, inReach=reach, frozen=frozen)
    facts = _summary(at.patch(f"locks/{lock['lockId']}", body))
    return Answer(facts, (line(plain(facts["alias"], "bold"), f": {_condition(facts)}"),))


def change_gateway(at: Simulator, gateway: GatewayId, online: Online = None, busy: Busy = None) -> Answer:
    """Let something befall a gateway, and so every lock it alone reaches."""
    change = _said(online=online, busy=busy)
    known = [each["gatewayId"] for each in at.get("state")["gateways"]]
    if gateway not in known:
        raise not_found("gateway", [gateway], f"name one of {', '.join(map(str, known))}")
    facts = at.patch(f"gateways/{gateway}", change)
    said = "online" if facts["online"] else "offline"
    return Answer(facts, (line(f"Gateway {gateway} is {said}{', and busy' if facts['busy'] else ''}."),))


def _one(**things: Any) -> dict[str, Any]:
    given = {name: thing for name, thing in things.items() if thing is not None}
    if len(given) == 1:
        return given
    what = "several things" if given else "nothing"
    raise Refused(f"{what} to try the door with", "give exactly one of PIN, --card and --ekey")


def _said(**changes: Any) -> dict[str, Any]:
    body = {name: value for name, value in changes.items() if value is not None}
    if not body:
        raise Refused("nothing to change", "pass at least one option: see --help")
    return body


def _found(known: list[Json], door: str) -> Json:
    meant = [lock for lock in known if door.casefold() in _names(lock)]
    if len(meant) == 1:
        return meant[0]
    doors = ", ".join(lock["alias"] for lock in meant or known)
    if meant:
        raise Refused(f"{door[:64]!r} may be several doors", f"name one of {doors}")
    raise not_found("door", [door], f"name one of {doors}")


def _names(lock: Json) -> set[str]:
    alias = lock["alias"].casefold()
    return {str(lock["lockId"]), alias, *alias.split()}


def _summary(lock: Json) -> dict[str, Any]:
    counts = {name: len(lock[name]) for name in ("codes", "cards", "ekeys")}
    listed = {name: len(rows) for name, rows in lock["listed"].items()}
    kept = ("lockId", "alias", "battery", "skewSeconds", "inReach", "heard", "frozen", "unsentRecords")
    return {**{name: lock[name] for name in kept}, **counts, "listed": listed}


def _row(lock: Json) -> tuple[Any, ...]:
    reach = plain("frozen", "yellow") if lock["frozen"] else _yes(lock["heard"])
    clock = f"{lock['skewSeconds']:+g} s" if lock["skewSeconds"] else "right"
    condition = (lock["alias"], lock["lockId"], f"{lock['battery']} %", clock, reach)
    return (*condition, lock["codes"], lock["cards"], lock["ekeys"], _listed(lock["listed"]))


def _listed(listed: Json) -> str:
    return ", ".join(counted(count, name[:-1]) for name, count in listed.items() if count) or "nothing"


def _gateway(gateway: Json) -> tuple[Text, Text]:
    return _yes(gateway["online"]), plain("yes", "yellow") if gateway["busy"] else plain("no")


def _yes(value: bool) -> Text:
    return plain("yes") if value else plain("no", "red")


def _condition(lock: Json) -> str:
    frozen = ", frozen" if lock["frozen"] else ""
    return f"battery {lock['battery']} %, clock {lock['skewSeconds']:+g} s, {_reach(lock)}{frozen}"


def _reach(lock: Json) -> str:
    if not lock["inReach"]:
        return "out of reach"
    return "in reach" if lock["heard"] else "no gateway online"


def _verdict(facts: Json) -> Text:
    if facts["opens"]:
        return line(plain(f"{facts['door']} opens.", "green"))
    return line(plain(f"{facts['door']} stays shut", "red"), f": {facts['reason'].replace('_', ' ')}.")


def _inside(lock: Json) -> Iterator[RenderableType]:
    yield line(plain(lock["alias"], "bold"), f"  lock {lock['lockId']}  {_condition(lock)}")
    opening = [*_openers(lock)]
    yield (
        table(("  opened by", "from (UTC)", "until (UTC)", "used", "now"), opening)
        if opening
        else line("  nothing opens it")
    )
    counts = _listed({name: len(rows) for name, rows in lock["listed"].items()})
    unsent = counted(lock["unsentRecords"], "record")
    yield line(plain(f"  the vendor lists {counts}; {unsent} still in the lock", "dim"))


def _openers(lock: Json) -> Iterator[tuple[Any, ...]]:
    for code in lock["codes"]:
        yield f"  code {code['code']} ({code['source']})", *_validity(code)
    for card in lock["cards"]:
        yield f"  card {card['number']}", *_validity(card)
    for phone in lock["ekeys"]:
        yield f"  phone of {phone['holder']}, eKey {phone['keyId']}", "", "", "", _listing(phone)


def _listing(phone: Json) -> str:
    return "listed" if phone["listed"] else "no longer listed, may still open"


def _validity(written: Json) -> tuple[str, str, str, Text]:
    style = "green" if written["now"] == "open" else "yellow"
    used, now = "yes" if written["used"] else "no", plain(written["now"].replace("_", " "), style)
    return _instant(written["start"], "always"), _instant(written["end"], "for ever"), used, now


def _instant(milliseconds: int, otherwise: str) -> str:
    if not milliseconds:
        return otherwise
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d %H:%M}"
