"""One person looking at one hotel, and what every screen is: a question, its answer, and who may ask it."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from functions.backoffice.console_paper import Markup, Paper, entry, form, hidden, plain, shown, table
from shared.domain.ids import PropertyId
from shared.domain.instants import instant_to_text
from shared.domain.permissions import Permission, Principal, Verdict
from shared.kernel.identity import Forbidden
from shared.ports.documents import TenantDocuments
from shared.ports.tasks import Task
from shared.queries.hotels import Cell
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere, SignInAgain

MOST_ROWS: Final = 200
ORDERS: Final = "console-orders"
ASKED_FOR: Final = "done"
_REFUSALS: Final[Mapping[Verdict, type[Exception]]] = {
    Verdict.FORBIDDEN: Forbidden,
    Verdict.ELSEWHERE: NotThere,
    Verdict.STALE_PROOF: SignInAgain,
}


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

    def verdict(self, permission: Permission) -> Verdict:
        """Return what becomes of whoever asks for what a permission guards, at this hotel."""
        if self.house is None:
            return self.who.verdict(permission, self.now)
        return self.who.verdict_at(permission, self.house, self.now)

    def demand(self, permission: Permission) -> None:
        """Refuse, unless the person holds a permission at this hotel."""
        verdict = self.verdict(permission)
        if verdict in _REFUSALS:
            raise _REFUSALS[verdict]("not allowed")

    def holds(self, permission: Permission) -> bool:
        """Say whether a part of a screen, or a button on it, is this person's: proof may be asked later."""
        return self.verdict(permission) in (Verdict.ALLOWED, Verdict.STALE_PROOF)

    def at(self) -> PropertyId:
        """Return the hotel that is looked at; there is none where the person works at none."""
        if self.house is None:
            raise NotThere("no such property")
        return self.house

    @property
    def tenant(self) -> str:
        """Whose hotels these are."""
        return str(self.who.tenant)

    @property
    def cell(self) -> Cell:
        """Where tenants' hotels are."""
        return Cell(self.on.documents, self.on.cell)

    def here(self, found: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Return what is of the hotel that is looked at, as much as one page takes."""
        house = self.at()
        return [each for each in found if each["property"] == house][:MOST_ROWS]

    async def change(self, screen: "Screen") -> str:
        """Do what a form asks, and return the word for it; a screen that changes nothing refuses."""
        if screen.change is None or screen.changes is None:
            raise NotThere("nothing is changed here")
        self.demand(screen.changes)
        return await screen.change(self) or ASKED_FOR

    async def order(self, do: str, **about: str) -> None:
        """Have something done by who may do it: the console is open to whoever finds it, and only looks."""
        await self.on.tasks.enqueue(
            Task(ORDERS, {"do": do, "tenant": self.tenant, "by": self.who.id, **about})
        )

    def caption(self) -> str:
        """Return how old the screen is, and how to look again."""
        at = instant_to_text(self.now.replace(microsecond=0))
        return f"{self.paper.word('as_of')} {shown(at)}"

    def table(
        self, title: str, columns: tuple[str, ...], rows: Iterable[tuple[object, ...]], of: object = ""
    ) -> str:
        """Return a table with its title in the reader's language, of what, and as of when it holds."""
        named = f"{self.paper.word(title)} {plain(of)}".strip()
        return table(self.paper, named, columns, rows, self.caption())

    def stay(self, name: object) -> Markup | None:
        """Return a link to a stay, where there is one."""
        return self.paper.link("stay", str(name), id=str(name)) if name else None

    def ask(self, screen: str, **about: str) -> Markup:
        """Return a form that asks for the one thing which is named in the address."""
        kept = hidden(property=self.house or "", **about)
        label = self.paper.word("find" if screen == "stay" else "which")
        field_ = kept + entry(label, "id")
        return form(self.paper, screen, field_, "look", method="get")


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen, what it takes to see it, and what may be changed there by whom."""

    permission: Permission
    show: Callable[[Look], Awaitable[str]]
    changes: Permission | None = None
    change: Callable[[Look], Awaitable[str | None]] | None = None
    sandbox: bool = False
    """Whether there is such a screen only where doors are simulated."""
    moves: Callable[[Look], Awaitable[bool]] | None = None
    """Says whether what is shown is still under way: whoever wants to follows it, and may stop."""
