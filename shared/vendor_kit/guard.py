"""What stands between us and a vendor's platform: a circuit breaker for each account, and a rate limit.

Accounts of one application have one limit: that is what vendors count by. Decisions 0046 and 0047.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from weakref import WeakValueDictionary

from shared.kernel.log import Log
from shared.ports.ambient import Clock, Entropy
from shared.ports.documents import DocumentStore
from shared.vendor_kit.breaker import (
    DEFAULT_BREAKER,
    Breaker,
    BreakerChange,
    BreakerPolicy,
    BreakerState,
    Step,
)
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.calm.blocks import Blocks, OwnBlocks, SharedBlocks
from shared.vendor_kit.http import CallFault
from shared.vendor_kit.rate import NO_LIMIT, Rate, RateLimit, Urgency


class VendorDown(Exception):
    """The vendor answered that it cannot answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardPolicy:
    """How hard one application may be used, as its vendor declares it; without a limit, as hard as may be."""

    limit: Limit | None = None
    patience: float = 10.0
    """How many seconds a call may wait for its turn."""
    breaker: BreakerPolicy = DEFAULT_BREAKER


UNDECLARED: Final = GuardPolicy(limit=Limit(calls=100))
"""A vendor that declares nothing is used as gently as the strictest."""


class Guard:
    """Lets calls to one account through."""

    def __init__(
        self,
        name: str,
        breaker: BreakerPolicy,
        rate: Rate,
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


@dataclass(frozen=True, slots=True)
class Shared:
    """What the processes of a fleet share their limits through."""

    store: DocumentStore
    entropy: Entropy


class Guards:
    """The guards of a process, one for each of the vendors' accounts it uses, and the limits they share.

    A guard lasts as long as somebody uses it: what is known of an account goes with whoever opened it.
    Without a store to share, limits are the process's own; a policy `instead` overrules every vendor's.
    """

    def __init__(
        self,
        clock: Clock,
        log: Log,
        shared: Shared | None = None,
        instead: GuardPolicy | None = None,
        tell: Callable[[str, BreakerChange], None] | None = None,
    ) -> None:
        self._clock, self._log, self._shared, self._instead = clock, log, shared, instead
        self._tell = tell or self._warn
        self._guards: WeakValueDictionary[str, Guard] = WeakValueDictionary()
        self._rates: WeakValueDictionary[str, RateLimit] = WeakValueDictionary()

    def of(self, name: str, application: str, declared: GuardPolicy = UNDECLARED) -> Guard:
        """Return the guard of an account by its name, within the limit of its application."""
        guard = self._guards.get(name)
        if guard is None:
            policy = self._instead or declared
            rate = self._rate_of(application, policy)
            guard = self._guards[name] = Guard(name, policy.breaker, rate, self._clock, self._tell)
        return guard

    def _rate_of(self, application: str, policy: GuardPolicy) -> Rate:
        if policy.limit is None:
            return NO_LIMIT
        rate = self._rates.get(application)
        if rate is None:
            blocks = self._blocks_of(application, policy.limit)
            rate = self._rates[application] = RateLimit(blocks, policy.patience, self._clock)
        return rate

    def _blocks_of(self, application: str, limit: Limit) -> Blocks:
        if self._shared is None:
            return OwnBlocks(limit)
        store, entropy = self._shared.store, self._shared.entropy
        return SharedBlocks(store, application, limit, self._clock, entropy, self._log)

    def _warn(self, account: str, change: BreakerChange) -> None:
        self._log.warning("a vendor's circuit changed", account=account, change=str(change))
