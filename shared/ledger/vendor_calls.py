"""What was asked of a vendor about one lock, and what it said: kept with the grant, for whoever asks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

from shared.domain.instants import Moment
from shared.domain.replacing import born_open, replace
from shared.domain.stored import Stored
from shared.ports.exchanges import Exchange

FIRST_KEPT: Final = 10
LAST_KEPT: Final = 30
"""How a key came about stays; of a lock that is asked each hour for days, the latest do."""
MOST_SAID: Final = 12


@born_open
@dataclass(frozen=True, slots=True)
class CallMade:
    """One call, and the vendor's word in a code of ours; none yet, or never, if nobody heard it.

    One that was not `made` had to wait: its answer is our own. `said` is what went over the wire for it, the
    latest of very much; `took_ms`, how long the vendor took for all of it, where that was noted.
    """

    at: Moment
    asked: str
    answer: str | None = None
    answered_at: Annotated[Moment | None, Stored("answered")] = None
    made: Annotated[bool, Stored(omitted=True)] = True
    said: Annotated[tuple[Exchange, ...], Stored(omitted=True, rows=True)] = ()
    took_ms: Annotated[int | None, Stored("took", omitted=True)] = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "said", self.said[-MOST_SAID:])


Calls = tuple[CallMade, ...]


def with_call(calls: Calls, call: CallMade) -> Calls:
    """Return the calls and one more, without those that nobody will miss."""
    return (*calls[:FIRST_KEPT], *calls[FIRST_KEPT:][1 - LAST_KEPT :], call)


def with_answer(calls: Calls, answer: str, at: datetime, said: Sequence[Exchange] = ()) -> Calls:
    """Return the calls with the answer to the last, and what was said until it came."""
    if not calls:
        return calls
    took = sum(each.took_ms for each in said) if said else None
    return (*calls[:-1], replace(calls[-1], answer=answer, answered_at=at, said=tuple(said), took_ms=took))
