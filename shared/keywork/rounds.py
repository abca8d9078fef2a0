"""The one loop over a key's locks: each has its time, and what was done is saved before all time is up.

1. All is done inside one visit, so that what does one thing at a time is waited for once.
2. A lock that takes longer than its minute has not answered, and may still do what it was asked.
3. A refusal is an answer: it must not keep the other locks from being asked.
4. The loop ends when enough is known, or the round has lasted: who comes next goes on (decision 0027).
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar

from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import LockError, LockErrorCause, VendorUnreachable
from shared.ledger.delays import LONGEST_AT_A_LOCK, round_over
from shared.ports.exchanges import Exchange, overheard
from shared.ports.lock import KeyAtLock, LockVendor

A = TypeVar("A")
TOO_LATE: Final = LockErrorCause("timeout")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking at one lock: a key as it stands there, nothing but success, or why not."""

    outcome: KeyAtLock | LockError | None
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
    act: Callable[[A], Awaitable[KeyAtLock | None]]
    enough: Callable[[A], bool] = lambda _: False

    async def ask(self, attempts: Sequence[A], note: Callable[[A, Answer], A]) -> list[A]:
        """Return the attempts that there was time for, each with its answer."""
        began, asked = self.now(), list[A]()
        async with self.port.visit():
            for attempt in attempts:
                asked.append(note(attempt, await self._answer(attempt)))
                if self.enough(asked[-1]) or round_over(began, self.now()):
                    break
        return asked

    async def _answer(self, attempt: A) -> Answer:
        asked_at = self.now()
        outcome: KeyAtLock | LockError | None
        with overheard() as said:
            try:
                async with asyncio.timeout(LONGEST_AT_A_LOCK.total_seconds()):
                    outcome = await self.act(attempt)
            except TimeoutError:
                outcome = VendorUnreachable(vendor=self.vendor, cause=TOO_LATE)
            except LockError as error:
                outcome = error
        return Answer(outcome, asked_at, self.now(), tuple(said))
