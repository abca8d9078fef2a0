"""The form of a fleet.yaml. The embedded cloud, Terraform and the docs all read these files."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator
from pydantic.alias_generators import to_snake

from infra.manifest.triggers import (
    Exposure,
    HttpTrigger,
    QueueTrigger,
    ScheduleTrigger,
    ServiceTrigger,
    Strict,
    TopicsTrigger,
    TopicTrigger,
    Trigger,
)

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{5,27}$")]
"""A deployable's name; its URL is the base URL plus this name, its service account carries it."""
Identity = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{2,62}$")]
Role = Literal["documents", "tasks-enqueue", "workflows-start", "workflows-callback"]
"""What a function may be allowed to do."""
Purpose = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*$")]

PUSHER, TASKS, SCHEDULER, OPERATOR = "pubsub-push", "cloud-tasks", "cloud-scheduler", "operator"
RESERVED = frozenset({PUSHER, TASKS, SCHEDULER, OPERATOR})
"""Identities of the platform's own; those of workflows begin with `workflow-`. No function may bear one."""


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
        if self.exposure == "internal" and not self.callers:
            raise ValueError("an internal function needs callers: name the identities that may call it")
        return self

    def allowed(self) -> frozenset[str]:
        """Return the identities that may call: those named, and the trigger's own."""
        return frozenset((*self.callers, *_TRIGGER_CALLERS.get(type(self.trigger), ())))

    @property
    def exposure(self) -> Exposure | None:
        """Who may call over HTTP; None where only the trigger's own identity and the named callers may."""
        match self.trigger:
            case HttpTrigger(http=exposure) | ServiceTrigger(service=exposure):
                return exposure
            case _:
                return None

    @property
    def public(self) -> bool:
        """Whether anybody may call."""
        return self.exposure == "public"

    @property
    def people(self) -> bool:
        """Whether people call, with tokens of their own."""
        return self.exposure == "people"


_TRIGGER_CALLERS: dict[type[Strict], tuple[str, ...]] = {
    TopicTrigger: (PUSHER,),
    TopicsTrigger: (PUSHER,),
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
