"""What a clerk can do at the desk, in the clerk's words: the one door between console and desk.

| the cloud | a job of the stay | issuing is |
|---|---|---|
| there | waits, or was begun | that job's card |
| there | none | refused: the cloud orders it, or says in the ledger why not |
| away | was begun, and the cloud had said yes | that job's card, told later |
| away, also when it goes away meanwhile | waits, or none | a key made alone, by the rules of A §9 |
| either | any, and the stay's own card lies there | nothing: a press that broke off is pressed again |
| there | waits, and takes the place of the card that lies there | the job's card: a stay that lasts longer |

Whoever acts is signed in, by the PIN that the arrivals know of. Every problem is a code: the console has the
words for it in five languages.
"""

import asyncio
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from edge_agent.agent.alone import DeskAlone
from edge_agent.agent.counter import new_end
from edge_agent.agent.loop import AgentLoop
from edge_agent.agent.lying_there import LyingThere
from edge_agent.agent.shown import arrivals_shown, job_shown
from edge_agent.agent.wiring import OURS, DeskAgent
from edge_agent.cloud.line import CloudRefused, CloudSilent
from edge_agent.console.desk_port import ClerkProblem, Done
from edge_agent.hardware.errors import HardwareError, NotSupported
from edge_agent.ledger.desk_tables import WRITING, WRITTEN, DeskJobRow
from edge_agent.relay.by_system import SystemWriter
from edge_agent.relay.encode import JobWriter
from edge_agent.relay.jobs import RADIO, JobGone
from shared.domain.permissions import Permission
from shared.offline.sign_in import pin_is

LAST_ACTIONS: Final = 20
ORDERED_BY: Final[Mapping[str, Permission]] = {
    "copy": Permission.KEY_ISSUE,
    "once": Permission.KEY_ISSUE,
    "replace": Permission.KEY_REPLACE,
    "extend": Permission.KEY_EXTEND,
    "revoke": Permission.KEY_REVOKE,
}
NOBODY: Final = "scrypt$nobody$"


