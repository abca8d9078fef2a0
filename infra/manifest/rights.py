"""What a role is on Google Cloud: roles of IAM, each on as little as it can be granted on."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from infra.manifest.load import Function, Manifest
from infra.manifest.model import TASKS
from infra.manifest.resolved import QUARANTINE_ROLE, roles_of
from infra.manifest.topics import TELEMETRY, awaited, topics_in
from infra.manifest.triggers import QueueTrigger
from shared.events.backoffice.catalogue import Group
from shared.ports.dead_letters import PULLED, QUARANTINE_TOPIC

RECORDS: Final = "records"
"""The bucket of what must outlast its writers: anchors, witnesses, exports."""


@dataclass(frozen=True, slots=True, order=True)
class Grant:
    """One role of IAM, on one thing."""

    role: str
    on: str
    target: str


def grants_of(function: Function, manifest: Manifest) -> tuple[Grant, ...]:
    """Return everything a function's account is granted, but for cipher keys and calls."""
    roles = roles_of(function)
    granted = [grant for role in sorted(roles) for grant in RIGHTS[role](manifest)]
    return tuple(sorted({*granted, *_secrets(function, writes="secrets-write" in roles)}))


def _secrets(function: Function, *, writes: bool) -> Iterator[Grant]:
    # Reading the latest version that is not destroyed takes listing them: viewer.
    roles = ("secretAccessor", "viewer", *(("secretVersionManager",) if writes else ()))
    for pattern in function.deployable.secrets:
        for role in roles:
            yield Grant(f"roles/secretmanager.{role}", "secret", pattern)


def _fixed(*grants: Grant) -> Callable[[Manifest], tuple[Grant, ...]]:
    return lambda _: grants


def _publishers(topics: Callable[[], tuple[str, ...]], _: Manifest) -> Iterator[Grant]:
    return (Grant("roles/pubsub.publisher", "topic", topic) for topic in topics())


def _enqueuers(manifest: Manifest) -> Iterator[Grant]:
    yield Grant("roles/iam.serviceAccountUser", "account", TASKS)
    for name, function in manifest.functions.items():
        if isinstance(function.deployable.trigger, QueueTrigger):
            yield Grant("roles/cloudtasks.enqueuer", "queue", name)


def _onlookers(manifest: Manifest) -> Iterator[Grant]:
    # To look is to pull, and IAM knows no pulling without acknowledging.
    kept = (each.subscription for each in awaited(manifest.functions))
    for name in (*PULLED, *kept):
        yield Grant("roles/pubsub.subscriber", "subscription", name)


def _undertakers(manifest: Manifest) -> Iterator[Grant]:
    yield from _onlookers(manifest)
    for topic in manifest.topics():
        yield Grant("roles/pubsub.publisher", "topic", topic)
    # A message says which subscription gave it up, and that one which topic it reads.
    yield Grant("roles/pubsub.viewer", "project", "")


_MAIN, _SEALED = (Grant("roles/datastore.user", "database", name) for name in ("main", "sealed"))
_INVOKER = Grant("roles/workflows.invoker", "project", "")

RIGHTS: Final[Mapping[str, Callable[[Manifest], Iterator[Grant] | tuple[Grant, ...]]]] = {
    "dead-letters": _undertakers,
    "dead-letters-look": _onlookers,
    "documents": _fixed(_MAIN),
    "executions": _fixed(Grant("roles/workflows.viewer", "project", "")),
    "objects": _fixed(
        Grant("roles/storage.objectCreator", "bucket", RECORDS),
        Grant("roles/storage.objectViewer", "bucket", RECORDS),
    ),
    "publish": partial(_publishers, lambda: topics_in("ours")),
    QUARANTINE_ROLE: partial(_publishers, lambda: (QUARANTINE_TOPIC,)),
    "schedules": _fixed(
        Grant("roles/cloudscheduler.jobRunner", "project", ""),
        Grant("roles/cloudscheduler.viewer", "project", ""),
    ),
    "sealed": _fixed(_SEALED),
    "secrets-write": _fixed(),  # on the secrets it names
    "tasks-enqueue": _enqueuers,
    "telemetry": partial(_publishers, lambda: (*topics_in(TELEMETRY), *(row.dead_letters for row in Group))),
    "workflows-callback": _fixed(_INVOKER),
    "workflows-start": _fixed(_INVOKER),
}
