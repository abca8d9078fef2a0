"""A token bucket: so many a second, a few more after a pause."""


class Bucket:
    """Fills evenly with time; `now` is the loop's."""

    def __init__(self, per_second: float, size: int) -> None:
        self._per_second, self._size = per_second, size
        self._tokens, self._at = float(size), float("-inf")
        self._held_until = float("-inf")

    def wait(self, now: float) -> float:
        """Return how long until a token is there; 0 for now."""
        self._fill(now)
        missing = max(0.0, 1.0 - self._tokens) / self._per_second
        return max(missing, self._held_until - now, 0.0)

    def take(self, now: float) -> None:
        """Use a token up."""
        self._fill(now)
        self._tokens -= 1.0

    def hold(self, until: float) -> None:
        """Give nothing out before then."""
        self._held_until = max(self._held_until, until)

    def _fill(self, now: float) -> None:
        if now > self._at:
            # Rounding must not leave a token a hair short for ever.
            gained = (now - self._at) * self._per_second + 1e-9
            self._tokens = min(float(self._size), self._tokens + gained)
            self._at = now
