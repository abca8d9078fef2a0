"""Queues as the manifest describes them, held to the bounds of Cloud Tasks."""

import re
from dataclasses import dataclass, field

from infra.local.delivery.attempt import Target
from infra.local.delivery.backoff import Retry
from infra.local.delivery.refusal import Check

NAME = re.compile(r"[A-Za-z0-9-]{1,100}")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSpec:
    """The queue of one function; times are in seconds."""

    name: str
    url: str
    audience: str
    caller: str
    max_per_second: float = 500.0
    max_concurrent: int = 64
    dispatch_deadline: float = 600.0
    retry: Retry = field(default_factory=Retry)

    def __post_init__(self) -> None:
        check = Check(f"queue {self.name!r}")
        check.matches("name", self.name, NAME, "use up to 100 letters, digits and hyphens")
        check.callable_url("url", self.url)
        check.within("max_per_second", self.max_per_second, 0.001, 500)
        check.within("max_concurrent", self.max_concurrent, 1, 5000)
        check.within("dispatch_deadline", self.dispatch_deadline, 15, 1800)
        self.retry.check(check)

    @property
    def target(self) -> Target:
        """Where a task goes."""
        return Target(self.url, self.audience, self.caller, self.dispatch_deadline)

    @property
    def burst(self) -> int:
        """How many may go at once after a pause: a fifth of a second's worth, as Cloud Tasks picks it."""
        return max(1, int(self.max_per_second / 5))
