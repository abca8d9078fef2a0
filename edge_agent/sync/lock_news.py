"""What visits by radio read of locks, written down for the cloud: each once, and again where it differs.

A lock that is asked every few seconds tells the same each time, and the outbox is kept for good. What is told
counts from this life of the agent on: after a restart each lock is told of once more, which changes nothing.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from nacl.signing import SigningKey

from edge_agent.hardware.radio import LockReading
from edge_agent.issuing import facts
from edge_agent.ledger.ledger import LedgerDoor
from shared.offline.radio_locks import RadioLock

TOLD_EVERY: Final = timedelta(hours=6)
SAME_WITHIN: Final = timedelta(seconds=30)
"""By less than a lock's clock is set, two readings of it are one."""


@dataclass(frozen=True, slots=True)
class LockNews:
    """The readings that the outbox has."""

    ledger: LedgerDoor
    device: SigningKey
    _told: dict[tuple[str, str], LockReading] = field(default_factory=dict)

    async def heard(self, lock: RadioLock, reading: LockReading) -> None:
        """Write down what was read, unless it is what was written last."""
        name = (str(lock.vendor), lock.vendor_device)
        if not _is_news(reading, self._told.get(name)):
            return
        fact = facts.lock_read(lock, reading, self.device)
        await self.ledger.run(lambda it: it.tell(fact))
        self._told[name] = reading


def _is_news(reading: LockReading, last: LockReading | None) -> bool:
    if last is None or reading.clock_set or reading.battery not in (None, last.battery):
        return True
    moved = abs(reading.skew - (timedelta(0) if last.clock_set else last.skew)) > SAME_WITHIN
    return moved or not timedelta(0) <= reading.at - last.at < TOLD_EVERY
