"""Jobs between the cloud and the desk's ledger: pulled, and told on until the cloud has answered.

Nothing here touches a card. A lost answer, a second desk, a restart between two lines: each step is asked for
again, and the cloud takes none twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final

from edge_agent.cloud.line import CannotBeDone, CloudLine
from edge_agent.ledger.desk_tables import DROPPED, FAILED, WAITING, WRITING, WRITTEN, DeskJobRow
from edge_agent.ledger.ledger import DeskLedger, LedgerDoor
from shared.domain.instants import instant_from_text
from shared.domain.states import Active

PULL, STEP = "/edge/v1/jobs/pull", "/edge/v1/jobs/step"
SLACK: Final = 10.0
"""Seconds beyond what we let the cloud wait, before its silence counts."""
AS_TOLD: Final[Mapping[str, str]] = {
    WAITING: "received",
    WRITING: "processing",
    WRITTEN: "processed",
    FAILED: "error",
}
CALLED_OFF: Final = frozenset({"cancelled", "error"})
UNWRITTEN: Final = frozenset({WAITING, WRITING})
UNHEARD: Final = "unheard"
OVER: Final = frozenset({AS_TOLD[WRITTEN], UNHEARD})
"""How a job stands in the cloud that nobody is to do again: it is done, or forgotten."""
RADIO: Final = "radio"
"""The dialect of an errand at a lock itself, for which nobody lays down a card."""
MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Able:
    """What this desk can do now: write cards, and speak to whose locks by radio."""

    cards: bool
    radio: tuple[str, ...] = ()


CARDS: Final = Able(cards=True)


class JobGone(Exception):
    """The cloud has called a job off, or never had it: no card is to be written."""


@dataclass(frozen=True, slots=True)
class JobPost:
    """Carries jobs and their steps."""

    line: CloudLine
    ledger: LedgerDoor

    async def pull(self, wait: float = 0.0, able: Able = CARDS) -> list[DeskJobRow]:
        """Ask for jobs, write down those that are new, and say that they are here; return what is open."""
        known = [row.id for row in await self.ledger.run(lambda it: it.jobs.open())]
        body = {"wait": wait, "known": known, "cards": able.cards, "radio": [*able.radio]}
        told = await self.line.ask(PULL, body, wait + SLACK)
        for document in told["jobs"]:
            row = await self.ledger.run(partial(_taken, document=document))
            await self._made_before(row)
        await self._called_off({document["job"] for document in told["jobs"]})
        await self.tell_all()
        return await self.ledger.run(lambda it: it.jobs.open())

    async def tell_all(self) -> None:
        """Tell the cloud of every step that it has not heard of."""
        for row in await self.ledger.run(lambda it: it.jobs.untold()):
            await self.tell(row)

    async def tell(self, row: DeskJobRow) -> str:
        """Tell the cloud how a job stands here; return how it stands there.

        Raise JobGone where nothing was written and nothing is to be. An end is never taken back: what the
        cloud will not hear of a card that is written stands here as it is, and is told no more.
        """
        told = {"job": row.id, "vendor": row.document["vendor"], "state": AS_TOLD[row.step]}
        told |= {"error": row.error} if row.error else {}
        told |= {"localId": row.local_id} if row.local_id else {"number": row.document["number"]}
        try:
            state = str((await self.line.ask(STEP, told))["state"])
        except CannotBeDone as refusal:
            await self._not_heard(row, refusal.reason)
            return UNHEARD
        await self.ledger.run(lambda it: it.jobs.told(row))
        if state in CALLED_OFF and row.step in UNWRITTEN:
            await self.ledger.run(lambda it: it.jobs.step(row.id, DROPPED))
            raise JobGone("the job was called off")
        return state

    async def stands(self, row: DeskJobRow) -> str:
        """Return how a job that was begun here stands in the cloud by now, and change nothing here."""
        told = {"job": row.id, "vendor": row.document["vendor"], "state": AS_TOLD[WRITING]}
        try:
            return str((await self.line.ask(STEP, told))["state"])
        except CannotBeDone:
            return UNHEARD

    async def _not_heard(self, row: DeskJobRow, reason: str) -> None:
        if row.step not in UNWRITTEN:
            await self.ledger.run(lambda it: it.jobs.unheard(row, reason))
            return
        await self.ledger.run(lambda it: it.jobs.step(row.id, DROPPED))
        raise JobGone("the cloud has no such job")

    async def _called_off(self, present: set[str]) -> None:
        """Let go of jobs that wait here and are in the cloud's list no more: whoever ordered them did."""
        for row in await self.ledger.run(lambda it: it.jobs.open()):
            if row.step == WAITING and row.id not in present:
                await self.ledger.run(partial(_dropped, job=row.id))

    async def _made_before(self, row: DeskJobRow) -> None:
        """Take a card that this desk made alone for the card of a job, if it does all that the job asks."""
        if row.step != WAITING or row.document["dialect"] == RADIO:
            return
        for local in row.document.get("localIds", ()):
            if await self.ledger.run(partial(_serves, local=local, document=row.document)):
                await self.ledger.run(partial(_is_key, job=row.id, local=local))
                return


def _taken(ledger: DeskLedger, document: dict[str, Any]) -> DeskJobRow:
    return ledger.jobs.take(document)


def _dropped(ledger: DeskLedger, job: str) -> None:
    ledger.jobs.step(job, DROPPED)


def _is_key(ledger: DeskLedger, job: str, local: str) -> None:
    ledger.jobs.is_key(job, local)


def _serves(ledger: DeskLedger, local: str, document: Mapping[str, Any]) -> bool:
    """Say whether a key of ours opens a job's rooms until its end; that it began earlier is no matter."""
    key = ledger.key(local)
    if key is None or not isinstance(key.state, Active):
        return False
    ends = instant_from_text(document["ends"], "ends")
    return set(document["rooms"]) <= set(key.core.rooms) and key.core.window.end + MINUTE >= ends
