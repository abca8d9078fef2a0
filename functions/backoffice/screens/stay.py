"""One stay on one page: booking, keys, locks, messages, attempts at doors, proof, and all in order."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from functions.backoffice.console_paper import Markup, plain, shown, word
from functions.backoffice.screens.doors import ATTEMPTS, MOST_TRIED, attempt_row
from functions.backoffice.screens.look import MOST_ROWS, Look
from shared.domain.permissions import Permission
from shared.queries.attempts import AttemptsWanted, last_attempts
from shared.queries.audit import proof_of_stay
from shared.queries.grants import shown_grants
from shared.queries.stays import shown_stay
from shared.queries.timeline import NO_EXECUTIONS, timeline
from shared.runtime.problems import NotThere
from shared.usecases.guests.messages_told import messages_of

SHORT: Final = 6
STANDING: Final = frozenset({"placed", "resting", "intended"})
Told = Mapping[str, Any]
Part = Callable[[Look, Told], Awaitable[str]]


async def stay(look: Look) -> str:
    """Return all that is known of one stay, as far as the person may know it."""
    name = look.query.get("id", "")
    if not name:
        return look.ask("stay")
    told = await shown_stay(look.cell, name, look.tenant)
    if told["property"] is None or told["property"] != look.at():
        raise NotThere("no such stay")
    return "".join([await show(look, told) for permission, show in PARTS if look.holds(permission)])


async def _booking(look: Look, told: Told) -> str:
    row = (
        told["reservation"],
        word(look.paper, told["status"]),
        ", ".join(told["rooms"]),
        told["from"],
        told["until"],
        Markup(", ".join(look.paper.reason(each) for each in told["holds"])),
        ", ".join(f"{each['what']} {each['at']}" for each in told["planned"]),
    )
    columns = ("reservation", "state", "room", "from", "until", "holds", "planned")
    why = look.paper.link("explain", look.paper.word("explain"), id=told["reservation"])
    return look.table("stay", columns, (row,)) + f"<p>{why}</p>"


async def _keys(look: Look, told: Told) -> str:
    rows: list[tuple[object, ...]] = []
    for key in told["keys"]:
        name = look.paper.link("sagas", key["id"], id=key["id"])
        other, opens = _other(key, told["reservation"]), key["window"]
        stay_, role = other and look.stay(other), word(look.paper, key["role"])
        rows.append((name, stay_, word(look.paper, key["state"]), None, role, opens["from"], opens["until"]))
        rows += [(None, None, *_at_lock(look, grant)) for grant in await shown_grants(look.store, key["id"])]
    return look.table("key", ("key", "reservation", "state", "lock", "kind", "since", "until"), rows)


def _other(key: Told, stay_: str) -> str | None:
    """Return the guest's stay before or after with which a stay has a key, if there is one."""
    both = (key["reservation"], None if key["then"] is None else key["then"]["reservation"])
    return next((each for each in both if each not in (None, stay_)), None)


def _at_lock(look: Look, grant: Told) -> tuple[object, ...]:
    state = word(look.paper, grant["state"], worst=grant["state"] == "residual")
    label, kind = grant["label"] or grant["device"], word(look.paper, grant["kind"])
    door = look.paper.link("doors", label, door=grant["device"])
    return (state, door, kind, grant["changed_at"], grant["exposure_until"])


async def _messages(look: Look, told: Told) -> str:
    rows = [
        (
            each["at"],
            word(look.paper, each["kind"]),
            None if each["outcome"] is None else word(look.paper, each["outcome"]),
            word(look.paper, channel),
            word(look.paper, way["state"]),
            look.paper.reason(way["because"]),
            way["tries"],
        )
        for each in await messages_of(told["reservation"], look.store)
        for channel, way in each["ways"].items()
    ]
    columns = ("at", "kind", "outcome", "channel", "state", "reason", "tries")
    return look.table("messages", columns, rows)


async def _attempts(look: Look, told: Told) -> str:
    rows: list[tuple[object, ...]] = []
    for key in told["keys"]:
        wanted = AttemptsWanted(look.tenant, key=key["id"], limit=MOST_TRIED)
        found = (await last_attempts(look.cell, wanted))["attempts"]
        rows += [attempt_row(look, each) for each in found]
    return look.table("attempts", ATTEMPTS, rows[:MOST_ROWS])


async def _proof(look: Look, told: Told) -> str:
    found = await proof_of_stay(look.store, told["reservation"])
    rows = [(each["stream"], each["entries"], each["date"], found["closed"]) for each in found["streams"]]
    return look.table("proof", ("about", "count", "at", "closed"), rows)


async def _happened(look: Look, told: Told) -> str:
    lines = (await timeline(look.cell, NO_EXECUTIONS, told["reservation"], look.tenant))["timeline"]
    if look.query.get("only") == "failed":
        lines = [each for each in lines if each["kind"] in FAILURES]
    rows = [
        (each["at"], word(look.paper, each["kind"]), _short(each["about"]), look.paper.reason(each["what"]))
        for each in lines[-MOST_ROWS:]
    ]
    id_ = told["reservation"]
    links = " · ".join(
        (
            look.paper.link("stay", look.paper.word("all"), id=id_),
            look.paper.link("stay", look.paper.word("only_failed"), id=id_, only="failed"),
        )
    )
    return look.table("what", ("at", "state", "about", "what"), rows) + f"<p>{links}</p>"


def _short(id_: str) -> Markup:
    """Return the end of an id, which tells one from another on a page; the whole stands behind it."""
    return Markup(f'<span title="{plain(id_)}">{shown(id_[-SHORT:])}</span>')


FAILURES: Final = frozenset({"refused", "residual", "raised", "unpublished", "ignored", "reused"})
PARTS: Final[tuple[tuple[Permission, Part], ...]] = (
    (Permission.KEY_READ, _booking),
    (Permission.KEY_READ, _keys),
    (Permission.KEY_READ, _messages),
    (Permission.DOOR_READ, _attempts),
    (Permission.AUDIT_READ, _proof),
    (Permission.KEY_READ, _happened),
)
