"""Deliveries made worse on purpose: duplicates and delays, repeatable from a seed."""

from dataclasses import dataclass
from typing import Protocol

from shared.ports.ambient import Entropy


class Chaos(Protocol):
    """Decides what happens to a push besides being made."""

    def copies(self) -> int:
        """Return how many times in a row to push before believing the answer."""

    def delay(self) -> float:
        """Return for how many seconds to hold the push back."""


class Calm:
    """The chaos of a fleet in service: none."""

    def copies(self) -> int:
        """Push once."""
        return 1

    def delay(self) -> float:
        """Push at once."""
        return 0.0


@dataclass(frozen=True, slots=True)
class Storm:
    """Duplicates a share of the pushes and delays all of them by up to so many seconds."""

    entropy: Entropy
    duplicated: float = 0.5
    longest_delay: float = 0.0

    def copies(self) -> int:
        """Push twice, by chance."""
        return 2 if self.entropy.uniform(0, 1) < self.duplicated else 1

    def delay(self) -> float:
        """Hold back, by chance."""
        return self.entropy.uniform(0, self.longest_delay) if self.longest_delay else 0.0
