"""Time and chance of the machine that a function runs on: the only place of shared that asks it."""

import secrets
from datetime import UTC, datetime

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the present instant in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - whence Clocks have it


class SystemEntropy:
    """The machine's generator, for secrets and for jitter alike."""

    def token(self, size: int) -> bytes:
        """Return unpredictable bytes."""
        return secrets.token_bytes(size)

    def uniform(self, low: float, high: float) -> float:
        """Return an unpredictable number."""
        return secrets.SystemRandom().uniform(low, high)
