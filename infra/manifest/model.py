"""The form of a fleet.yaml. The embedded cloud, Terraform and the docs all read these files."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_snake

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{5,27}$")]
"""A deployable's name; its URL is the base URL plus this name, its service account carries it."""
Identity = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{2,62}$")]
Role = Literal["documents", "tasks-enqueue", "workflows-start", "workflows-callback"]
"""What a function may be allowed to do."""
Purpose = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$")]

PUSHER, TASKS, SCHEDULER, OPERATOR = "pubsub-push", "cloud-tasks", "cloud-scheduler", "operator"
RESERVED = frozenset({PUSHER, TASKS, SCHEDULER, OPERATOR})
"""Identities of the platform's own; those of workflows begin with `workflow-`. No function may bear one."""


class Strict(BaseModel):
    """A part of the manifest: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Backoff(Strict):
    """How long to wait before trying again, in seconds."""

    minimum: Annotated[float, Field(gt=0, le=600)] = 10
    maximum: Annotated[float, Field(gt=0, le=3600)] = 600

    @model_validator(mode="after")
    def _ordered(self) -> "Backoff":
        if self.minimum > self.maximum:
            raise ValueError("minimum is above maximum: swap them")
        return self


class TopicTrigger(Strict):
    """A push subscription that we own."""

    topic: Annotated[str, StringConstraints(min_length=3, max_length=255)]
    ordered: bool = True
    filter: str | None = None
    retry: Backoff = Backoff()
    dead_letter_after: Annotated[int, Field(ge=5, le=100)] = 100
    """As late as Pub/Sub allows: what can never succeed is quarantined, so only trouble gets that far."""


class HttpTrigger(Strict):
    """A call from another service (internal) or from anybody (public)."""

    http: Literal["internal", "public"]


class QueueTrigger(Strict):
    """A task queue of the function's own."""

    queue: Literal[True]
    max_per_second: Annotated[float, Field(gt=0, le=500)] = 500
    max_concurrent: Annotated[int, Field(gt=0, le=5000)] = 100
    max_attempts: Annotated[int, Field(ge=-1)] = 100
    retry: Backoff = Backoff(minimum=1, maximum=3600)


class ScheduleTrigger(Strict):
    """A clock: five cron fields in a named zone."""

    schedule: str
    zone: str = "Etc/UTC"


Trigger = TopicTrigger | HttpTrigger | QueueTrigger | ScheduleTrigger


class Deployable(Strict):
    """One function."""

    description: Annotated[str, StringConstraints(min_length=8)]
    trigger: Trigger
    entry_point: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")] | None = None
    memory: Annotated[str, StringConstraints(pattern=r"^\d+Mi$")] = "256Mi"
    concurrency: Annotated[int, Field(ge=1, le=1000)] = 20
    timeout: Annotated[int, Field(ge=1, le=3600)] = 60
    secrets: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    callers: tuple[Identity, ...] = ()
    opens: tuple[Purpose, ...] = ()

    @model_validator(mode="after")
    def _has_callers(self) -> "Deployable":
        internal = isinstance(self.trigger, HttpTrigger) and self.trigger.http == "internal"
        if internal and not self.callers:
            raise ValueError("an internal function needs callers: name the identities that may call it")
        return self

    def allowed(self) -> frozenset[str]:
        """Return the identities that may call: those named, and the trigger's own."""
        return frozenset((*self.callers, *_TRIGGER_CALLERS.get(type(self.trigger), ())))

    @property
    def public(self) -> bool:
        """Whether anybody may call."""
        return isinstance(self.trigger, HttpTrigger) and self.trigger.http == "public"


_TRIGGER_CALLERS: dict[type[Strict], tuple[str, ...]] = {
    TopicTrigger: (PUSHER,),
    QueueTrigger: (TASKS,),
    ScheduleTrigger: (SCHEDULER,),
}


class Family(Strict):
    """One fleet.yaml: the deployables of one folder under functions/."""

    functions: dict[Name, Deployable]

    @model_validator(mode="after")
    def _names_are_free(self) -> "Family":
        for name in self.functions:
            if name in RESERVED or name.startswith("workflow-"):
                raise ValueError(f"{name} is an identity of the platform: choose another name")
        return self


def entry_point(name: str, deployable: Deployable) -> str:
    """Return the Python function behind a deployable: its own name unless the manifest says otherwise."""
    return deployable.entry_point or to_snake(name.replace("-", "_"))
