"""The simulated doors of a sandbox: how they are, what may go wrong with them, and somebody at a door."""

from collections.abc import Mapping
from typing import Final

from functions.backoffice.console_paper import Markup, choice, entry, form, hidden, shown, word
from functions.backoffice.screens.look import Look
from shared.domain.errors import InvalidInput
from shared.domain.premises import LockDevice
from shared.ports.playground import PLAYGROUND, Playground, SimulatedLock
from shared.runtime.problems import NotNow, NotThere

COLUMNS: Final = ("lock", "battery", "state", "keys_there", "look")
GIVEN: Final = ("pin", "card")


def _doors(look: Look) -> Playground:
    doors: Playground = look.on.kept[PLAYGROUND]
    return doors


async def _here(look: Look) -> Mapping[str, LockDevice]:
    """Return the hotel's locks that are simulated, by what their vendor calls them."""
    known = (await look.on.hotels.premises(look.who.tenant, look.at())).devices
    return {each.vendor_device: each for each in known if each.vendor == _doors(look).vendor}


async def sandbox(look: Look) -> str:
    """Return the hotel's simulated locks, and what may be done to each."""
    here = await _here(look)
    try:
        found = [each for each in await _doors(look).locks() if each.name in here]
    except NotNow:
        found = []
    verbs = _doors(look).verbs
    listed = look.table("sandbox", COLUMNS, (_row(look, here[each.name], each) for each in found))
    return listed + "".join(_played(look, here[each.name], verbs) for each in found)


def _row(look: Look, lock: LockDevice, each: SimulatedLock) -> tuple[object, ...]:
    reach = word(look.paper, "online" if each.in_reach else "offline", worst=not each.in_reach)
    fields = "".join(
        entry(look.paper.word(name), name, at=f"{name}-{each.name}", needed=False) for name in GIVEN
    )
    trying = form(look.paper, "sandbox", hidden(id=each.name) + fields, "try_door")
    return (lock.label, each.battery, reach, each.keys, trying)


def _played(look: Look, lock: LockDevice, verbs: Mapping[str, str]) -> Markup:
    chosen = choice(shown(lock.label), "verb", f"verb-{lock.vendor_device}", verbs)
    return form(look.paper, "sandbox", hidden(id=lock.vendor_device) + chosen, "do_it")


async def play(look: Look) -> str:
    """Do what somebody chose at a simulated lock, or try its door with what they hold."""
    lock = look.form.get("id", "")
    if lock not in await _here(look):
        raise NotThere("no such lock here")
    given = {name: look.form[name] for name in GIVEN if look.form.get(name)}
    try:
        if "verb" in look.form:
            await _doors(look).play(look.form["verb"], lock)
            return "done"
        if len(given) != 1:
            raise InvalidInput("pin", "not given, or beside a card", "Give a PIN or a card")
        return "opened" if await _doors(look).try_with(lock, given) else "stayed_shut"
    except InvalidInput as refusal:
        raise NotNow(str(refusal)) from None
