"""Topics and subscriptions as the manifest describes them, held to the bounds of Pub/Sub."""

import re
from dataclasses import dataclass

from infra.local.bus.filters import FilterRefused, compile_filter
from infra.local.delivery.attempt import Target
from infra.local.delivery.refusal import Check

NAME = re.compile(r"(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}")
NAME_REMEDY = "use 3 to 255 letters, digits, - . _ ~ + %, beginning with a letter but not with goog"


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """A topic; what is published to a parked one waits for a person instead of a push.

    What is published to one without a subscription is kept where it is known whose it will be.
    """

    name: str
    parked: bool = False
    kept_for: str = ""

    def __post_init__(self) -> None:
        Check(f"topic {self.name!r}").matches("name", self.name, NAME, NAME_REMEDY)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionSpec:
    """A push subscription; times are in seconds, `max_attempts` of None retries for ever."""

    name: str
    topic: str
    push_url: str
    audience: str
    caller: str
    ordered: bool = False
    filter: str = ""
    ack_deadline: float = 10.0
    min_backoff: float = 10.0
    max_backoff: float = 600.0
    max_attempts: int | None = None
    dead_letter_topic: str | None = None
    max_outstanding: int = 64

    def __post_init__(self) -> None:
        check = Check(f"subscription {self.name!r}")
        check.matches("name", self.name, NAME, NAME_REMEDY)
        check.callable_url("push_url", self.push_url)
        check.within("ack_deadline", self.ack_deadline, 10, 600)
        # Zero, which Pub/Sub allows, would retry in a tight loop on one machine.
        check.within("min_backoff", self.min_backoff, 0.01, 600)
        check.within("max_backoff", self.max_backoff, 0.01, 600)
        check.ordered("min_backoff", self.min_backoff, "max_backoff", self.max_backoff)
        check.within("max_outstanding", self.max_outstanding, 1, 10_000)
        self._check_dead_letter(check)
        self._check_filter(check)

    @property
    def target(self) -> Target:
        """Where a push goes."""
        return Target(self.push_url, self.audience, self.caller, self.ack_deadline)

    def _check_dead_letter(self, check: Check) -> None:
        if (self.max_attempts is None) != (self.dead_letter_topic is None):
            check.refuse("max_attempts", "and dead_letter_topic go together", "give both or neither")
        if self.max_attempts is not None:
            check.within("max_attempts", self.max_attempts, 5, 100)
        if self.dead_letter_topic == self.topic:
            check.refuse("dead_letter_topic", "is the topic itself", "name another topic")

    def _check_filter(self, check: Check) -> None:
        try:
            compile_filter(self.filter)
        except FilterRefused as refused:
            check.refuse("filter", "is malformed", str(refused))
