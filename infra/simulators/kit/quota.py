"""How often a client may call: per minute or another short time, and per month of the vendor's books."""

from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from infra.simulators.kit.errors import Code, Refused


@dataclass(frozen=True, slots=True)
class QuotaRules:
    """How a vendor refuses who calls too often, and by which clock its months begin."""

    too_many_a_minute: Code
    too_many_a_month: Code
    clock: timedelta = timedelta(0)
    seconds: int = 60
    """How long the short period lasts."""

    def month(self, now: datetime) -> str:
        """Return the month as the vendor's bookkeeping has it."""
        return (now + self.clock).strftime("%Y-%m")


@dataclass(slots=True)
class Meter:
    """One client's calls, and its limits; none means unlimited."""

    rules: QuotaRules
    per_minute: int | None = None
    per_month: int | None = None
    months: Counter[str] = field(default_factory=Counter)
    _recent: deque[datetime] = field(default_factory=deque)

    def charge(self, now: datetime) -> None:
        """Count a call, or refuse it uncounted."""
        month = self.rules.month(now)
        if self.per_month is not None and self.months[month] >= self.per_month:
            raise Refused(self.rules.too_many_a_month)
        if self.per_minute is not None:
            self._charge_minute(now, self.per_minute)
        self.months[month] += 1

    def _charge_minute(self, now: datetime, limit: int) -> None:
        while self._recent and self._recent[0] <= now - timedelta(seconds=self.rules.seconds):
            self._recent.popleft()
        if len(self._recent) >= limit:
            raise Refused(self.rules.too_many_a_minute)
        self._recent.append(now)
