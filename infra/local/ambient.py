"""Time and chance as the embedded cloud has them: the machine's own, or those of a seed."""

import ctypes
import random
import resource
import time

from shared.kernel.ambient import EPOCH, SystemClock, SystemEntropy

__all__ = ["EPOCH", "SeededEntropy", "SystemClock", "SystemEntropy", "keep_memory_private", "stopwatch"]

PR_SET_DUMPABLE = 4


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
