"""From the manifest to what the embedded cloud's parts are given."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from infra.local.bus.specs import SubscriptionSpec, TopicSpec
from infra.local.delivery.backoff import Retry
from infra.local.schedules.specs import ONCE, ScheduleSpec
from infra.local.tasks.specs import QueueSpec
from infra.manifest.load import Function, Manifest
from infra.manifest.model import PUSHER, SCHEDULER, TASKS
from infra.manifest.resolved import waiting_time
from infra.manifest.topics import (
    PARKED,
    TELEMETRY,
    awaited,
    dead_letters_of,
    heard_alone,
    subscription_name,
    topics_in,
    topics_of,
    travelling,
)
from infra.manifest.triggers import QueueTrigger, ScheduleTrigger, Subscribing


def topics(manifest: Manifest | None = None) -> list[TopicSpec]:
    """Return every topic: what travels, kept for its function where that is still to come, and the parked."""
    keepers = {each.topic: each.subscription for each in awaited(manifest.functions)} if manifest else {}
    parked = [TopicSpec(name, parked=True) for name in PARKED]
    telemetry = [TopicSpec(name) for name in topics_in(TELEMETRY)]
    travel = [TopicSpec(topic, kept_for=keepers.get(topic, "")) for topic, _ in travelling()]
    heard = [TopicSpec(name) for name in heard_alone()]
    return [*travel, *heard, *telemetry, *parked]


def subscriptions(manifest: Manifest, base_url: str) -> list[SubscriptionSpec]:
    """Return the push subscriptions of each topic trigger, one a topic."""
    return [
        _subscription(function, trigger, topic, _url(base_url, function))
        for function in manifest.functions.values()
        if isinstance(trigger := function.deployable.trigger, Subscribing)
        for topic in topics_of(trigger)
    ]


def queues(manifest: Manifest, base_url: str) -> list[QueueSpec]:
    """Return the task queue of each queue trigger."""
    return [
        _queue(function, trigger, _url(base_url, function))
        for function in manifest.functions.values()
        if isinstance(trigger := function.deployable.trigger, QueueTrigger)
    ]


def schedules(manifest: Manifest, base_url: str) -> list[ScheduleSpec]:
    """Return the schedule of each schedule trigger."""
    return [
        ScheduleSpec(
            name=function.name,
            cron=trigger.schedule,
            zone=trigger.zone,
            url=_url(base_url, function),
            audience=_url(base_url, function),
            caller=SCHEDULER,
            attempt_deadline=waiting_time(function),
            retry=replace(
                ONCE,
                max_attempts=1 + trigger.retries,
                min_backoff=trigger.retry.minimum,
                max_backoff=trigger.retry.maximum,
            ),
        )
        for function in manifest.functions.values()
        if isinstance(trigger := function.deployable.trigger, ScheduleTrigger)
    ]


def workflow_sources(folder: Path) -> Mapping[str, str]:
    """Return every workflow file's text by its name."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.yaml"))}


def with_role(manifest: Manifest, role: str) -> frozenset[str]:
    """Return the functions that hold a role."""
    named = manifest.functions.values()
    return frozenset(function.name for function in named if role in function.deployable.roles)


def _url(base_url: str, function: Function) -> str:
    return f"{base_url}/{function.name}"


def _subscription(function: Function, trigger: Subscribing, topic: str, url: str) -> SubscriptionSpec:
    return SubscriptionSpec(
        name=subscription_name(function.name, trigger, topic),
        topic=topic,
        push_url=url,
        audience=url,
        caller=PUSHER,
        ordered=trigger.ordered,
        filter=trigger.filter or "",
        ack_deadline=waiting_time(function),
        min_backoff=trigger.retry.minimum,
        max_backoff=trigger.retry.maximum,
        max_attempts=trigger.dead_letter_after,
        dead_letter_topic=dead_letters_of(topic),
        max_outstanding=function.deployable.concurrency,
    )


def _queue(function: Function, trigger: QueueTrigger, url: str) -> QueueSpec:
    return QueueSpec(
        name=function.name,
        url=url,
        audience=url,
        caller=TASKS,
        max_per_second=trigger.max_per_second,
        max_concurrent=trigger.max_concurrent,
        retry=Retry(
            max_attempts=trigger.max_attempts,
            min_backoff=trigger.retry.minimum,
            max_backoff=trigger.retry.maximum,
            max_duration=trigger.max_age,
        ),
        dispatch_deadline=waiting_time(function),
    )
