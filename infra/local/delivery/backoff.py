"""How long to wait after a failure: Pub/Sub's way, and that of Cloud Tasks and Cloud Scheduler."""

from dataclasses import dataclass

from infra.local.delivery.refusal import Check
from shared.ports.ambient import Entropy

SPREAD = 0.2
MOST_DOUBLINGS = 30


def jittered(low: float, high: float, failures: int, entropy: Entropy) -> float:
    """Return a wait that doubles from `low` to `high`, spread by a fifth but never outside the two."""
    centre = min(high, low * 2 ** min(failures - 1, MOST_DOUBLINGS))
    return entropy.uniform(max(low, centre * (1 - SPREAD)), min(high, centre * (1 + SPREAD)))


@dataclass(frozen=True, slots=True)
class Retry:
    """Doubles some times, then grows evenly, then stays; ends after so many attempts and so long.

    Where both limits are given, both must be spent, as in Cloud Tasks; `max_attempts` of -1 is no limit.
    """

    max_attempts: int = -1
    min_backoff: float = 0.1
    max_backoff: float = 3600.0
    max_doublings: int = 16
    max_duration: float | None = None

    def check(self, check: Check) -> None:
        """Refuse what production would refuse."""
        check.within("retry.max_attempts", self.max_attempts, -1, 1000)
        check.within("retry.min_backoff", self.min_backoff, 0.01, 3600)
        check.within("retry.max_backoff", self.max_backoff, 0.01, 3600)
        check.within("retry.max_doublings", self.max_doublings, 0, 16)
        check.ordered("retry.min_backoff", self.min_backoff, "retry.max_backoff", self.max_backoff)
        if self.max_attempts == 0:
            check.refuse("retry.max_attempts", "is 0", "give -1 for no limit, or at least 1")

    def wait(self, failures: int) -> float:
        """Return the wait after the nth failure: say 10, 20, 40, 80, 160, 240, 300, 300."""
        step = failures - 1
        doubled = self.min_backoff * float(2 ** min(step, self.max_doublings, MOST_DOUBLINGS))
        return min(self.max_backoff, doubled * max(1, step - self.max_doublings + 1))

    def spent(self, attempts: int, elapsed: float) -> bool:
        """Whether no further attempt is due."""
        limits = []
        if self.max_attempts >= 0:
            limits.append(attempts >= self.max_attempts)
        if self.max_duration is not None:
            limits.append(elapsed >= self.max_duration)
        return bool(limits) and all(limits)
