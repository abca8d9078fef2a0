"""The console's screens: each answers one question of one hotel, and names the permission that it takes."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from functions.backoffice.console_paper import LONGEST, Markup, Paper, form, hidden, shown, table, word
from shared.domain.ids import PropertyId
from shared.domain.instants import instant_to_text
from shared.domain.permissions import Permission, Principal, Verdict
from shared.kernel.identity import Forbidden
from shared.ports.dead_letters import AT_MOST
from shared.ports.documents import TenantDocuments
from shared.ports.tasks import Task
from shared.queries.attention import failed_keys, residues
from shared.queries.boards import VIEWS
from shared.queries.doors import MAY_OPEN, doors_of, who_can_open
from shared.queries.hotels import Cell
from shared.queries.keys import keys_in_work
from shared.queries.stays import shown_stay
from shared.queries.timeline import NO_EXECUTIONS, timeline
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere, SignInAgain
from shared.usecases.operations.letters import shown_letter

P = Permission
_REFUSALS: Final[Mapping[Verdict, type[Exception]]] = {
    Verdict.FORBIDDEN: Forbidden,
    Verdict.ELSEWHERE: NotThere,
    Verdict.STALE_PROOF: SignInAgain,
}
MOST_ROWS: Final = 200
REPLAYER: Final = "replay-letter"


@dataclass(frozen=True, slots=True)
class Look:
    """One person looking at one hotel."""

    on: Platform
    who: Principal
    store: TenantDocuments
    house: PropertyId | None
    paper: Paper
    query: Mapping[str, str]
    form: Mapping[str, str] = field(repr=False)
    now: datetime

    def demand(self, permission: Permission) -> None:
        """Refuse, unless the person holds a permission at this hotel."""
        verdict = self.who.verdict(permission, self.now)
        if self.house is not None:
            verdict = self.who.verdict_at(permission, self.house, self.now)
        if verdict in _REFUSALS:
            raise _REFUSALS[verdict]("not allowed")

    def at(self) -> PropertyId:
        """Return the hotel that is looked at; there is none where the person works at none."""
        if self.house is None:
            raise NotThere("no such property")
        return self.house

    @property
    def cell(self) -> Cell:
        """Where tenants' hotels are."""
        return Cell(self.on.documents, self.on.cell)

    async def change(self, screen: "Screen") -> bool:
        """Do what a form asks; a screen that changes nothing refuses."""
        if screen.change is None or screen.changes is None:
            raise NotThere("nothing is changed here")
        self.demand(screen.changes)
        await screen.change(self)
        return True

    def caption(self) -> str:
        """Return how old the screen is, and how to look again."""
        at = instant_to_text(self.now.replace(microsecond=0))
        return f'{self.paper.word("as_of")} <time datetime="{at}">{shown(at)}</time>'


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen, what it takes to see it, and what may be changed there by whom."""

    permission: Permission
    show: Callable[[Look], Awaitable[str]]
    changes: Permission | None = None
    change: Callable[[Look], Awaitable[None]] | None = None


async def _arrivals(look: Look) -> str:
    """Who comes today, those without their key first."""
    items = await VIEWS["arrivals"](look.store, look.at(), look.now)
    rows = [
        (
            look.paper.link("stay", each["reservation"], id=each["reservation"]),
            ", ".join(each["rooms"]),
            each["from"],
            each["until"],
            word(look.paper, each["readiness"], worst=each["readiness"] in {"keyless", "failed"}),
        )
        for each in items
    ]
    columns = ("reservation", "room", "from", "until", "state")
    return _find(look) + table(look.paper, look.paper.word("arrivals"), columns, rows, look.caption())


def _find(look: Look) -> str:
    field_ = (
        f'<label for="id">{look.paper.word("find")}</label>{hidden(property=look.house or "")}'
        f'<input id="id" name="id" dir="ltr" maxlength="{LONGEST}" required> '
    )
    return form(look.paper, "stay", field_, "look", method="get")


async def _doors(look: Look) -> str:
    """Who can open a door now."""
    doors = await doors_of(look.store, look.at())
    wanted = look.query.get("door")
    listed = "".join(f"<li>{look.paper.link('doors', each['label'], door=each['id'])}</li>" for each in doors)
    chosen = next((each for each in doors if each["id"] == wanted), None)
    if wanted and chosen is None:
        raise NotThere("no such door")
    rows = (
        []
        if chosen is None
        else [_opener(look, each) for each in await who_can_open(look.store, chosen["id"], look.now)]
    )
    columns = ("opens", "reservation", "staff", "key", "state", "from", "until")
    title = "" if chosen is None else f"<h2>{shown(chosen['label'])}</h2>"
    answer = (
        title + table(look.paper, look.paper.word("doors"), columns, rows, look.caption()) if chosen else ""
    )
    return f"{answer}<ul>{listed}</ul>"


def _opener(look: Look, each: Mapping[str, Any]) -> tuple[object, ...]:
    stay = each["reservation"]
    link = look.paper.link("stay", stay, id=stay) if stay else None
    opens = word(look.paper, each["opens"], worst=each["opens"] == MAY_OPEN)
    return (opens, link, each["staff"], each["key"], each["state"], each["from"], each["until"])


async def _residues(look: Look) -> str:
    """What should be gone, and may still open."""
    here = await residues(look.cell, str(look.who.tenant), look.now, look.at())
    rows = [
        (
            each["label"] or each["device"],
            each["reservation"],
            each["key"],
            each["since"],
            each["cause"],
            each["next_try"],
        )
        for each in here[:MOST_ROWS]
    ]
    return table(
        look.paper,
        look.paper.word("residues"),
        ("lock", "reservation", "key", "since", "reason", "due"),
        rows,
        look.caption(),
    )


async def _sagas(look: Look) -> str:
    """Keys that are yet to be made, and those that could not be."""
    failed = [
        each
        for each in await failed_keys(look.cell, str(look.who.tenant), look.now)
        if each["property"] == look.house
    ]
    rows = [
        (
            _stay_link(look, each["reservation"]),
            each["key"],
            word(look.paper, "failed", worst=True),
            each["reason"],
            None,
            each["next_look"],
        )
        for each in failed
    ]
    rows += [
        (
            _stay_link(look, each["reservation"]),
            each["id"],
            each["state"],
            each["reason"],
            each["saga"]["tries"],
            each["due_at"],
        )
        for each in await keys_in_work(look.store, look.at(), MOST_ROWS)
    ]
    columns = ("reservation", "key", "state", "reason", "tries", "due")
    return table(look.paper, look.paper.word("sagas"), columns, rows, look.caption())


def _stay_link(look: Look, stay: str | None) -> Markup | None:
    return look.paper.link("stay", stay, id=stay) if stay else None


async def _letters(look: Look) -> str:
    """Messages of this company that were set aside."""
    rows = [
        (
            each["subject"],
            each["reservation"],
            each["parked_at"],
            each["reason"],
            form(look.paper, "letters", hidden(id=each["id"]), "replay"),
        )
        for each in await _mine(look)
    ]
    columns = ("subject", "reservation", "since", "reason", "look")
    return table(look.paper, look.paper.word("letters"), columns, rows, look.caption())


async def _mine(look: Look) -> list[dict[str, Any]]:
    found = [shown_letter(each) for each in await look.on.dead_letters.waiting(limit=AT_MOST)]
    return [each for each in found if each["tenant"] == look.who.tenant][:MOST_ROWS]


async def _replay(look: Look) -> None:
    """Have one message of this company's delivered again, in a moment."""
    wanted = look.form.get("id", "")
    if wanted not in {each["id"] for each in await _mine(look)}:
        raise NotThere("no such message")
    # The console is open to whoever finds it: it looks, and another publishes.
    await look.on.tasks.enqueue(Task(REPLAYER, {"id": wanted}))


