"""What the backoffice's functions work with, made once of each platform and kept."""

import asyncio
import re
from typing import Final
from weakref import WeakValueDictionary

from shared.queries.composing import Boards
from shared.runtime.platform import Platform
from shared.usecases.backoffice.sign_in import Frontdoor
from shared.usecases.telemetry.flags import DocumentFlags, Rates
from shared.usecases.telemetry.peppers import Peppers
from shared.usecases.telemetry.tell import Teller

_PEPPERS, _TELLER, BOARDS = "backoffice.peppers", "backoffice.teller", "backoffice.boards"
_TURNS: Final = "backoffice.turns"
OLDEST: Final = "1.0.0"
"""Desktops below this version are let in no more (C §13)."""
_NO_WORD: Final = re.compile(r"[^a-z0-9]+")


def peppers_of(on: Platform) -> Peppers:
    """Return what hashes are keyed with."""
    if _PEPPERS not in on.kept:
        on.kept[_PEPPERS] = Peppers(on.sealed, on.cipher, on.clock, on.entropy)
    peppers: Peppers = on.kept[_PEPPERS]
    return peppers


def teller_of(on: Platform) -> Teller:
    """Return who tells what was done."""
    if _TELLER not in on.kept:
        rates = Rates(DocumentFlags(on.documents), on.clock, on.entropy, on.log)
        on.kept[_TELLER] = Teller(
            on.documents, on.bus, rates, on.clock, on.ids, on.entropy, on.log, _instance(on)
        )
    teller: Teller = on.kept[_TELLER]
    return teller


def frontdoor_of(on: Platform) -> Frontdoor:
    """Return what signing in works with."""
    return Frontdoor(teller_of(on), peppers_of(on), OLDEST)


def turns_of(on: Platform) -> WeakValueDictionary[str, asyncio.Lock]:
    """Return whose turn it is to count in each session that is at work on this instance."""
    turns: WeakValueDictionary[str, asyncio.Lock] = on.kept.setdefault(_TURNS, WeakValueDictionary())
    return turns


def boards_of(on: Platform) -> Boards:
    """Return what this instance has read of late of every hotel."""
    if BOARDS not in on.kept:
        on.kept[BOARDS] = Boards(on.clock, on.log)
    boards: Boards = on.kept[BOARDS]
    return boards


def _instance(on: Platform) -> str:
    """Return what this instance calls itself in envelopes (C §2): no machine's own name."""
    cell = _NO_WORD.sub("-", on.cell.lower()).strip("-")
    return f"bff-bo-{cell}-{on.entropy.token(4).hex()}"
