"""The inboxes of a hotel: what models suggest, and what is wrong; decided and taken on by one person."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from functions.backoffice.board_routes import shown_waiting
from functions.backoffice.desk import Desk, UseCase, at_desk
from functions.backoffice.session_routes import ROOT, P
from shared.domain.errors import IllegalTransition
from shared.domain.ids import PropertyId
from shared.domain.permissions import Permission
from shared.events.backoffice.decisions import Delta
from shared.events.wire import Maybe, Published
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.backoffice.decide import (
    ACKNOWLEDGED,
    DecidedAlready,
    Decision,
    NobodyWaits,
    decide,
)
from shared.usecases.backoffice.inbox import ALERTS, SUGGESTIONS, Waiting, waiting_at
from shared.usecases.backoffice.listening import bell_of

Notes = Annotated[str, StringConstraints(max_length=2000)]
"""Never kept and never told: only that there were some."""
_LETTERS: Final = 1000


class Entry(Published):
    """One entry of an inbox."""

    id: str
    about: str
    category: str
    severity: str
    since: str
    by: str | None = None
    outcome: str | None = None


class Inbox(Published):
    """What waits at a hotel, the oldest first."""

    entries: tuple[Entry, ...]


class Deciding(Published):
    """What an operator says to a suggestion."""

    outcome: Literal["accepted", "rejected", "modified"]
    modified_delta: Maybe[Delta] = None
    notes: Maybe[Notes] = Field(default=None, repr=False)

    @model_validator(mode="after")
    def _modified_says_how(self) -> "Deciding":
        if (self.outcome == "modified") != (self.modified_delta is not None):
            raise PydanticCustomError(
                "delta_differs", "modifiedDelta goes with modified, and with nothing else"
            )
        return self


class Acknowledging(Published):
    """An operator takes an alert on."""

    notes: Maybe[Notes] = Field(default=None, repr=False)


def _listing(kind: str) -> UseCase:
    @at_desk("view", f"inbox.{kind.removeprefix('backoffice_')}")
    async def show(desk: Desk) -> Inbox:
        """Show what waits."""
        house = desk.at(PropertyId(desk.asked.ids["propertyId"]))
        found = await waiting_at(house, kind, desk.store)
        return Inbox(entries=tuple(_entry(each) for each in found if each.waits))

    return show


def _entry(waits: Waiting) -> Entry:
    return Entry(**shown_waiting(waits))


@at_desk("ai_decision", "ai_suggestion.decide", mutation=True)
async def _decide(desk: Desk) -> Entry:
    """Decide a suggestion, once."""
    said: Deciding = desk.asked.body
    found = await _named(desk, SUGGESTIONS, desk.asked.ids["suggestionEntryId"])
    delta = None if said.modified_delta is None else dict(said.modified_delta)
    return await _decided(desk, found, said.outcome, said.notes, delta)


@at_desk("alert_ack", "alert.acknowledge", mutation=True)
async def _acknowledge(desk: Desk) -> Entry:
    """Take an alert on, once: whoever comes second hears who was first."""
    said: Acknowledging = desk.asked.body
    found = await _named(desk, ALERTS, desk.asked.ids["alertEntryId"])
    return await _decided(desk, found, ACKNOWLEDGED, said.notes, None)


async def _named(desk: Desk, kind: str, name: str) -> Waiting:
    """Return the entry of this name at the hotel that the path names."""
    house = desk.at(PropertyId(desk.asked.ids["propertyId"]))
    for each in await waiting_at(house, kind, desk.store, _LETTERS):
        if each.id == name:
            desk.about = ("alert" if kind == ALERTS else "suggestion", each.about)
            return each
    raise NotThere("no such entry")


async def _decided(
    desk: Desk, waits: Waiting, outcome: str, notes: str | None, delta: Mapping[str, object] | None
) -> Entry:
    decision = Decision(
        kind=waits.kind,
        about=waits.about,
        outcome=outcome,
        notes_present=bool(notes and notes.strip()),
        delta=delta,
        request=desk.asked.request_id,
        trace=desk.asked.trace,
    )
    house = desk.property_id or desk.session.primary
    try:
        taken = await decide(decision, house, desk.session, desk.store, desk.teller)
    except NobodyWaits:
        raise NotThere("no such entry") from None
    except DecidedAlready:
        raise AlreadyDecided from None
    await desk.on.nudges.ring(desk.store.tenant, bell_of(house))
    return _entry(taken)


class AlreadyDecided(IllegalTransition):
    """Told as a conflict."""

    def __init__(self) -> None:
        Exception.__init__(self)

    def __str__(self) -> str:
        return "somebody else was faster: look at the entry, and who has it"


_OF: Final = f"{ROOT}/properties/{{propertyId}}"
_DECIDE: Final = Permission.BACKOFFICE_DECIDE
ROUTES: Final = (
    Route(
        method="GET",
        path=f"{_OF}/suggestions",
        summary="What models suggest",
        use_case=_listing(SUGGESTIONS),
        answer=Inbox,
        permission=P,
    ),
    Route(
        method="POST",
        path=f"{_OF}/suggestions/{{suggestionEntryId}}/decision",
        summary="Decide a suggestion",
        use_case=_decide,
        request=Deciding,
        answer=Entry,
        permission=_DECIDE,
    ),
    Route(
        method="GET",
        path=f"{_OF}/alerts",
        summary="What is wrong",
        use_case=_listing(ALERTS),
        answer=Inbox,
        permission=P,
    ),
    Route(
        method="POST",
        path=f"{_OF}/alerts/{{alertEntryId}}/acknowledgement",
        summary="Take an alert on",
        use_case=_acknowledge,
        request=Acknowledging,
        answer=Entry,
        permission=_DECIDE,
    ),
)
