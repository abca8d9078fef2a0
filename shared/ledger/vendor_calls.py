"""What was asked of a vendor about one lock, and what it said: kept with the grant, for whoever asks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from shared.ledger.entry import instant, milliseconds

FIRST_KEPT: Final = 10
LAST_KEPT: Final = 30
"""How a key came about stays; of a lock that is asked each hour for days, the latest do."""


@dataclass(frozen=True, slots=True)
class CallMade:
    """One call, and the vendor's word in a code of ours; none yet, or never, if nobody heard it."""

    at: datetime
    asked: str
    answer: str | None = None


Calls = tuple[CallMade, ...]


def with_call(calls: Calls, call: CallMade) -> Calls:
    """Return the calls and one more, without those that nobody will miss."""
    return (*calls[:FIRST_KEPT], *calls[FIRST_KEPT:][1 - LAST_KEPT :], call)


def with_answer(calls: Calls, answer: str) -> Calls:
    """Return the calls with the answer to the last."""
    return (*calls[:-1], replace(calls[-1], answer=answer)) if calls else calls


def calls_from(found: Sequence[Mapping[str, Any]]) -> Calls:
    """Read what is kept."""
    return tuple(CallMade(instant(each["at"]), each["asked"], each["answer"]) for each in found)


def kept_calls(calls: Calls) -> list[dict[str, Any]]:
    """Return what is to be kept."""
    return [{"at": milliseconds(each.at), "asked": each.asked, "answer": each.answer} for each in calls]
