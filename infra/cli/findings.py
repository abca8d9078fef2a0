"""`keyfleet finding`: what at locks is not as the ledger has it, and what a person decides about it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

import typer
from rich.console import RenderableType

from functions.backoffice.console_reasons import in_words
from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, counted, line, moment, plain, table
from infra.cli.control import ControlPlane
from infra.cli.problems import not_found

Json = Mapping[str, Any]
JUDGE: Final = "judge-finding"
ALL: Final = "all"
BRAKED, BROKEN_OFF, UNDER_WAY = "braked", "broken_off", "under_way"
FITS: Final = {"adopt": ("unknown",), "remove": ("unknown", "lingering"), "place": ("vanished", "altered")}
HEADS: Final = (
    "finding",
    "what",
    "lock",
    "kind",
    "in the app",
    "opens until (UTC)",
    "found (UTC)",
    "key",
    "tenant",
)
Which = Annotated[list[str], typer.Argument(help="What finding list shows, such as fnd_…; or all that fit.")]
Tenant = Annotated[str | None, typer.Option(help="Only those of this tenant, such as tnt_silk.")]
By = Annotated[str, typer.Option(help="Who decides, such as usr_7.")]
Because = Annotated[str | None, typer.Option(help="Why, in a few words that name no guest.")]
Until = Annotated[str | None, typer.Option(help="Until when it may stay, such as 2027-05-01T00:00:00Z.")]


def list_findings(at: FleetAddress, tenant: Tenant = None) -> Answer:
    """List what was found at locks that is not as the ledger has it, and how locks were compared last."""
    found = found_at_locks(at, tenant)
    return Answer(found, tuple(said_of(at, found)))


def adopt(at: FleetAddress, finding: Which, by: By, because: Because = None, until: Until = None) -> Answer:
    """Let keys that nobody knows stay, on a person's word, perhaps until a day."""
    return _decided(at, "adopt", finding, {"by": by, "because": because, "until": until})


def remove(at: FleetAddress, finding: Which, by: By, because: Because = None) -> Answer:
    """Have keys go from their locks, each by its number: others of its name stay."""
    return _decided(at, "remove", finding, {"by": by, "because": because})


def place(at: FleetAddress, finding: Which, by: By, because: Because = None) -> Answer:
    """Have keys that vanished placed again, with the same PIN."""
    return _decided(at, "place", finding, {"by": by, "because": because})


def found_at_locks(at: FleetAddress, tenant: str | None) -> Json:
    """Return what was found and waits, what was let stand, and how locks were compared last."""
    return ControlPlane(at).get("findings", tenant=tenant)


def said_of(at: FleetAddress, found: Json, runs: Sequence[str] = ()) -> Iterator[RenderableType]:
    """Say what was found, for people; of comparisons, those of these runs, or all."""
    for each in found["comparisons"]:
        if not runs or each["run"] in runs:
            yield _comparison(each)
    if found["findings"]:
        yield table(HEADS, map(_row, found["findings"]))
        yield line(f"To decide: keyfleet finding adopt, remove or place FINDING --by USER{at.flags}")
        yield line("What each means, and when which is right: infra/runbooks/lock/findings.md")
    elif any(each["progress"] not in (BROKEN_OFF, UNDER_WAY) for each in found["comparisons"]):
        yield line("Every lock that was compared is as the ledger has it.")
    elif found["comparisons"]:
        yield line("No comparison came to its end: what is at the locks now is not known.")
    else:
        yield line(f"No lock was compared yet: keyfleet reconcile{at.flags}")
    if adopted := found["adopted"]:
        yield line(f"Let stand by somebody's word: {counted(len(adopted), 'key')}; --json tells whose.")


def _comparison(it: Json) -> RenderableType:
    unread = f", {counted(len(it['unread']), 'lock')} could not be listed" if it["unread"] else ""
    where = f"{it['vendor']} at {it['property']}: {counted(it['compared'], 'lock')} compared"
    said = line(f"{where}, {counted(it['expected'], 'key')} expected, {it['gone']} gone{unread}. ")
    if it["progress"] == BRAKED:
        said.append_text(plain("So many are gone that nothing is placed without a word.", "bold red"))
    if it["progress"] == BROKEN_OFF:
        cause = in_words(str(it["cause"]))
        said.append_text(plain(f"It broke off: {cause}; it is taken up within the hour.", "yellow"))
    return said


def _row(found: Json) -> tuple[Any, ...]:
    until, word = found["opens_until"], f", {found['word']}" if found["word"] else ""
    held = ", waits for a word" if found["held"] and not found["word"] else ""
    return (
        found["finding"],
        f"{found['kind']}{word}{held}",
        found["label"] or found["device"],
        found["key_kind"].replace("_", " "),
        found["vendor_name"] or "a name people gave",
        moment(until) if until else "",
        moment(found["found_at"]),
        found["key"],
        found["tenant"],
    )


def _decided(at: FleetAddress, word: str, names: Sequence[str], why: Json) -> Answer:
    found = found_at_locks(at, None)
    known = {each["finding"]: each for each in (*found["findings"], *found["adopted"])}
    told = []
    for name in _meant(word, names, found, known):
        said = {key: value for key, value in why.items() if value is not None}
        body = {"tenant": known[name]["tenant"], "finding": name, "word": word, **said}
        told.append(ControlPlane(at).call(JUDGE, body))
    lines = (line(f"{each['finding']}: {each['word']}, by {why['by']}.") for each in told)
    see = line(f"See what comes of it: keyfleet finding list{at.flags}")
    return Answer({"decided": told}, (*lines, see))


def _meant(word: str, names: Sequence[str], found: Json, known: Mapping[str, Json]) -> list[str]:
    """Return the findings that are named; all are those that the word fits."""
    if ALL in names:
        return [each["finding"] for each in found["findings"] if each["kind"] in FITS[word]]
    if missing := [name for name in names if name not in known]:
        raise not_found("finding", missing, f"name one that keyfleet finding list shows, or {ALL}")
    return list(names)
