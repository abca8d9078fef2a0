"""Who comes: today, those without their key first; and in the next three days, with what each door risks."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from functions.backoffice.console_paper import word
from functions.backoffice.screens.look import MOST_ROWS, Look
from shared.queries.boards import ON_BOARD, Lobby
from shared.queries.readiness import readiness

AT_RISK: Final = frozenset({"keyless", "failed"})


async def arrivals(look: Look) -> str:
    """Return who comes today."""
    items = await Lobby(look.store, look.at(), look.now).arrivals()
    rows = [
        (
            look.stay(each["reservation"]),
            ", ".join(each["rooms"]),
            each["from"],
            each["until"],
            word(look.paper, each["readiness"], worst=each["readiness"] in AT_RISK),
        )
        for each in items
    ]
    return look.ask("stay") + look.table("arrivals", ("reservation", "room", "from", "until", "state"), rows)


async def ahead(look: Look) -> str:
    """Return who comes within three days, and what puts each arrival at risk."""
    found = look.here((await readiness(look.cell, look.tenant, look.now, look.at()))["arrivals"])
    known = (await look.on.hotels.premises(look.who.tenant, look.at())).devices
    labels = {str(each.id): each.label for each in known}
    rows = [
        (
            look.stay(each["reservation"]),
            each["arrives"],
            _ready(look, each["ready"]),
            look.paper.reason(_joined(_risks(each["risks"], labels))),
            _joined(_doors(each["doors"], labels)),
        )
        for each in sorted(found, key=lambda each: (not each["risks"], str(each["arrives"])))[:MOST_ROWS]
    ]
    return look.table("ahead", ("reservation", "from", "state", "risks", "lock"), rows)


def _ready(look: Look, state: str) -> object:
    said = ON_BOARD.get(state, state)
    return word(look.paper, said, worst=said in AT_RISK)


def _doors(doors: Iterable[Mapping[str, Any]], labels: Mapping[str, str]) -> list[str]:
    """Return how far each door is, by the name on it; one that has left the hotel has its id alone."""
    named = ((labels.get(each["device"], each["device"]), each["placement"]) for each in doors)
    return [f"{label}: {placement.replace('_', ' ')}" for label, placement in named]


def _risks(risks: Iterable[str], labels: Mapping[str, str]) -> list[str]:
    """Return what puts an arrival at risk, each door by the name on it."""
    parted = (risk.partition(": ") for risk in risks)
    return [f"{labels.get(device, device)}{mark}{risk}" for device, mark, risk in parted]


def _joined(texts: Iterable[str]) -> str:
    return "; ".join(texts)