async def _stay(look: Look) -> str:
    """One stay: how it stands, its keys, and all that happened to it, in order."""
    name, tenant = look.query.get("id", ""), str(look.who.tenant)
    if not name:
        return _find(look)
    stay = await shown_stay(look.cell, name, tenant)
    if stay["property"] is None or not look.who.works_at(stay["property"]):
        raise NotThere("no such stay")
    keys = [(each["id"], word(look.paper, each["state"])) for each in stay["keys"]]
    head = [(stay["reservation"], stay["status"], ", ".join(stay["rooms"]), stay["from"], stay["until"])]
    lines = (await timeline(look.cell, NO_EXECUTIONS, name, tenant))["timeline"]
    happened = [(each["at"], each["kind"], each["about"], each["what"]) for each in lines[-MOST_ROWS:]]
    paper, caption = look.paper, look.caption()
    return "".join(
        (
            table(
                paper, paper.word("stay"), ("reservation", "state", "room", "from", "until"), head, caption
            ),
            table(paper, paper.word("key"), ("key", "state"), keys),
            table(paper, paper.word("what"), ("at", "state", "key", "what"), happened),
        )
    )


SCREENS: Final[Mapping[str, Screen]] = {
    "arrivals": Screen(P.BACKOFFICE_READ, _arrivals),
    "doors": Screen(P.DOOR_READ, _doors),
    "residues": Screen(P.RESIDUE_READ, _residues),
    "sagas": Screen(P.SAGA_READ, _sagas),
    "letters": Screen(P.DEAD_LETTER_READ, _letters, P.DEAD_LETTER_DECIDE, _replay),
    "stay": Screen(P.KEY_READ, _stay),
}
