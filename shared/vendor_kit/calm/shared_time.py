"""The time of a limit that many processes share: it never runs ahead of the time that has really passed.

No process trusts another's clock, nor its own. Each goes on from the time that it read, by what its own
machine counts as passed since; and who writes, writes its time down. So:

| what is read         | is taken for                                                            |
|----------------------|-------------------------------------------------------------------------|
| a time ahead of ours | the time: somebody saw more pass than we did                            |
| one a little behind  | the time when it was written; ours goes on                              |
| one far behind       | the time: those who came while we were away could not know of ours      |
| nothing new          | nothing: ours goes on                                                   |

Clocks are believed only where they agree that more has passed than any two of them may differ by (`doubt`).
Without that, the first call after a quiet night would wait for a minute. Decision 0046.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Final

from shared.vendor_kit.calm.allowance import Limit

CLOCKS_DIFFER: Final = 30_000.0
"""No two clocks of the fleet are believed to be further apart, in milliseconds."""
LONG_PERIOD: Final = 30_000.0
MILLISECOND: Final = timedelta(milliseconds=1)


class SharedTime:
    """One process's notion of it."""

    def __init__(self, limit: Limit) -> None:
        self._apart = limit.apart
        # A limit of a second is kept by clocks or not at all: they must agree to within a part of it.
        self._doubt = CLOCKS_DIFFER if limit.period >= LONG_PERIOD else limit.apart / 2
        self._ahead: float | None = None
        self._seen: str | None = None

    def now(self) -> float:
        """Return the time, in milliseconds."""
        return _passed() + (self._ahead if self._ahead is not None else -_passed())

    def begin(self) -> None:
        """Begin where nobody has begun yet."""
        self._ahead, self._seen = -_passed(), None

    def wrote(self, version: str) -> None:
        """Know that what we have written is no news to us."""
        self._seen = version

    def saw(self, version: str, at: float, written: datetime, now: datetime) -> None:
        """Take in the time that was read, written down by some clock and read by ours."""
        if version == self._seen:
            return
        self._seen = version
        told = at + max(0.0, (now - written) / MILLISECOND - self._doubt) - _passed()
        if self._ahead is None or not 0 <= self._ahead - told <= self._apart:
            self._ahead = told


def _passed() -> float:
    return asyncio.get_running_loop().time() * 1000
