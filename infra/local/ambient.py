"""Time, chance and names of the real machine: the only place that asks it."""

import ctypes
import random
import resource
import secrets
import time
from datetime import UTC, datetime

PR_SET_DUMPABLE = 4
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def keep_memory_private() -> None:
    """Have no other process read ours, and no core dump written: keys are in it (all of it on Linux)."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A pipe in the kernel's core_pattern heeds no limit; it does heed this.
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def stopwatch() -> float:
    """Return seconds since some moment: only good for telling how long something took."""
    return time.perf_counter()


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


class SeededEntropy:
    """The same chance again for the same seed: simulations and tests only, never secrets."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - repeatable on purpose

    def token(self, size: int) -> bytes:
        """Return the next bytes of the sequence."""
        return self._random.randbytes(size)

    def uniform(self, low: float, high: float) -> float:
        """Return the next number of the sequence."""
        return self._random.uniform(low, high)
