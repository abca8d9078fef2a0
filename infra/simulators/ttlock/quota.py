"""How often an application may call: per minute, and per month of Beijing."""

from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from infra.simulators.ttlock.errors import Refused

MINUTE = timedelta(minutes=1)
BEIJING = timedelta(hours=8)


@dataclass(slots=True)
class Meter:
    """One application's calls, and its limits."""

    per_minute: int | None = None
    per_month: int | None = None
    months: Counter[str] = field(default_factory=Counter)
    _recent: deque[datetime] = field(default_factory=deque)

    def charge(self, now: datetime) -> None:
        """Count a call, or refuse it uncounted."""
        month = beijing_month(now)
        if self.per_month is not None and self.months[month] >= self.per_month:
            raise Refused(30007)
        if self.per_minute is not None:
            self._charge_minute(now, self.per_minute)
        self.months[month] += 1

    def _charge_minute(self, now: datetime, limit: int) -> None:
        while self._recent and self._recent[0] <= now - MINUTE:
            self._recent.popleft()
        if len(self._recent) >= limit:
            raise Refused(30006)
        self._recent.append(now)


def beijing_month(now: datetime) -> str:
    """Return the month as the vendor's bookkeeping has it."""
    return (now + BEIJING).strftime("%Y-%m")
