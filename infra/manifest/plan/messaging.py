"""Topics and who takes what is on them, queues and schedules, with every time and limit said."""

from typing import Any, Final

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
from infra.manifest.triggers import QueueTrigger, ScheduleTrigger, Subscribing, TopicTrigger
from shared.events.backoffice.catalogue import PRODUCER
from shared.events.backoffice.catalogue import TELEMETRY as TOLD
from shared.events.backoffice.heard_subjects import HEARD
from shared.events.subject import RETENTION_RULES, Direction, Subject
from shared.ports.dead_letters import PULLED

Table = dict[str, Any]

LONGEST_KEPT: Final = 31
"""Days: as long as Pub/Sub keeps what nobody has taken."""
_KEPT: Final = {"retention_days": LONGEST_KEPT, "expires": False, "ordered": True, "filter": ""}


def topics() -> Table:
    """Return every topic, by name."""
    rows = {topic: _topic(topic, row) for topic, row in travelling()}
    told = {topic: _of_telemetry(topic) for topic in topics_in(TELEMETRY)}
    heard = {topic: _heard(topic) for topic in heard_alone()}
    return dict(sorted({**rows, **told, **heard, **{topic: _parked() for topic in PARKED}}.items()))


def _topic(topic: str, row: Subject) -> Table:
    rule = RETENTION_RULES[row.retention] if row.retention else None
    return {
        "subject": row.name,
        "spelling": topic != row.name,
        "direction": row.direction.value,
        "producer": row.producer,
        "retention_class": row.retention.value if row.retention else None,
        "merkle_anchored": row.merkle_anchored,
        "message_days": rule.message_days if rule else 7,
        "sink_days": rule.sink_days if rule else None,
        "parked": False,
    }


def _of_telemetry(topic: str) -> Table:
    """A topic of document C: several subjects share it, all of one class and kept for as long."""
    row = next(row for row in TOLD.values() if row.group.topic == topic)
    return {
        **_parked(),
        "direction": Direction.PRODUCED.value,
        "producer": PRODUCER,
        "retention_class": row.retention.value,
        "message_days": 7,
        "sink_days": row.keep_days,
        "parked": False,
    }


def _heard(topic: str) -> Table:
    return {
        **_parked(),
        "subject": topic,
        "direction": Direction.CONSUMED.value,
        "producer": HEARD[topic],
        "message_days": 7,
        "parked": False,
    }


def _parked() -> Table:
    return {
        "subject": None,
        "spelling": False,
        "direction": "parked",
        "producer": None,
        "retention_class": None,
        "merkle_anchored": False,
        "message_days": LONGEST_KEPT,
        "sink_days": None,
        "parked": True,
    }


def subscriptions(manifest: Manifest) -> Table:
    """Return every subscription, by name: pushed to its function, or pulled where `function` is null."""
    pushed = {
        subscription_name(function.name, trigger, topic): _pushed(function, trigger, topic)
        for function in manifest.functions.values()
        if isinstance(trigger := function.deployable.trigger, Subscribing)
        for topic in topics_of(trigger)
    }
    kept = {each.subscription: _pulled(each.topic, each.function) for each in awaited(manifest.functions)}
    parked = {name: _pulled(topic, None) for name, topic in PULLED.items()}
    return dict(sorted({**pushed, **kept, **parked}.items()))


def _pushed(function: Function, trigger: Subscribing, topic: str) -> Table:
    consumed = {of for of, row in travelling() if row.direction is Direction.CONSUMED}
    theirs = consumed.union(heard_alone())
    return {
        **_KEPT,
        "topic": topic,
        "function": function.name,
        "kept_for": None,
        "caller": PUSHER,
        "ack_deadline_seconds": waiting_time(function),
        "ordered": trigger.ordered,
        "filter": trigger.filter or "",
        # What was kept for this function is not to be forgotten while it catches up.
        "retention_days": LONGEST_KEPT if topic in theirs else 7,
        "minimum_backoff_seconds": trigger.retry.minimum,
        "maximum_backoff_seconds": trigger.retry.maximum,
        "dead_letter_topic": dead_letters_of(topic),
        "max_delivery_attempts": trigger.dead_letter_after,
    }


def _pulled(topic: str, function: str | None) -> Table:
    return {
        **_KEPT,
        "topic": topic,
        "function": None,
        "kept_for": function,
        "caller": None,
        "ack_deadline_seconds": 60,
        "minimum_backoff_seconds": None,
        "maximum_backoff_seconds": None,
        "dead_letter_topic": None,
        "max_delivery_attempts": None,
    }


def sinks() -> Table:
    """Return what is copied to BigQuery and for how many days, by topic (B §4, C §3)."""
    copied = {
        topic: {"days": RETENTION_RULES[row.retention].sink_days, "merkle_anchored": row.merkle_anchored}
        for topic, row in sorted(travelling())
        if row.retention is not None
    }
    telemetry = {row.group.topic: {"days": row.keep_days, "merkle_anchored": False} for row in TOLD.values()}
    return dict(sorted({**copied, **telemetry}.items()))


def queues(manifest: Manifest) -> Table:
    """Return every task queue, by its function."""
    return {
        name: {
            "function": name,
            "caller": TASKS,
            "dispatch_deadline_seconds": waiting_time(function),
            "max_dispatches_per_second": trigger.max_per_second,
            "max_concurrent_dispatches": trigger.max_concurrent,
            "max_attempts": trigger.max_attempts,
            "min_backoff_seconds": trigger.retry.minimum,
            "max_backoff_seconds": trigger.retry.maximum,
            "max_retry_seconds": trigger.max_age,
        }
        for name, function in sorted(manifest.functions.items())
        if isinstance(trigger := function.deployable.trigger, QueueTrigger)
    }


def schedules(manifest: Manifest) -> Table:
    """Return every schedule, by its function."""
    return {
        name: {
            "function": name,
            "caller": SCHEDULER,
            "cron": trigger.schedule,
            "zone": trigger.zone,
            "attempt_deadline_seconds": waiting_time(function),
            "retries": trigger.retries,
            "min_backoff_seconds": trigger.retry.minimum,
            "max_backoff_seconds": trigger.retry.maximum,
        }
        for name, function in sorted(manifest.functions.items())
        if isinstance(trigger := function.deployable.trigger, ScheduleTrigger)
    }


def handlers() -> dict[str, str]:
    """Return what the function must be called that takes over what was kept of a topic."""
    return {
        topic: subscription_name(row.handler, TopicTrigger(topic=row.name), topic)
        for topic, row in travelling()
        if row.direction is Direction.CONSUMED
    }
