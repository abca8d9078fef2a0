"""What was asked of a vendor about one lock, and what it said: kept with the grant, for whoever asks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from shared.ledger.key_record import instant, milliseconds
from shared.ports.exchanges import Exchange

FIRST_KEPT: Final = 10
LAST_KEPT: Final = 30
"""How a key came about stays; of a lock that is asked each hour for days, the latest do."""
MOST_SAID: Final = 12


@dataclass(frozen=True, slots=True)
class CallMade:
    """One call, and the vendor's word in a code of ours; none yet, or never, if nobody heard it.

    One that was not `made` had to wait: its answer is our own. `said` is what went over the wire for it, the
    latest of very much.
    """

    at: datetime
    asked: str
    answer: str | None = None
    answered_at: datetime | None = None
    made: bool = True
    said: tuple[Exchange, ...] = ()


Calls = tuple[CallMade, ...]


def with_call(calls: Calls, call: CallMade) -> Calls:
    """Return the calls and one more, without those that nobody will miss."""
    return (*calls[:FIRST_KEPT], *calls[FIRST_KEPT:][1 - LAST_KEPT :], call)


def with_answer(calls: Calls, answer: str, at: datetime, said: Sequence[Exchange] = ()) -> Calls:
    """Return the calls with the answer to the last, and what was said until it came."""
    if not calls:
        return calls
    return (*calls[:-1], replace(calls[-1], answer=answer, answered_at=at, said=tuple(said)))


def calls_from(found: Sequence[Mapping[str, Any]]) -> Calls:
    """Read what is kept."""
    return tuple(map(_call, found))


def _call(kept: Mapping[str, Any]) -> CallMade:
    answered = kept.get("answered")
    answered_at = None if answered is None else instant(answered)
    said = tuple(Exchange(instant(at), asked, answer) for at, asked, answer in kept.get("said", ()))
    return CallMade(
        instant(kept["at"]), kept["asked"], kept["answer"], answered_at, kept.get("made", True), said
    )


def kept_calls(calls: Calls) -> list[dict[str, Any]]:
    """Return what is to be kept."""
    return list(map(_kept, calls))


def _kept(call: CallMade) -> dict[str, Any]:
    answered = None if call.answered_at is None else milliseconds(call.answered_at)
    kept = {"at": milliseconds(call.at), "asked": call.asked, "answer": call.answer, "answered": answered}
    said = [[milliseconds(each.at), each.asked, each.answer] for each in call.said[-MOST_SAID:]]
    return kept | ({} if call.made else {"made": False}) | ({"said": said} if said else {})
