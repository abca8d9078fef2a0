"""How a key will be tried: an ordered list of choices, and the attempts already made."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, Self

from shared.domain.errors import InvalidInput, PlanExhausted
from shared.domain.instants import utc
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.replacing import replace

_PROBLEM: Final = re.compile(r"[A-Za-z][A-Za-z._]{1,63}")
MAX_ATTEMPTS: Final = 6
"""The first attempt and five more, over all choices of a credential."""
LEAST_TIME: Final = timedelta(minutes=6)
"""So long six attempts take at least, by the waits between them."""
LONGEST_LOST: Final = LEAST_TIME / (MAX_ATTEMPTS - 1)
"""So much of it at most goes by with one that broke off: who was off for hours tried nothing meanwhile."""
NOTHING: Final = timedelta(0)


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to make the key."""

    vendor: VendorCode
    kind: KeyCredentialKind


@dataclass(frozen=True, slots=True)
class AttemptMade:
    """One try, and what came of it once that is known."""

    choice: Choice
    at: datetime
    problem: str | None = None

    def __post_init__(self) -> None:
        if self.problem is not None and not _PROBLEM.fullmatch(self.problem):
            raise InvalidInput(
                "problem", "not an error code", "Give a code, such as a LockError's, and no message"
            )


@dataclass(frozen=True, slots=True)
class IssuePlan:
    """The choices in order of preference, the one being tried, and the attempts behind it."""

    choices: tuple[Choice, ...]
    position: int = 0
    made: tuple[AttemptMade, ...] = ()

    def __post_init__(self) -> None:
        if not self.choices or len(set(self.choices)) != len(self.choices):
            raise InvalidInput("choices", "empty or repeated", "Give each vendor and kind once, best first")
        if not 0 <= self.position < len(self.choices):
            raise InvalidInput("position", "outside the choices", "Point at one of the choices")

    @property
    def current(self) -> Choice:
        """The choice being tried."""
        return self.choices[self.position]

    @property
    def kinds(self) -> tuple[KeyCredentialKind, ...]:
        """The kinds in order of preference, each once."""
        return tuple(dict.fromkeys(choice.kind for choice in self.choices))

    @property
    def attempts(self) -> int:
        """How many attempts were made."""
        return len(self.made)

    @property
    def answered(self) -> int:
        """How many attempts we lived to see the end of."""
        return sum(each.problem is not None for each in self.made)

    @property
    def spent(self) -> bool:
        """Say whether there is no attempt left.

        One that broke off, as when our process is killed, is made again: those count only once they took the
        time that all take.
        """
        if self.attempts < MAX_ATTEMPTS:
            return False
        return self.answered >= MAX_ATTEMPTS or self._lost >= LEAST_TIME

    @property
    def _lost(self) -> timedelta:
        """How long we tried in vain to see the end of an attempt."""
        broke_off = [(each.at, after.at) for each, after in pairwise(self.made) if each.problem is None]
        return sum((min(max(NOTHING, end - at), LONGEST_LOST) for at, end in broke_off), NOTHING)

    @property
    def last_attempt_at(self) -> datetime | None:
        """When the last attempt began, if there was one."""
        return self.made[-1].at if self.made else None

    def attempting(self, at: datetime) -> Self:
        """Count one more attempt at the current choice; it must be counted before the vendor is called."""
        if self.spent:
            raise PlanExhausted(
                f"all {MAX_ATTEMPTS} attempts are used: apply Fail and raise a manual-key task"
            )
        return replace(self, made=(*self.made, AttemptMade(self.current, utc(at, "at"))))

    def refused(self, problem: str) -> Self:
        """Note what came of the last attempt."""
        if not self.made:
            raise InvalidInput("made", "no attempt was made", "Count the attempt before noting its outcome")
        return replace(self, made=(*self.made[:-1], replace(self.made[-1], problem=problem)))

    def falling_back(self) -> Self:
        """Turn to the next choice."""
        if self.position + 1 == len(self.choices):
            raise PlanExhausted("no further choice is left: apply Fail and raise a manual-key task")
        return replace(self, position=self.position + 1)