@dataclass
class Front:
    """The desk, as a clerk has it in hand."""

    agent: DeskAgent
    loop: AgentLoop
    done: deque[tuple[datetime, str, Done]] = field(default_factory=lambda: deque(maxlen=LAST_ACTIONS))
    _writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def alone(self) -> DeskAlone:
        """What the desk does by itself."""
        return DeskAlone(self.agent)

    @property
    def lying(self) -> LyingThere:
        """The card on the encoder."""
        return LyingThere(self.agent)

    @property
    def encoder(self) -> str:
        """The encoder that cards are written on: the first."""
        for name in self.agent.parts.encoders:
            return name
        raise ClerkProblem("no_device")

    async def sign_in(self, user: str, pin: str) -> frozenset[Permission] | None:
        """Return what somebody may do here, if that is their PIN; it takes as long for a stranger."""
        pack = (await self.agent.papers.standing()).pack
        known = {str(one.user): one for one in pack.staff} if pack else {}
        one = known.get(user)
        proved = pin_is(pin, one.pin if one else NOBODY)  # some 50 ms, at a screen of one person
        return one.permissions if one and proved else None

    async def overview(self) -> dict[str, Any]:
        """Return how the desk stands: in touch or alone, who comes, what waits, what was done."""
        standing = await self.agent.papers.standing()
        jobs = await self._open_jobs()
        written = await self.agent.parts.ledger.run(lambda it: it.jobs.written())
        keys = await self.agent.parts.ledger.run(lambda it: it.keys_in("active"))
        unsent = await self.agent.parts.ledger.run(lambda it: len(it.unsent(1000)))
        pack = standing.pack
        return {
            "property": self.agent.identity.property,
            "desk": self.agent.identity.name,
            "online": self.agent.reach.lately and not self.loop.problem,
            "problem": self.loop.problem,
            "clock_untrue": self.agent.line.clock_is_untrue,
            "encoders": {name: await each.plugged() for name, each in self.agent.parts.encoders.items()},
            "systems": sorted(self.agent.parts.systems),
            "unsent": unsent,
            "witness": str(self.agent.witness.key),
            "arrivals_from": None if pack is None else pack.issued,
            "arrivals_good": pack is not None and pack.fresh(standing.now),
            "certified_until": None if standing.certificate is None else standing.certificate.ends,
            "arrivals": arrivals_shown(pack, [*written, *jobs], keys) if pack else [],
            "jobs": [job_shown(row, pack) for row in jobs],
            "done": [(at, user, did) for at, user, did in reversed(self.done)],
        }

    async def issue(self, user: str, reservation: str, once: str) -> Done:
        """Write a stay's card on what lies on the encoder; `once` names the press of the button."""
        async with self._writing:
            row = await self._job_of(reservation)
            begun = row is not None and row.step == WRITING and row.told
            job = row if begun or await self._online() else None
            before = await self.lying.issued_before(reservation, job, await self.alone.keys_of(reservation))
            if before is not None:
                return before
            if job is not None:
                await self._demand(user, Permission.KEY_ISSUE)
                with suppress(CloudSilent):  # it went away before anything was written: we are alone
                    return self._noted(user, await self._written(job))
            elif await self._online():
                raise ClerkProblem("no_job")
            return self._noted(user, await self.alone.made(user, reservation, once))

    async def give_up(self, user: str, job: str) -> Done:
        """Say that the card that a job was begun on is gone."""
        await self._demand(user, Permission.KEY_ISSUE)
        row = await self.agent.parts.ledger.run(lambda it: it.jobs.get(job))
        row = await self._writer(row).give_up(job)
        return self._noted(user, Done("given_up", str(row.document["reservationId"])))

    async def order(self, user: str, do: str, reservation: str, day: str = "") -> Done:
        """Have the cloud copy, prolong, replace or end what a stay has; a card of it comes as a job."""
        await self._demand(user, ORDERED_BY[do])
        until = None
        if do == "extend":
            stay, _ = await self.alone.stay(reservation)
            until = new_end(stay, day, self.agent.identity.zone)
        if not await self._online():
            raise ClerkProblem("needs_cloud")
        return self._noted(user, await self.agent.counter.order(do, user, reservation, until))

    async def replace_lost(self, user: str, reservation: str, once: str) -> Done:
        """Make another key in place of one that this desk made, or have the cloud replace its own."""
        await self._demand(user, Permission.KEY_REPLACE)
        async with self._writing:
            lost = await self.alone.lost_of(reservation)
            if lost is None:
                return await self.order(user, "replace", reservation)
            return self._noted(user, await self.alone.made(user, reservation, once, lost))

    async def revoke(self, user: str, reservation: str) -> Done:
        """Withdraw the keys that this desk made for a stay; where it made none, the cloud's."""
        await self._demand(user, Permission.KEY_REVOKE)
        if not await self.alone.keys_of(reservation):
            return await self.order(user, "revoke", reservation)
        if not await self.alone.withdrawn(reservation):
            raise ClerkProblem("no_local_key")
        return self._noted(user, Done("revoked", reservation))

    async def read_card(self) -> dict[str, Any]:
        """Return what stands on the card that lies there: when it opens, and which of our rooms."""
        return await self.lying.read()

    async def write_what_lies_there(self) -> None:
        """Write the only open job on a card that is laid down, unasked: for desks without a clerk."""
        while True:
            await self.agent.parts.sleep(0.2)
            rows = await self._open_jobs()
            if len(rows) != 1 or rows[0].document["dialect"] != OURS:
                continue  # a lock system would be asked again and again, for whatever lies there
            try:
                async with self._writing:
                    await self.agent.writer(self.encoder).write(rows[0].id)
            except (HardwareError, CloudSilent, CloudRefused, JobGone):
                continue

    async def _online(self) -> bool:
        return not await self.agent.reach.offline()

    async def _demand(self, user: str, permission: Permission) -> None:
        pack = (await self.agent.papers.standing()).pack
        if pack is None or not pack.may(user, permission):
            raise ClerkProblem("not_permitted")

    async def _job_of(self, reservation: str) -> DeskJobRow | None:
        rows = await self._open_jobs()
        return next((row for row in rows if row.document["reservationId"] == reservation), None)

    async def _open_jobs(self) -> list[DeskJobRow]:
        """Return the jobs that a clerk lays cards down for; the radio does its own by itself."""
        rows = await self.agent.parts.ledger.run(lambda it: it.jobs.open())
        return [row for row in rows if row.document["dialect"] != RADIO]

    def _writer(self, row: DeskJobRow) -> JobWriter | SystemWriter:
        try:
            return self.agent.writer_of(row, self.encoder if row.document["dialect"] == OURS else "")
        except NotSupported:
            raise ClerkProblem("no_system") from None

    async def _written(self, row: DeskJobRow) -> Done:
        try:
            written = await self._writer(row).write(row.id)
        except HardwareError as error:
            raise ClerkProblem(error.kind) from None
        except JobGone:
            raise ClerkProblem("job_gone") from None
        except CloudRefused:
            raise ClerkProblem("refused") from None
        if written.step != WRITTEN:
            raise ClerkProblem(written.error or "refused")
        until = datetime.fromisoformat(row.document["ends"])
        return Done("issued", str(row.document["reservationId"]), until)

    def _noted(self, user: str, did: Done) -> Done:
        self.done.append((self.agent.parts.clock.now(), user, replace(did, pin=None)))
        return did
