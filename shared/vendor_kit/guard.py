"""What stands between us and a vendor's platform: a circuit breaker and a rate limit.

Accounts of one application have them in common: that is what vendors count by, and what breaks.
Decisions 0046 and 0047.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final
from weakref import WeakValueDictionary

from shared.kernel.log import Log
from shared.ports.ambient import Clock, Entropy, Ids
from shared.ports.bus import EventBus
from shared.ports.documents import DocumentStore
from shared.vendor_kit.breaker import DEFAULT_BREAKER, BreakerChange, BreakerPolicy
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.calm.blocks import PLATFORM, Blocks, OwnBlocks, SharedBlocks
from shared.vendor_kit.calm.circuit import Circuit, SharedCircuit
from shared.vendor_kit.calm.health_stream import HealthStream
from shared.vendor_kit.http import CallFault
from shared.vendor_kit.rate import NO_LIMIT, Rate, RateLimit, Urgency

TIME_TO_ANSWER: Final = 20.0
"""Seconds after which a call that is given up is its vendor's trouble, and not its caller's."""


class VendorDown(Exception):
    """The vendor answered that it cannot answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardPolicy:
    """How hard one application may be used, as its vendor declares it; without a limit, as hard as may be."""

    limit: Limit | None = None
    patience: float = 10.0
    """How many seconds a call may wait for its turn."""
    breaker: BreakerPolicy = DEFAULT_BREAKER
    environment: str = "production"
    """Which of the vendor's it is, as its changes of health are told."""


UNDECLARED: Final = GuardPolicy(limit=Limit(calls=100))
"""A vendor that declares nothing is used as gently as the strictest."""


class Guard:
    """Lets calls to one account through."""

    def __init__(self, rate: Rate, circuit: Circuit) -> None:
        self._rate, self._circuit = rate, circuit

    async def turn(self, urgency: Urgency) -> None:
        """Return when a call may be made, or raise CircuitOpen or Throttled."""
        await self._circuit.look()
        self._circuit.check()
        await self._rate.turn(urgency)
        # The circuit may have opened while we waited.
        self._circuit.check()

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Make a call inside, or raise CircuitOpen; only a vendor that cannot answer has failed.

        What comes of it after the circuit opened tells nothing of how things are since then. One that nobody
        waited for any longer has failed too, unless they never gave it time to answer.
        """
        await self._circuit.enter()
        opened, began = self._circuit.opened, _passed()
        try:
            yield
        except (CallFault, VendorDown):
            await self._circuit.note(opened, failed=True)
            raise
        except asyncio.CancelledError:
            if _passed() - began >= TIME_TO_ANSWER:
                await self._circuit.note(opened, failed=True)
            raise
        await self._circuit.note(opened, failed=False)


@dataclass(frozen=True, slots=True)
class Shared:
    """What the processes of a fleet share their limits and circuits through, and tell of them by."""

    store: DocumentStore
    entropy: Entropy
    bus: EventBus
    ids: Ids


class Guards:
    """The guards of a process, one for each of the vendors' accounts it uses, and what applications share.

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
        self._circuits: WeakValueDictionary[str, Circuit] = WeakValueDictionary()
        self._rates: WeakValueDictionary[str, RateLimit] = WeakValueDictionary()

    def of(self, name: str, application: str, declared: GuardPolicy = UNDECLARED) -> Guard:
        """Return the guard of an account by its name, within the limit of its application."""
        guard = self._guards.get(name)
        if guard is None:
            policy = self._instead or declared
            rate, circuit = self._rate_of(application, policy), self._circuit_of(application, policy)
            guard = self._guards[name] = Guard(rate, circuit)
        return guard

    def _circuit_of(self, application: str, policy: GuardPolicy) -> Circuit:
        circuit = self._circuits.get(application)
        if circuit is None:
            alone = Circuit(application, policy.breaker, self._clock, self._tell)
            circuit = self._circuits[application] = self._shared_circuit(alone, policy)
        return circuit

    def _shared_circuit(self, alone: Circuit, policy: GuardPolicy) -> Circuit:
        if self._shared is None:
            return alone
        documents, shared = self._shared.store.tenant(PLATFORM), self._shared
        stream = HealthStream(alone.name, policy.environment, documents, shared.bus, shared.ids)
        return SharedCircuit(alone, documents, stream, self._log)

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


def _passed() -> float:
    return asyncio.get_running_loop().time()
