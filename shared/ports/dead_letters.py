"""Messages that were set aside: quarantined, given up, or kept for a function to come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from shared.events.backoffice.catalogue import Group
from shared.ports import bus
from shared.ports.bus import BusError

NO_HANDLER: Final = "no handler yet"
"""Why a message is kept that nothing is wrong with: its subject has no function in this release."""
AT_MOST: Final = 1000
QUARANTINE_TOPIC: Final = bus.QUARANTINE_TOPIC
DEAD_LETTER_TOPIC: Final = "melmastoon.lock.dead_letter.v1"
"""Where a push goes that never succeeded, after a hundred times."""
PULLED: Final[Mapping[str, str]] = {
    "quarantine": QUARANTINE_TOPIC,
    "dead-letter": DEAD_LETTER_TOPIC,
    **{f"telemetry-{group}": group.dead_letters for group in Group},
}
"""On Google Cloud, the pull subscriptions that keep the two, and those of telemetry (C §18)."""
GOOGLE: Final = "CloudPubSubDeadLetterSource"
REASON: Final = "deadLetterReason"
QUARANTINE_NOTES: Final[tuple[str, ...]] = ("subscription", "reason", "field", "remedy")
"""By these attributes a function explains what it sets aside; they are not part of the message."""


class ReplayRefused(BusError):
    """A message that cannot be replayed; nothing was."""


class MalformedId(BusError):
    """Not the id of a message."""


@dataclass(frozen=True, slots=True)
class ParkedMessage:
    """A message that waits for a person, or for a function to come."""

    id: str
    topic: str
    subscription: str | None
    reason: str
    notes: Mapping[str, str]
    message_id: str
    ordering_key: str
    published_at: datetime
    parked_at: datetime
    attributes: Mapping[str, str] = field(repr=False)
    data: bytes = field(repr=False)

    @property
    def kept(self) -> bool:
        """Whether it waits for a function to come, and not for a person."""
        return self.reason == NO_HANDLER


class DeadLetters(Protocol):
    """Everything that was set aside."""

    async def waiting(self, *, topic: str | None = None, limit: int = 100) -> Sequence[ParkedMessage]:
        """Return what was set aside, the longest waiting first: on one topic, or on all."""

    async def replay(self, ids: Sequence[str] | None = None, *, topic: str | None = None) -> int:
        """Deliver again, in the order of publishing, and return how many; None is all but what is kept.

        At least to the subscription it came from; whoever took it before takes it for a duplicate. What is
        kept is refused: its function is still to come.
        """

    async def discard(self, ids: Sequence[str]) -> int:
        """Forget for ever; return how many there were."""
