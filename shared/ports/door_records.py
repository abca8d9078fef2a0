"""What a vendor tells of attempts at doors: each once, by the vendor's own word, whoever made them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from shared.domain.ids import LockDeviceId
from shared.domain.secret import Secret


class Means(StrEnum):
    """With what a door was tried."""

    PIN = "pin"
    CARD = "card"
    APP = "app"
    QR = "qr"
    OTHER = "other"

    @property
    def of_a_key(self) -> bool:
        """Say whether only somebody who holds a key can try it: a mechanical key or a button is nobody's."""
        return self in (Means.PIN, Means.CARD, Means.QR)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorRecord:
    """One attempt at a door, as its vendor has it.

    `event` is the vendor's own name for it, the same whenever it is told. `at` is by the lock's clock. `name`
    is what the vendor calls the key: one of ours, a guest's or nobody's. `secret` is what was typed or held
    to the reader, where the vendor tells it; it is looked up and forgotten. `refused` says why it did not
    open, where the vendor says so.
    """

    event: str
    at: datetime
    opened: bool
    means: Means
    name: str = field(default="", repr=False)
    secret: Secret[str] | None = None
    refused: str | None = None


@runtime_checkable
class TellsAttempts(Protocol):
    """A vendor that tells who tried its doors; it refuses as LockError."""

    async def list_attempts(self, device_id: LockDeviceId, since: datetime) -> Sequence[DoorRecord]:
        """Return every attempt at a lock that its own clock dates since then, as a poll."""
