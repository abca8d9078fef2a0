"""The form of a fleet.yaml. The embedded cloud, Terraform and the docs all read these files."""

from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator
from pydantic.alias_generators import to_snake

from infra.manifest.adapters import VendorName, adapter_fields, adapter_name
from infra.manifest.triggers import (
    Exposure,
    HttpTrigger,
    QueueTrigger,
    ScheduleTrigger,
    ServiceTrigger,
    Strict,
    Subscribing,
    TopicsTrigger,
    TopicTrigger,
    Trigger,
)

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{5,27}$")]
"""A deployable's name; its URL is the base URL plus this name, its service account has it or is shared."""
Identity = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{2,62}$")]
WorkflowName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{2,20}$")]
"""A workflow's name; with `workflow-` before it, a service account's: those have 30 letters at most."""
Callee = Annotated[str, StringConstraints(pattern=r"^([a-z][a-z0-9-]{5,27}|adapters)$")]
Role = Literal[
    "dead-letters",
    "dead-letters-look",
    "documents",
    "executions",
    "objects",
    "publish",
    "schedules",
    "sealed",
    "secrets-write",
    "tasks-enqueue",
    "telemetry",
    "workflows-callback",
    "workflows-start",
]
"""What a function may be allowed to do: each a right that somebody can grant (infra/manifest/rights.py)."""
Purpose = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]*\*?$")]
SecretPattern = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9*-]*$")]

PUSHER, TASKS, SCHEDULER, OPERATOR = "pubsub-push", "cloud-tasks", "cloud-scheduler", "operator"
RESERVED = frozenset({PUSHER, TASKS, SCHEDULER, OPERATOR})
"""Identities of the platform's own; those of workflows begin with `workflow-`. No function may bear one."""
ADAPTERS = "adapters"
"""What a workflow calls that calls whichever vendor's adapter the ledger names."""
_LONGEST = ((Subscribing, 580), (ScheduleTrigger, 1780), (QueueTrigger, 1780))
"""How long a handler may take, by what waits for it: 20 s longer (infra/manifest/resolved.py)."""


class Deployable(Strict):
    """One function."""

    description: Annotated[str, StringConstraints(min_length=8)]
    trigger: Trigger
    adapter: VendorName | None = None
    """The vendor whose adapter this is; all that is not said here follows from it."""
    account: Name | None = None
    """The service account that it shares with functions of the very same rights; else one of its own name."""
    entry_point: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")] | None = None
    cpu: Annotated[float, Field(ge=0.08, le=8)] = 1
    memory: Annotated[str, StringConstraints(pattern=r"^\d+Mi$")] = "512Mi"
    concurrency: Annotated[int, Field(ge=1, le=1000)] = 20
    min_instances: Annotated[int, Field(ge=0, le=100)] = 0
    max_instances: Annotated[int, Field(ge=1, le=1000)] = 20
    timeout: Annotated[int, Field(ge=1, le=3590)] = 60
    ingress: Literal["all", "internal"] = "all"
    secrets: tuple[SecretPattern, ...] = ()
    roles: tuple[Role, ...] = ()
    callers: tuple[Identity, ...] = ()
    opens: tuple[Purpose, ...] = ()
    """Purposes it may open and seal; a trailing star takes all that begin so."""
    seals: tuple[Purpose, ...] = ()
    """Purposes it may seal and not open."""

    @model_validator(mode="before")
    @classmethod
    def _fill_adapter(cls, given: Any) -> Any:
        vendor = given.get("adapter") if isinstance(given, dict) else None
        return {**adapter_fields(vendor), **given} if isinstance(vendor, str) else given

    @model_validator(mode="after")
    def _can_be_deployed(self) -> "Deployable":
        if self.cpu < 1 and self.concurrency > 1:
            raise ValueError("less than one cpu serves one request at a time: set cpu: 1, or concurrency: 1")
        if self.min_instances > self.max_instances:
            raise ValueError("min_instances is above max_instances: swap them")
        if self.exposure in ("people", "public") and self.ingress == "internal":
            raise ValueError("nobody from outside gets through internal ingress: set ingress: all")
        for kind, longest in _LONGEST:
            if isinstance(self.trigger, kind) and self.timeout > longest:
                raise ValueError(f"timeout is above {longest}: what triggers it waits no longer")
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


class Workflow(Strict):
    """One workflow file: its identity, and what it may call."""

    description: Annotated[str, StringConstraints(min_length=8)]
    calls: tuple[Callee, ...] = ()
    log: Literal["none", "errors", "all"] = "errors"
    env: dict[Annotated[str, StringConstraints(pattern=r"^FLEET_[A-Z0-9_]+$")], str] = Field(
        default_factory=dict
    )


class Family(Strict):
    """One fleet.yaml: the deployables of one folder under functions/, and the workflows they start."""

    functions: dict[Name, Deployable]
    workflows: dict[WorkflowName, Workflow] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_are_free(self) -> "Family":
        for name, deployable in self.functions.items():
            if name in RESERVED or name.startswith("workflow-"):
                raise ValueError(f"{name} is an identity of the platform: choose another name")
            vendor = deployable.adapter
            if (vendor is not None or name.startswith("adapter-")) and name != adapter_name(vendor):
                raise ValueError(
                    f"{name} is no name for the adapter of {vendor}: sagas call adapter-<vendor>"
                )
        return self


def entry_point(name: str, deployable: Deployable) -> str:
    """Return the Python function behind a deployable: its own name unless the manifest says otherwise."""
    return deployable.entry_point or _in_python(name)


@lru_cache(maxsize=1024)
def _in_python(name: str) -> str:
    return to_snake(name.replace("-", "_"))


def workflow_identity(name: str) -> str:
    """Return the identity a workflow calls with."""
    return f"workflow-{name.replace('_', '-')}"
