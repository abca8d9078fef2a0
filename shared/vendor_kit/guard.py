"""What stands between us and a vendor's platform: a circuit breaker for each account, and a rate limit.

Accounts of one application have one limit: that is what vendors count by.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from shared.kernel.log import Log
from shared.ports.ambient import Clock
from shared.vendor_kit.breaker import (
    DEFAULT_BREAKER,
    Breaker,
    BreakerChange,
    BreakerPolicy,
    BreakerState,
    Step,
)
from shared.vendor_kit.http import CallFault
from shared.vendor_kit.rate import RateLimit, Urgency


class VendorDown(Exception):
    """The vendor answered that it cannot answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardPolicy:
    """How hard one application may be used by one process."""

    per_minute: int = 100
    burst: int = 10
    patience: float = 10.0
    """How many seconds a call may wait for its turn."""
    breaker: BreakerPolicy = DEFAULT_BREAKER


class Guard:
    """Lets calls to one account through."""

    def __init__(
        self,
        name: str,
        breaker: BreakerPolicy,
        rate: RateLimit,
        clock: Clock,
        tell: Callable[[str, BreakerChange], None],
    ) -> None:
        self._name, self._rate, self._clock, self._tell = name, rate, clock, tell
        self._breaker, self._opened = Breaker(breaker), 0

    async def turn(self, urgency: Urgency) -> None:
        """Return when a call may be made, or raise CircuitOpen or Throttled."""
        self._admitting()
        await self._rate.turn(urgency)
        # The circuit may have opened while we waited.
        self._admitting()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Make a call inside, or raise CircuitOpen; only a vendor that cannot answer has failed.

        What comes of it after the circuit opened tells nothing of how things are since then.
        """
        self._move(self._admitting())
        opened = self._opened
        try:
            yield
        except (CallFault, VendorDown):
            self._note(opened, failed=True)
            raise
        self._note(opened, failed=False)

    def _admitting(self) -> Step:
        return self._breaker.admitting(self._clock.now())

    def _note(self, opened: int, *, failed: bool) -> None:
        if opened == self._opened:
            self._move(self._breaker.noting(self._clock.now(), failed=failed))

    def _move(self, step: Step) -> None:
        self._breaker, change = step
        if change is not None:
            self._opened += change.after is BreakerState.OPEN
            self._tell(self._name, change)


class Guards:
    """The guards of a process, one for each of the vendors' accounts it uses, and the limits they share."""

    def __init__(self, policy: GuardPolicy, clock: Clock, tell: Callable[[str, BreakerChange], None]) -> None:
        self._policy, self._clock, self._tell = policy, clock, tell
        self._guards: dict[str, Guard] = {}
        self._rates: dict[str, RateLimit] = {}

    def of(self, name: str, application: str) -> Guard:
        """Return the guard of an account by its name, within the limit of its application."""
        if name not in self._guards:
            rate = self._rate_of(application)
            self._guards[name] = Guard(name, self._policy.breaker, rate, self._clock, self._tell)
        return self._guards[name]

    def _rate_of(self, application: str) -> RateLimit:
        if application not in self._rates:
            policy = self._policy
            self._rates[application] = RateLimit(policy.per_minute, policy.burst, policy.patience)
        return self._rates[application]


def warning(log: Log) -> Callable[[str, BreakerChange], None]:
    """Return what logs that an account's circuit opened or closed."""

    def tell(account: str, change: BreakerChange) -> None:
        log.warning("a vendor's circuit changed", account=account, change=str(change))

    return tell
