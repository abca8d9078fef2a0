"""A vendor's circuit, shared by all processes: one of them changes it, all heed it, and it is told once.

| step                                         | died here                                                   |
|----------------------------------------------|-------------------------------------------------------------|
| 1. a process's own calls trip its breaker    | the next process whose calls fail trips it                  |
| 2. it writes the state and its event at once | nothing changed, or both stand; of two who try, one does it |
| 3. it publishes the event                    | the sweeper does (`health_stream`)                          |
| 4. it notes that it is published             | the sweeper publishes the same bytes, under the same id     |

The others read the state every few seconds. After its rest one process writes that it probes; if it dies, the
next does after another rest. Rests are counted from when a state was seen, by one's own clock: clocks differ.
While the store is away, each process goes by its own calls. Decision 0047.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, Protocol

from shared.domain.instants import instant_from_text, instant_to_text
from shared.kernel.log import Log
from shared.ports.ambient import Clock
from shared.ports.documents import AlreadyExists, Create, Document, Ref, StaleVersion, TenantDocuments, Update
from shared.vendor_kit.breaker import Breaker, BreakerChange, BreakerPolicy, BreakerState, Step

COLLECTION: Final = "breakers"
SCHEMA_VERSION: Final = 1
READ_EVERY: Final = timedelta(seconds=5)
STORE_ANSWERS_IN: Final = 2.0
FORGOTTEN_AFTER: Final = timedelta(minutes=2)
"""A circuit that nobody probed for so long after its rest may be probed by whoever comes first."""

Tell = Callable[[str, BreakerChange], None]


class Stream(Protocol):
    """Where changes are told."""

    def row(self, kept: Any, change: BreakerChange) -> Create:
        """Return the write that tells a change, beside what is kept of the breaker from then on."""

    async def publish(self, ref: Ref) -> None:
        """Publish what a breaker has not told yet."""


@dataclass(slots=True, weakref_slot=True)
class Circuit:
    """One process's view of an application's circuit; alone, it is the whole of it."""

    name: str
    policy: BreakerPolicy
    clock: Clock
    tell: Tell
    opened: int = 0
    """How often it opened: what comes of a call begun before tells nothing of how things are since then."""
    breaker: Breaker = field(init=False)

    def __post_init__(self) -> None:
        self.breaker = Breaker(self.policy)

    def check(self) -> None:
        """Raise CircuitOpen if no call may be made now."""
        self.breaker.admitting(self.clock.now())

    async def look(self) -> None:
        """Take in what other processes have found out."""

    async def enter(self) -> None:
        """Begin a call, or raise CircuitOpen; after each rest one call may find out how things are."""
        step = self.breaker.admitting(self.clock.now())
        await self._move(step)
        if self.breaker is not step[0]:
            self.check()

    async def note(self, opened: int, *, failed: bool) -> None:
        """Take in what came of a call that was begun after so many openings."""
        if opened == self.opened:
            await self._move(self.breaker.noting(self.clock.now(), failed=failed))

    async def _move(self, step: Step) -> None:
        self._become(*step)

    def _become(self, breaker: Breaker, change: BreakerChange | None) -> None:
        self.breaker = breaker
        if change is not None:
            self.opened += change.after is BreakerState.OPEN
            self.tell(self.name, change)


class SharedCircuit(Circuit):
    """The circuit of all processes, kept in the store."""

    def __init__(self, alone: Circuit, documents: TenantDocuments, stream: Stream, log: Log) -> None:
        super().__init__(alone.name, alone.policy, alone.clock, alone.tell)
        self._documents, self._stream, self._log = documents, stream, log
        self._ref = Ref(COLLECTION, alone.name)
        self._found: Document | None = None
        self._read_at: datetime | None = None

    async def look(self) -> None:
        """Take in what other processes have found out, every few seconds."""
        now = self.clock.now()
        if self._read_at is None or not timedelta(0) <= now - self._read_at < READ_EVERY:
            self._read_at = now
            with self._trying("a vendor's circuit cannot be read: this process goes by its own calls"):
                async with asyncio.timeout(STORE_ANSWERS_IN):
                    self._heed(await self._documents.get(self._ref))

    async def _move(self, step: Step) -> None:
        breaker, change = step
        if change is None and breaker.probed_at == self.breaker.probed_at:
            self.breaker = breaker
            return
        if not await self._kept(breaker, change):
            return  # somebody else found out before us, and theirs is the word
        self._become(breaker, change)
        if change is not None:
            with self._trying("a vendor's change of health is not told yet"):
                await self._stream.publish(self._ref)

    async def _kept(self, breaker: Breaker, change: BreakerChange | None) -> bool:
        """Keep a change with its event, unless another process has changed the circuit; alone, just go on."""
        try:
            async with asyncio.timeout(STORE_ANSWERS_IN):
                return await self._written(breaker, change) or await self._written_anew(breaker, change)
        except Exception as trouble:  # noqa: BLE001 - whatever the store's trouble, calls must go on
            self._warn("a vendor's circuit cannot be shared: this process goes by its own calls", trouble)
            return True

    async def _written_anew(self, breaker: Breaker, change: BreakerChange | None) -> bool:
        """Write once more if nothing was changed but that an event is told; otherwise heed what was."""
        before, found = _marked(self._found), await self._documents.get(self._ref)
        if _marked(found) != before:
            self._heed(found)
            return False
        self._found = found
        return await self._written(breaker, change)

    async def _written(self, breaker: Breaker, change: BreakerChange | None) -> bool:
        kept = self._next(breaker, change)
        over = self._found
        write = Create(self._ref, kept) if over is None else Update(self._ref, kept, over.version)
        told = [] if change is None else [self._stream.row(kept, change)]
        with contextlib.suppress(AlreadyExists, StaleVersion):
            versions = await self._documents.commit([write, *told])
            self._found = Document(self._ref, kept, versions[0])
            return True
        return False

    def _next(self, breaker: Breaker, change: BreakerChange | None) -> dict[str, Any]:
        """Return what is to be kept; its time is never before the last, whatever the clocks say."""
        before = {"sequence": 0, "announced": 0} if self._found is None else dict(self._found.data)
        now = self.clock.now()
        last = instant_from_text(before["changed_at"], "changed_at") if "changed_at" in before else now
        kept = before | {
            "schema_version": SCHEMA_VERSION,
            "state": breaker.state.value,
            "error_rate_pct": breaker.error_rate_pct,
            "window_size": len(breaker.failed),
        }
        if change is None:
            return kept | {"probes": before.get("probes", 0) + 1}
        due = int(now.timestamp() * 1000)
        at = instant_to_text(max(now, last))
        return kept | {"sequence": before["sequence"] + 1, "changed_at": at, "due_at": due}

    def _heed(self, found: Document | None) -> None:
        known, self._found = self._found, found
        if found is None or _marked(known) == _marked(found):
            return
        state, now = BreakerState(found.data["state"]), self.clock.now()
        if state is BreakerState.CLOSED:
            if self.breaker.state is not BreakerState.CLOSED:
                self.breaker = Breaker(self.policy)
            return
        if self.breaker.state is BreakerState.CLOSED:
            self.opened += 1
        changed_at = instant_from_text(found.data["changed_at"], "changed_at")
        forgotten = now - changed_at > self.policy.rest + FORGOTTEN_AFTER
        probed_at = now - self.policy.rest if forgotten else now
        self.breaker = replace(self.breaker, state=state, probed_at=probed_at)

    @contextlib.contextmanager
    def _trying(self, otherwise: str) -> Iterator[None]:
        try:
            yield
        except Exception as trouble:  # noqa: BLE001 - whatever the store's trouble, calls must go on
            self._warn(otherwise, trouble)

    def _warn(self, otherwise: str, trouble: Exception) -> None:
        self._log.failure(otherwise, trouble, account=self.name)


def _marked(found: Document | None) -> tuple[int, int] | None:
    """Return what tells one state of a circuit from the next, whatever was noted of its telling."""
    return None if found is None else (found.data["sequence"], found.data.get("probes", 0))
