"""Flags: what operators turn up or down while the fleet runs, for a while."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.events.backoffice.catalogue import TELEMETRY


@dataclass(frozen=True, slots=True, kw_only=True)
class RateFlag:
    """Another share of a subject for a while: of one tenant, or of all. It ends by itself."""

    subject: str
    per_mille: int
    """The share, in thousandths: documents hold whole numbers."""
    until: datetime
    by: str
    why: str
    tenant: TenantId | None = None

    def __post_init__(self) -> None:
        if self.subject not in TELEMETRY:
            raise InvalidInput("subject", "not telemetry", "Name a subject of document C's table")
        if not 0 <= self.per_mille <= 1000:
            raise InvalidInput("perMille", "not within 0 and 1000", "Say 1000 for all of it")
        if self.until.tzinfo is None:
            raise InvalidInput("until", "without a zone", "Give an aware instant")
        for field in ("by", "why"):
            if not 1 <= len(getattr(self, field)) <= 200:
                raise InvalidInput(field, "empty or over 200 letters", "Say who turns it, and why")

    @property
    def rate(self) -> float:
        """The share, from 0 to 1."""
        return self.per_mille / 1000


class FlagSource(Protocol):
    """Where flags are kept for all instances: each asks about every 30 seconds."""

    async def read(self) -> Sequence[RateFlag]:
        """Return every flag that is kept; what cannot be read raises."""
