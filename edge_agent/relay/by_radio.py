"""A job at a lock becomes a visit by radio, once, whatever breaks in between: a PIN is added, or taken away.

1. The job is begun, and the cloud says its yes.
2. It is written down that the lock is about to be asked. Then it is: one visit, its clock set, one deadline.
3. What came of it is kept, then told until it is heard.

| died, or no answer, | what is known | with the next round |
|---|---|---|
| before 2 | nothing was asked | it is asked |
| after 2 | the PIN may be there | it is asked again: one that is there by then is this job's, and set anew |
| | another desk did it meanwhile | it is let go of: what that desk put there may be ended since |
| the lock was not heard | nothing was said to it | the job ends, and the cloud tries another way |

A PIN that was there before this desk ever asked is somebody else's, and is never taken away to make room.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from edge_agent.hardware.errors import HardwareError, LinkLost, LockNotHeard, NoAnswer, PinTaken
from edge_agent.hardware.radio import PinDoor
from edge_agent.ledger.desk_tables import ASKED, DROPPED, WAITING, WRITING, WRITTEN, DeskJobRow
from edge_agent.relay.jobs import OVER, JobGone
from edge_agent.relay.steps import JobSteps
from shared.domain.instants import instant_from_text
from shared.domain.secret import Secret
from shared.offline.signing import SignedRefused

LOCK_SILENT, PIN_TAKEN, REFUSED = "lock_silent", "pin_taken", "refused"


@dataclass(frozen=True, slots=True)
class RadioWriter(JobSteps):
    """Does the jobs of locks in the radio's reach."""

    doors: Mapping[str, PinDoor]
    unseal: Callable[[str], Secret[bytes]]

    async def write(self, job: str) -> DeskJobRow:
        """Do a job at its lock, or find it done.

        Raise NoAnswer or LinkLost where nobody knows; CloudSilent, CloudRefused or JobGone as all jobs do.
        """
        row = await self.ledger.run(lambda it: it.jobs.get(job))
        if row.step not in (WAITING, WRITING):
            return row
        asked_before = row.uid == ASKED
        if asked_before and await self.post.stands(row) in OVER:
            await self.ledger.run(lambda it: it.jobs.step(job, DROPPED))
            raise JobGone("another desk did it, or nobody is to")
        if row.step == WAITING:
            row = await self.ledger.run(lambda it: it.jobs.step(job, WRITING))
        await self.allowed(row)
        await self.ledger.run(lambda it: it.jobs.asked(job))
        try:
            await self._visited(row, ours=asked_before)
        except HardwareError as trouble:
            return await self._troubled(row, trouble, asked_before)
        return await self.told(await self.ledger.run(lambda it: it.jobs.step(job, WRITTEN)))

    async def _visited(self, row: DeskJobRow, *, ours: bool) -> None:
        told = row.document
        door = self.doors.get(str(told["doors"][0]))
        if door is None:
            raise LockNotHeard("this desk does not hold the keys of that lock")
        starts, ends = (instant_from_text(told[name], name) for name in ("starts", "ends"))
        for pin in self._pins(str(told["sealed"])):
            if told["overrides"]:
                await door.remove_pin(pin)
            else:
                await door.add_pin(pin, starts, ends, ours=ours)

    def _pins(self, sealed: str) -> list[Secret[str]]:
        try:
            return [Secret(pin) for pin in json.loads(self.unseal(sealed).reveal())["pins"]]
        except (SignedRefused, ValueError, KeyError, TypeError):
            raise LockNotHeard("what the cloud sealed is not for this desk") from None

    async def _troubled(self, row: DeskJobRow, trouble: HardwareError, asked_before: bool) -> DeskJobRow:
        """End a job of which nothing is at the lock; of any other nobody knows, and it is asked again."""
        unsaid = isinstance(trouble, LockNotHeard)
        if isinstance(trouble, LinkLost | NoAnswer) and (asked_before or not unsaid):
            raise trouble
        taken = isinstance(trouble, PinTaken)
        return await self.failed(row, LOCK_SILENT if unsaid else PIN_TAKEN if taken else REFUSED)
