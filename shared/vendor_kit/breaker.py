"""A circuit breaker as a value: what it saw, what it allows, and the change to announce (B §2.17)."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final


class BreakerState(StrEnum):
    """Whether calls go through."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class CircuitOpen(Exception):
    """The vendor failed too often of late: nothing was sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerPolicy:
    """When to open, and for how long to leave the vendor alone."""

    error_rate_pct: float = 50.0
    window_size: int = 100
    fewest: int = 20
    """Fewer outcomes than these prove nothing."""
    rest: timedelta = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class BreakerChange:
    """A change of state, as B §2.17 announces it."""

    before: BreakerState
    after: BreakerState
    reason: str
    error_rate_pct: float
    window_size: int
    changed_at: datetime


Step = tuple["Breaker", BreakerChange | None]
DEFAULT_BREAKER: Final = BreakerPolicy()


@dataclass(frozen=True, slots=True)
class Breaker:
    """The last outcomes, newest last, and the state they led to."""

    policy: BreakerPolicy = DEFAULT_BREAKER
    state: BreakerState = BreakerState.CLOSED
    failed: tuple[bool, ...] = ()
    probed_at: datetime | None = None
    """When it opened, or when the last probe was let through."""

    @property
    def error_rate_pct(self) -> float:
        """How many of the outcomes in the window were failures."""
        return round(100 * sum(self.failed) / len(self.failed), 1) if self.failed else 0.0

    def admitting(self, at: datetime) -> Step:
        """Let a call through, or raise CircuitOpen; after each rest, one call may find out how things are."""
        if self.probed_at is None:
            return self, None
        if at < self.probed_at + self.policy.rest:
            raise CircuitOpen(f"calls are suspended until {self.probed_at + self.policy.rest}")
        return _moved(replace(self, probed_at=at), BreakerState.HALF_OPEN, "rest_over", at)

    def noting(self, at: datetime, *, failed: bool) -> Step:
        """Take in the outcome of a call."""
        seen = replace(self, failed=(*self.failed, failed)[-self.policy.window_size :])
        if self.state is BreakerState.HALF_OPEN:
            return _probed(seen, at, failed=failed)
        if self.state is BreakerState.CLOSED and _too_many(seen):
            return _moved(replace(seen, probed_at=at), BreakerState.OPEN, "error_rate_threshold", at)
        return seen, None


def _probed(breaker: Breaker, at: datetime, *, failed: bool) -> Step:
    if failed:
        return _moved(replace(breaker, probed_at=at), BreakerState.OPEN, "probe_failed", at)
    closed, change = _moved(breaker, BreakerState.CLOSED, "probe_succeeded", at)
    return replace(closed, failed=(), probed_at=None), change


def _too_many(breaker: Breaker) -> bool:
    enough = len(breaker.failed) >= breaker.policy.fewest
    return enough and breaker.error_rate_pct >= breaker.policy.error_rate_pct


def _moved(breaker: Breaker, state: BreakerState, reason: str, at: datetime) -> Step:
    if state is breaker.state:
        return breaker, None
    rate, size = breaker.error_rate_pct, len(breaker.failed)
    return replace(breaker, state=state), BreakerChange(breaker.state, state, reason, rate, size, at)
