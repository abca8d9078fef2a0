"""Schedules as the manifest describes them, held to the bounds of Cloud Scheduler."""

import re
from dataclasses import dataclass, field

from infra.local.delivery.attempt import Target
from infra.local.delivery.backoff import Retry
from infra.local.delivery.refusal import Check
from infra.local.schedules.cron import Cron

NAME = re.compile(r"[A-Za-z0-9_-]{1,500}")
ONCE = Retry(max_attempts=1, min_backoff=5.0, max_backoff=3600.0, max_doublings=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleSpec:
    """A job that is due by the clock; times are in seconds."""

    name: str
    cron: str
    url: str
    audience: str
    caller: str
    zone: str = "UTC"
    attempt_deadline: float = 180.0
    retry: Retry = ONCE
    body: bytes = field(default=b"{}", repr=False)

    def __post_init__(self) -> None:
        check = Check(f"schedule {self.name!r}")
        check.matches("name", self.name, NAME, "use up to 500 letters, digits, - and _")
        check.callable_url("url", self.url)
        check.within("attempt_deadline", self.attempt_deadline, 15, 1800)
        self.retry.check(check)
        Cron(self.cron, self.zone, check)

    @property
    def target(self) -> Target:
        """Where the call goes."""
        return Target(self.url, self.audience, self.caller, self.attempt_deadline)

    @property
    def ticks(self) -> Cron:
        """When it is due."""
        return Cron(self.cron, self.zone, Check(f"schedule {self.name!r}"))

    @property
    def rule(self) -> str:
        """What, when it changes, makes a new beginning."""
        return f"{self.cron} {self.zone}"
