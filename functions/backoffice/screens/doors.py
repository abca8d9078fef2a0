"""A door: who can open it now, who tried it, and why it refused somebody."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from functions.backoffice.console_causes import CAUSES
from functions.backoffice.console_paper import Markup, form, hidden, shown, word
from functions.backoffice.screens.look import Look
from shared.domain.premises import LockDevice
from shared.queries.attempts import AttemptsWanted, last_anomalies, last_attempts
from shared.queries.door_access import who_can_open
from shared.queries.found import find_stay
from shared.queries.why_refused import why
from shared.runtime.problems import NotThere
from shared.usecases.operations.letters import set_aside
from shared.usecases.reconcile.ask_lock import LOOK_EVERY_SECONDS, PATIENCE_SECONDS, heard_since

MOST_TRIED: Final = 50
OPENS: Final[Mapping[str, str]] = {
    "now": "opens",
    "perhaps": "may_open",
    "later": "opens_later",
    "no": "shut",
}
ATTEMPTS: Final = ("at", "lock", "state", "means", "key", "staff", "reason")


async def doors(look: Look) -> str:
    """Return who can open a door, and who tried it last."""
    known, wanted = (
        (await look.on.hotels.premises(look.who.tenant, look.at())).devices,
        look.query.get("door"),
    )
    if not wanted:
        return _listed(look, known)
    chosen = next((each for each in known if each.id == wanted), None)
    if chosen is None:
        raise NotThere("no such door")
    found = await who_can_open(look.store, (chosen,), look.now)
    columns = ("opens", "reservation", "staff", "key", "kind", "from", "until", "reason")
    opening = look.table("doors", columns, (_opener(look, each) for each in found))
    heading = Markup(f"<h2>{shown(chosen.label)}</h2>")
    tried = await _tried(look, chosen.id)
    return f"{heading}{opening}{tried}{_listed(look, known)}"


def _listed(look: Look, known: Iterable[LockDevice]) -> str:
    named = sorted((each.label, str(each.id)) for each in known)
    links = "".join(f"<li>{look.paper.link('doors', label, door=id_)}</li>" for label, id_ in named)
    return f"<ul>{links}</ul>" if links else f"<p>{look.paper.word('none')}</p>"


def _opener(look: Look, each: Mapping[str, Any]) -> tuple[object, ...]:
    opens = word(look.paper, OPENS[each["opens"]], worst=each["opens"] == "perhaps")
    stay, kind = look.stay(each["reservation"]), word(look.paper, each["kind"])
    return (opens, stay, each["staff"], each["key"], kind, each["from"], each["until"], each["because"])


async def _tried(look: Look, device: str) -> str:
    wanted = AttemptsWanted(look.tenant, device=device, limit=MOST_TRIED)
    found = (await last_attempts(look.cell, wanted))["attempts"]
    return look.table("attempts", ATTEMPTS, (attempt_row(look, each) for each in found))


def attempt_row(look: Look, each: Mapping[str, Any]) -> tuple[object, ...]:
    """Return one attempt at a door as a row."""
    state = word(look.paper, "opened" if each["opened"] else "stayed_shut", worst=bool(each["alarm"]))
    label = each["label"] or each["device"]
    reason = look.paper.reason(each["refused"] or each["alarm"])
    return (each["at"], label, state, word(look.paper, each["means"]), each["key"], each["staff"], reason)


async def attempts(look: Look) -> str:
    """Return who tried the hotel's doors last, and what in that is odd."""
    wanted = AttemptsWanted(look.tenant, look.at(), limit=MOST_TRIED)
    found = (await last_attempts(look.cell, wanted))["attempts"]
    odd = (await last_anomalies(look.cell, look.tenant, MOST_TRIED, look.at()))["anomalies"]
    rows = [
        (
            each["at"],
            each["label"] or each["device"],
            word(look.paper, each["kind"], worst=True),
            each["said"],
        )
        for each in odd
    ]
    noted = look.table("anomalies", ("at", "lock", "kind", "what"), rows)
    return noted + look.table("attempts", ATTEMPTS, (attempt_row(look, each) for each in found))


async def explain(look: Look) -> str:
    """Return why a door refused the guest of a stay, or whoever is in a room, and when the lock said so."""
    asked = look.ask("explain")
    if not _meant(look):
        return asked
    told = await _refusals(look)
    again = form(look.paper, "explain", hidden(id=_meant(look)), "ask_lock")
    return asked + "".join(_refusal(look, each) for each in told) + again


async def ask_locks(look: Look) -> str:
    """Have the locks of a stay or a room asked now, wait a little for them, and say whether all answered."""
    told, since, waited = await _refusals(look), look.on.clock.now(), 0.0
    named = {str(each["device"]) for each in told}
    setup = await look.on.hotels.premises(look.who.tenant, look.at())
    locks = [each for each in setup.devices if each.id in named]
    await look.order("ask-locks", property=look.at(), devices=",".join(sorted(named)))
    while waited < PATIENCE_SECONDS:
        await asyncio.sleep(LOOK_EVERY_SECONDS)
        waited += LOOK_EVERY_SECONDS
        if await heard_since(look.store, look.at(), locks, since):
            return "lock_asked"
    return "lock_silent_now"


def _meant(look: Look) -> str:
    return (look.query.get("id") or look.form.get("id", "")).strip()


async def _refusals(look: Look) -> Sequence[Mapping[str, Any]]:
    letters, now = await set_aside(look.on.dead_letters, look.tenant), look.on.clock.now()
    told = look.here((await why(look.cell, _meant(look), look.tenant, letters, now))["refusals"])
    for each in told:
        await _check_stay(look, str(each["reservation"]))
    if not told:
        raise NotThere("no such stay or room here")
    return told


def _refusal(look: Look, told: Mapping[str, Any]) -> str:
    locale = look.paper.locale
    rows = [
        (why, each["because"], remedy, each["guest"].get(str(locale)))
        for each in told["causes"]
        for why, remedy in (CAUSES[each["cause"]][locale],)
    ]
    door = told["label"] or told["device"]
    title = f"<h2>{look.stay(told['reservation'])} {shown(door)}</h2>"
    seen = look.paper.word("never_looked_at") if told["looked_at"] is None else shown(told["looked_at"])
    heard = f"<p>{look.paper.word('lock_looked_at')} {seen}</p>"
    return title + heard + look.table("explain", ("reason", "what", "remedy", "told"), rows, of=door)


async def _check_stay(look: Look, name: str) -> None:
    """Refuse what is of another hotel, whatever door it is asked about."""
    stay = await find_stay(look.store, name)
    if stay is not None and stay.property_id not in (None, look.at()):
        raise NotThere("no such stay")
