"""The one loop over a key's locks: each has its time, and what was done is saved before all time is up.

1. All is done inside one visit, so that what does one thing at a time is waited for once.
2. A lock that takes longer than its minute has not answered, and may still do what it was asked.
3. A refusal is an answer: it must not keep the other locks from being asked.
4. The loop ends when enough is known, or the round has lasted: who comes next goes on (decision 0027).
5. Where a key is one artifact for all its locks, they are asked as one, and what keeps one keeps all.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar

from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import LockError, LockErrorCause, VendorUnreachable
from shared.domain.replacing import replace
from shared.kernel.time_limit import TimeLimit
from shared.ledger.delays import LONGEST_AT_A_LOCK, round_over
from shared.ports.exchanges import Exchange, capture_exchanges
from shared.ports.lock import InHand, KeyAtLock, LockVendor
from shared.ports.lock_causes import LockCause

A = TypeVar("A")
T = TypeVar("T")
Outcome = KeyAtLock | InHand | LockError | None
"""What a vendor says of a key at a lock: how it stands, that it is in hand, why not, or just success."""
TOO_LATE: Final = LockErrorCause(LockCause.TIMEOUT)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking at one lock."""

    outcome: Outcome
    asked_at: datetime
    answered_at: datetime
    said: tuple[Exchange, ...] = ()

    @property
    def error(self) -> LockError | None:
        """What went wrong, if anything."""
        return self.outcome if isinstance(self.outcome, LockError) else None


@dataclass(frozen=True, slots=True)
class Round(Generic[A]):
    """A round at the locks of one vendor: what is asked of each, and when enough is known."""

    port: LockVendor
    vendor: VendorCode
    now: Callable[[], datetime]
    act: Callable[[A], Awaitable[Outcome]]
    enough: Callable[[A], bool] = lambda _: False

    async def ask(self, attempts: Sequence[A], note: Callable[[A, Answer], A]) -> list[A]:
        """Return the attempts that there was time for, each with its answer."""
        began = self.now()
        asked: list[A] = []
        async with self.port.visit():
            for attempt in attempts:
                asked.append(note(attempt, await self._answer(attempt)))
                if self.enough(asked[-1]) or round_over(began, self.now()):
                    break
        return asked

    async def ask_as_one(
        self,
        attempts: Sequence[A],
        act: Callable[[Sequence[A]], Awaitable[Sequence[Outcome]]],
        note: Callable[[A, Answer], A],
    ) -> list[A]:
        """Return the attempts, all asked in one call, each with its answer."""
        answers = await self.answers_as_one(attempts, act) if attempts else []
        return [note(each, answer) for each, answer in zip(attempts, answers, strict=True)]

    async def answers_as_one(
        self, attempts: Sequence[T], act: Callable[[Sequence[T]], Awaitable[Sequence[Outcome]]]
    ) -> list[Answer]:
        """Return what one call says of each: an error is said of all."""
        async with self.port.visit():
            answer, outcomes = await self._heard(lambda: act(attempts))
        every = [answer.outcome] * len(attempts) if outcomes is None else outcomes
        return [replace(answer, outcome=outcome) for outcome in every]

    async def _answer(self, attempt: A) -> Answer:
        answer, outcome = await self._heard(lambda: self.act(attempt))
        return answer if outcome is None else replace(answer, outcome=outcome)

    async def _heard(self, call: Callable[[], Awaitable[T]]) -> tuple[Answer, T | None]:
        """Return what a call came to, in its time: what it returned, or else its error."""
        asked_at, returned = self.now(), None
        error: LockError | None = None
        with capture_exchanges() as said:
            try:
                with TimeLimit(LONGEST_AT_A_LOCK.total_seconds()):
                    returned = await call()
            except TimeoutError:
                error = VendorUnreachable(vendor=self.vendor, cause=TOO_LATE)
            except LockError as refused:
                error = refused
        return Answer(error, asked_at, self.now(), tuple(said)), returned
