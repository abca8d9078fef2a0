"""A month's calls of an application: who may still make some, when there are few left.

| who | while there are fewer calls left than |
|---|---|
| whoever is to lose a key | never stopped by us: the vendor says when it is enough |
| whoever stands at a door, and many keys that go | none |
| keys that are not needed yet | what is kept for keys that are due to go in the month |
| looks at batteries and lists | the same, and a tenth of the month |

What is kept for keys that go, the planner says once an hour (`plan_quota`). Decision 0118.
"""

from dataclasses import dataclass
from typing import Final

from shared.vendor_kit.calm.urgency import Urgency

POLLS_LEAVE: Final = 0.1
"""The part of a month's calls that looking leaves to what people wait for."""


@dataclass(frozen=True, slots=True)
class Month:
    """What was taken of a month's calls, and what the planner keeps for keys that are due to go in it."""

    name: str = ""
    spent: int = 0
    reserved: int = 0

    def left(self, monthly: int | None, urgency: Urgency) -> float:
        """Return how many calls somebody may still make: removals all, others what removals do not need."""
        if monthly is None or urgency is Urgency.REVOKE:
            return float("inf")
        left = monthly - self.spent
        if urgency in (Urgency.DOOR, Urgency.BULK):
            return left
        return left - self.reserved - (monthly * POLLS_LEAVE if urgency is Urgency.POLL else 0)


NO_MONTH: Final = Month()
