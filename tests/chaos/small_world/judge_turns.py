"""The verdict on two stays of one guest, one right after the other: one key for both, or each has its own."""

from collections.abc import Iterator
from datetime import timedelta

from shared.domain.instants import instant_from_text
from shared.domain.states import Suspended
from tests.chaos.small_world.stays import Stay

TURN = timedelta(hours=6)


def claims_of(key) -> set[str]:
    """Return the claims that a key serves: its stay's, and that of the next which it goes on for."""
    return {key.credential.core.claim, *(() if key.then is None else (key.then["claim"],))}


def is_of_the_turn(key, stay: Stay) -> bool:
    """Say whether a stay may name another's key: it has it next, or had it before."""
    next_has_it = key.then is not None and key.then["reservation"] == stay.id
    return next_has_it or key.handed_over


def about_times(stay: Stay, key, *, turned: bool) -> Iterator[str]:
    """Go through the times of a stay's key: over a turn it opens from the first stay until the next ends.

    One that came to rest as it was parted from the next is told its own times again when it wakes.
    """
    window, amends = key.credential.core.window, key.entry.get("amends")
    first, last = (window.start, window.end) if key.then is None else _of_both(stay, key)
    if turned and amends is not None and isinstance(key.state, Suspended):
        first, last = _times(amends["window"])
    if last != stay.end or (first != stay.start and not (key.handed_over and first < stay.start)):
        yield f"{key.id} is not for the times of the stay"


def _of_both(stay, key):
    """Return the times of a stay of two by what their key says of both, if that is what it opens."""
    window, core = key.then["window"], key.credential.core
    before, after = _times(key.then["before"]), _times(window)
    turned = before[1] <= after[0] <= before[1] + TURN
    if not turned or (core.window.start, core.window.end) != (before[0], after[1]):
        return None, None
    return after if key.then["reservation"] == stay.id else before


def _times(window):
    return instant_from_text(window["start"], "start"), instant_from_text(window["end"], "end")
