"""What every writer of jobs does around the card: asks the cloud first, keeps the end, and tells it."""

from dataclasses import dataclass
from typing import Final

from edge_agent.cloud.line import CloudRefused, CloudSilent
from edge_agent.ledger.desk_tables import FAILED, WRITING, DeskJobRow
from edge_agent.ledger.ledger import LedgerDoor
from edge_agent.relay.jobs import JobPost

CARD_FAULTY: Final = "card_faulty"


@dataclass(frozen=True, slots=True)
class JobSteps:
    """The steps of jobs, kept and told."""

    post: JobPost
    ledger: LedgerDoor

    async def give_up(self, job: str) -> DeskJobRow:
        """End a job whose card is gone: the cloud orders another, which ends what may be on the first."""
        row = await self.ledger.run(lambda it: it.jobs.get(job))
        return await self.failed(row, CARD_FAULTY) if row.step == WRITING else row

    async def allowed(self, row: DeskJobRow) -> None:
        """Hear the cloud's yes; without it nothing was written yet."""
        if row.told:
            return  # it was said before a crash, and is not taken back
        try:
            await self.post.tell(row)
        except (CloudSilent, CloudRefused):
            await self.ledger.run(lambda it: it.jobs.unbegun(row.id))
            raise

    async def failed(self, row: DeskJobRow, error: str) -> DeskJobRow:
        """Keep that a job came to nothing, and tell it."""
        failed = await self.ledger.run(lambda it: it.jobs.step(row.id, FAILED, error=error))
        return await self.told(failed)

    async def told(self, row: DeskJobRow) -> DeskJobRow:
        """Tell of an end now, if the cloud listens; it is an end either way, and told with the next pull."""
        try:
            await self.post.tell(row)
        except (CloudSilent, CloudRefused):
            return row
        return await self.ledger.run(lambda it: it.jobs.get(row.id))
