"""Work on a key that somebody waits for: done here and now by the engine, and left where it can be found.

| the work on the key | whoever asks |
|---|---|
| is nobody's, is parked, or is overdue | does it at once, as an execution of its own |
| is under way elsewhere | is told to ask again |
| is another vendor's | has a saga begin it, and is told to ask again |
| wants a rest, or waits for a vendor | parks it: who asks again goes on, else the sweeper when it is due |

A process that dies in between leaves what every execution leaves: work that is due when its lease is over.
"""

from dataclasses import dataclass, replace
from typing import Final

from shared.domain.lock_errors import LockError
from shared.keywork.desired import next_vendor
from shared.keywork.services import Services
from shared.keywork.start import begin_saga, worked_on
from shared.keywork.step import make_attempt
from shared.keywork.vendor_session import VendorSessions
from shared.keywork.verdicts import Outcome, StepCall, Verdict, parked
from shared.ledger.delays import STEP_LEASE
from shared.ledger.key_record import KeyRecord, Work
from shared.ledger.ledger import Change, Ledger
from shared.ports.documents import AlreadyExists, StaleVersion

PROMPT: Final = "port-"
"""How executions are called that are no workflow's."""
MOST_TURNS: Final = 100
"""Rounds of one call: each asks at one lock at least, or has lost a race."""


@dataclass(frozen=True, slots=True)
class Attended:
    """A key as it stands when nothing more can be done at once, and what went wrong first, if anything."""

    entry: KeyRecord
    error: LockError | None = None


@dataclass(frozen=True, slots=True)
class PromptWork:
    """The work of one caller: an execution by its own name."""

    services: Services
    sessions: VendorSessions
    ledger: Ledger
    execution: str

    async def attend(self, entry: KeyRecord) -> Attended:
        """Do what is owed to a key, and what that leaves to do, until it is done or has to wait."""
        for _ in range(MOST_TURNS):
            grants = () if entry.saga.kind is Work.ISSUE else await self.ledger.grants(entry)
            vendor = next_vendor(entry, grants)
            if vendor is None or await self._elsewhere(entry):
                break
            if vendor != self.sessions.vendor:
                await begin_saga(entry, vendor, self.ledger, self.services)
                break
            verdict = await self._turn(entry)
            entry = await self._read(entry)
            if verdict is not None and self._over(verdict, entry):
                waits = verdict.outcome is not Outcome.DONE
                return Attended(await self._left(entry, verdict) if waits else entry, verdict.error)
        return Attended(entry)

    async def _elsewhere(self, entry: KeyRecord) -> bool:
        """Say whether others are at work: a saga's execution, or a call like this while its lease lasts."""
        name = entry.saga.execution
        if name == self.execution:
            return False
        if name is None or not name.startswith(PROMPT):
            return await worked_on(entry.saga, self.services)
        return not entry.saga.parked and entry.due is not None and entry.due > self.services.now

    async def _turn(self, entry: KeyRecord) -> Verdict | None:
        """Make one round; None where somebody else was first to write."""
        try:
            mine = await self._claimed(entry)
            tenant, generation = mine.credential.tenant, mine.saga.generation
            call = StepCall(tenant, mine.id, generation, self.execution, mine.announced)
            return await make_attempt(call, self.services, self.sessions)
        except (AlreadyExists, StaleVersion):
            return None

    async def _claimed(self, entry: KeyRecord) -> KeyRecord:
        saga = entry.saga
        if saga.execution == self.execution and not saga.parked:
            return entry
        begun = saga if saga.execution is None and not saga.parked else saga.next_generation()
        mine = replace(entry, saga=replace(begun, parked=False).claimed(self.execution))
        return (await self.ledger.save(Change(mine.due_in(STEP_LEASE, self.services.now)))).entry

    async def _read(self, entry: KeyRecord) -> KeyRecord:
        found = await self.ledger.entry(entry.id)
        assert found is not None  # noqa: S101 - entries are never deleted
        return found

    def _over(self, verdict: Verdict, entry: KeyRecord) -> bool:
        """Say whether this call can do no more: what an end leaves behind is work of its own, and goes on."""
        if verdict.outcome is Outcome.DONE:
            return entry.saga.execution is not None
        at_once = verdict.outcome is Outcome.RETRY and not verdict.after
        return not at_once and verdict.outcome not in (Outcome.NEXT, Outcome.SUPERSEDED)

    async def _left(self, entry: KeyRecord, verdict: Verdict) -> KeyRecord:
        """Park what is to wait, so that whoever asks again need not wait for our lease."""
        if entry.saga.execution != self.execution or entry.saga.parked or entry.due is None:
            return entry
        now = self.services.now
        due = now + verdict.after if verdict.outcome is Outcome.RETRY else entry.due
        later, _ = parked(entry, due, now)
        try:
            return (await self.ledger.save(Change(later))).entry
        except StaleVersion:
            return await self._read(entry)
