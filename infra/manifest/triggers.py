"""What makes a deployable run: one form a trigger, each with what only that trigger needs."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

Topic = Annotated[str, StringConstraints(min_length=3, max_length=255, pattern=r"^[a-z][a-z0-9_.]*$")]
TopicSet = Literal["ours", "ours:operational", "ours:regulated", "theirs", "telemetry", "neighbours"]
"""Topics by what the catalogue says: all that we produce, or of a retention class; all that we consume.

`telemetry` is what the backoffice tells of itself (document C), which no other set holds, and `neighbours`
what it hears (C §15): some of that is heard by others too."""
Exposure = Literal["internal", "people", "public"]
"""Who may call: identities among the callers; people with a token of their own; anybody."""


class Strict(BaseModel):
    """A part of the manifest: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Backoff(Strict):
    """How long to wait before trying again, in seconds: no longer than Pub/Sub does."""

    minimum: Annotated[float, Field(gt=0, le=600)] = 10
    maximum: Annotated[float, Field(gt=0, le=600)] = 600

    @model_validator(mode="after")
    def _ordered(self) -> "Backoff":
        if self.minimum > self.maximum:
            raise ValueError("minimum is above maximum: swap them")
        return self


class TaskBackoff(Backoff):
    """How long a task waits before it is tried again: an hour at most."""

    minimum: Annotated[float, Field(gt=0, le=600)] = 1
    maximum: Annotated[float, Field(gt=0, le=3600)] = 3600


class Subscribing(Strict):
    """Push subscriptions that we own, one a topic."""

    ordered: bool = True
    filter: str | None = None
    retry: Backoff = Backoff()
    dead_letter_after: Annotated[int, Field(ge=5, le=100)] = 100
    """As late as Pub/Sub allows: what can never succeed is quarantined, so only trouble gets that far."""


class TopicTrigger(Subscribing):
    """One topic."""

    topic: Topic


class TopicsTrigger(Subscribing):
    """Several topics, or a set of them."""

    topics: TopicSet | Annotated[tuple[Topic, ...], Field(min_length=1)]


class HttpTrigger(Strict):
    """A request and its answer."""

    http: Exposure


class ServiceTrigger(Strict):
    """An application of its own, with paths, streams and sockets: deployed as a service."""

    service: Exposure


class QueueTrigger(Strict):
    """A task queue of the function's own; Cloud Tasks derives the burst after a pause from the rate."""

    queue: Literal[True]
    max_per_second: Annotated[float, Field(gt=0, le=500)] = 500
    max_concurrent: Annotated[int, Field(gt=0, le=5000)] = 100
    max_attempts: Annotated[int, Field(ge=-1)] = 100
    max_age: Annotated[int, Field(ge=1, le=30 * 86400)] | None = None
    """Seconds after which a task is tried no more, once it had its attempts; None is no limit."""
    retry: TaskBackoff = TaskBackoff()


class ScheduleTrigger(Strict):
    """A clock: five cron fields in a named zone."""

    schedule: str
    zone: str = "Etc/UTC"
    retries: Annotated[int, Field(ge=0, le=5)] = 0
    """How often a tick that failed is tried again before the next one."""
    retry: TaskBackoff = TaskBackoff(minimum=5)


Trigger = TopicTrigger | TopicsTrigger | HttpTrigger | ServiceTrigger | QueueTrigger | ScheduleTrigger
