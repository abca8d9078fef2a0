"""What stands between us and a vendor's platform: a rate limit and a circuit breaker for each account."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from shared.kernel.log import Log
from shared.ports.ambient import Clock
from shared.vendor_kit.breaker import DEFAULT_BREAKER, Breaker, BreakerChange, BreakerPolicy, Step
from shared.vendor_kit.http import CallFault
from shared.vendor_kit.rate import RateLimit, Urgency


class VendorDown(Exception):
    """The vendor answered that it cannot answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardPolicy:
    """How hard one account may be used by one process."""

    per_minute: int = 100
    burst: int = 10
    patience: float = 10.0
    """How many seconds a call may wait for its turn."""
    breaker: BreakerPolicy = DEFAULT_BREAKER


class Guard:
    """Lets calls to one account through."""

    def __init__(
        self, name: str, policy: GuardPolicy, clock: Clock, tell: Callable[[str, BreakerChange], None]
    ) -> None:
        self._name, self._clock, self._tell = name, clock, tell
        self._rate = RateLimit(policy.per_minute, policy.burst, policy.patience)
        self._breaker = Breaker(policy.breaker)

    async def turn(self, urgency: Urgency) -> None:
        """Return when a call may be made, or raise CircuitOpen or Throttled."""
        self._move(self._breaker.admitting(self._clock.now()))
        await self._rate.turn(urgency)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Count what happens inside: only a vendor that cannot answer has failed, not one that refuses."""
        try:
            yield
        except (CallFault, VendorDown):
            self._note(failed=True)
            raise
        self._note(failed=False)

    def _note(self, *, failed: bool) -> None:
        self._move(self._breaker.noting(self._clock.now(), failed=failed))

    def _move(self, step: Step) -> None:
        self._breaker, change = step
        if change is not None:
            self._tell(self._name, change)


class Guards:
    """The guards of a process, one for each of the vendors' accounts it uses."""

    def __init__(self, policy: GuardPolicy, clock: Clock, tell: Callable[[str, BreakerChange], None]) -> None:
        self._policy, self._clock, self._tell = policy, clock, tell
        self._guards: dict[str, Guard] = {}

    def of(self, name: str) -> Guard:
        """Return the guard of this name."""
        if name not in self._guards:
            self._guards[name] = Guard(name, self._policy, self._clock, self._tell)
        return self._guards[name]


def warning(log: Log) -> Callable[[str, BreakerChange], None]:
    """Return what logs that an account's circuit opened or closed."""

    def tell(account: str, change: BreakerChange) -> None:
        log.warning("a vendor's circuit changed", account=account, change=str(change))

    return tell
