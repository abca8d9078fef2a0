"""What is watched on Google Cloud beside what the fleet says itself: signals, promises, counted lines."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from infra.manifest.plan.alerts import RUNBOOKS
from shared.events.backoffice.catalogue import DLQ_DEPTH_ALERT
from shared.events.catalogue import CATALOGUE
from shared.ports.dead_letters import PULLED

Table = dict[str, Any]

PARKED: Final = " OR ".join(f'resource.labels.subscription_id = "{name}"' for name in PULLED)
_SUBSCRIPTIONS: Final = 'resource.type = "pubsub_subscription" AND metric.type = "pubsub.googleapis.com'
_REQUESTS: Final = 'resource.type = "cloud_run_revision" AND metric.type = "run.googleapis.com'
_DAY: Final = 86400


@dataclass(frozen=True, slots=True)
class Signal:
    """One measure of Google's, and from where on somebody must look."""

    title: str
    filter: str
    above: float
    """With `silent`, how many must come at least; else how many are too many."""
    for_seconds: int
    aligner: str
    reducer: str
    by: tuple[str, ...]
    runbook: str
    severity: str = "ERROR"
    every_seconds: int = 60
    silent: bool = False
    """Whether it is the absence that alarms."""


SIGNALS: Final[Mapping[str, Signal]] = {
    "parked-messages-wait": Signal(
        "Messages set aside wait for a person for more than a day",
        f'{_SUBSCRIPTIONS}/subscription/oldest_unacked_message_age" AND ({PARKED})',
        *(_DAY, 300, "ALIGN_MAX", "REDUCE_MAX", ("resource.label.subscription_id",)),
        "cloud/parked-messages",
    ),
    "dead-letters": Signal(
        "Messages were given up",
        f'{_SUBSCRIPTIONS}/subscription/num_undelivered_messages"'
        ' AND resource.labels.subscription_id = "dead-letter"',
        *(0, 60, "ALIGN_MAX", "REDUCE_MAX", ("resource.label.subscription_id",)),
        "lock/dead-letters",
        "CRITICAL",
    ),
    "telemetry-dead-letters": Signal(
        f"{DLQ_DEPTH_ALERT} messages of telemetry or more were given up",
        f'{_SUBSCRIPTIONS}/subscription/num_undelivered_messages"'
        ' AND resource.labels.subscription_id = starts_with("telemetry-")',
        *(DLQ_DEPTH_ALERT - 1, 60, "ALIGN_MAX", "REDUCE_MAX", ("resource.label.subscription_id",)),
        "cloud/telemetry-dead-letters",
    ),
    "kept-messages-expire": Signal(
        "Messages that no function handles yet are near the end of what Pub/Sub keeps",
        f'{_SUBSCRIPTIONS}/subscription/oldest_unacked_message_age"',
        *(24 * _DAY, 300, "ALIGN_MAX", "REDUCE_MAX", ("resource.label.subscription_id",)),
        "lock/dead-letters",
        "CRITICAL",
    ),
    "events-wait": Signal(
        "Events wait for their function for more than five minutes",
        f'{_SUBSCRIPTIONS}/subscription/oldest_unacked_message_age"'
        ' AND resource.labels.subscription_id = starts_with("on-")',
        *(300, 300, "ALIGN_MAX", "REDUCE_MAX", ("resource.label.subscription_id",)),
        "cloud/events-wait",
        "CRITICAL",
    ),
    "copies-lag": Signal(
        "Events wait to be copied to BigQuery for more than an hour",
        f'{_SUBSCRIPTIONS}/subscription/oldest_unacked_message_age"'
        ' AND resource.labels.subscription_id = starts_with("copy.")',
        *(3600, 600, "ALIGN_MAX", "REDUCE_MAX", ("resource.label.subscription_id",)),
        "cloud/copies-lag",
    ),
    "pushes-are-refused": Signal(
        "Pushes are answered 401, 403 or 404",
        f'{_SUBSCRIPTIONS}/subscription/push_request_count" AND (metric.labels.response_code = "401"'
        ' OR metric.labels.response_code = "403" OR metric.labels.response_code = "404")',
        *(0, 120, "ALIGN_DELTA", "REDUCE_SUM", ("resource.label.subscription_id",)),
        "cloud/events-wait",
        "CRITICAL",
    ),
    "functions-fail": Signal(
        "A function answers with errors",
        f'{_REQUESTS}/request_count" AND metric.labels.response_code_class = "5xx"',
        *(10, 300, "ALIGN_DELTA", "REDUCE_SUM", ("resource.label.service_name",)),
        "cloud/functions-fail",
    ),
    "functions-are-slow": Signal(
        "A function takes longer than a minute for one request in twenty",
        f'{_REQUESTS}/request_latencies"',
        *(60_000, 600, "ALIGN_PERCENTILE_95", "REDUCE_MAX", ("resource.label.service_name",)),
        "cloud/functions-fail",
    ),
    "sweeper-is-silent": Signal(
        "Nothing was swept for ten minutes: what crashes left is taken up by nobody",
        f'{_REQUESTS}/request_count" AND resource.labels.service_name = "sweep-due"'
        ' AND metric.labels.response_code_class = "2xx"',
        *(1, 600, "ALIGN_DELTA", "REDUCE_SUM", ()),
        "cloud/sweeper-is-silent",
        "CRITICAL",
        silent=True,
    ),
    "sagas-fail": Signal(
        "Executions of a workflow fail",
        'resource.type = "workflows.googleapis.com/Workflow"'
        ' AND metric.type = "workflows.googleapis.com/finished_execution_count"'
        ' AND metric.labels.status = "FAILED"',
        *(5, 300, "ALIGN_DELTA", "REDUCE_SUM", ("resource.label.workflow_id",)),
        "cloud/sagas-fail",
    ),
    "tasks-wait": Signal(
        "Tasks pile up in a queue",
        'resource.type = "cloud_tasks_queue" AND metric.type = "cloudtasks.googleapis.com/queue/depth"',
        *(1000, 600, "ALIGN_MAX", "REDUCE_MAX", ("resource.label.queue_id",)),
        "cloud/tasks-wait",
    ),
}
"""Each with its page: whoever is woken finds there what it means and what to do."""


@dataclass(frozen=True, slots=True)
class Promise:
    """A share of what we do that goes well (A §15.5): counted on topics, or in lines of the log."""

    title: str
    goal: float
    good: str
    """A subject, a counter of lines, or what is timed."""
    bad: str
    """A subject, the message of an alert, or a counter of lines; of what is timed, nothing."""
    runbook: str
    within_ms: int | None = None
    """Of what is timed: so long may it take."""


PROMISES: Final[Mapping[str, Promise]] = {
    "keys-are-issued": Promise(
        "issue.success.rate: of the keys that were asked for, those that were made",
        0.995,
        "melmastoon.lock.credential.issued.v1",
        "melmastoon.lock.credential.failed.v1",
        "lock/key-issue",
    ),
    "keys-are-taken-back": Promise(
        "revoke.success.rate: of the keys that were revoked, those that every lock let go of",
        0.995,
        "melmastoon.lock.credential.revoke_settled.v1",
        "MELMASTOON.LOCK.KEY_REVOKE_FAILED",
        "lock/key-revoke",
    ),
    "keys-are-quick": Promise(
        "issue.p95: of the keys that a vendor made, those that it made within two and a half seconds",
        0.95,
        "issue-milliseconds",
        "",
        "lock/vendor-slow",
        within_ms=2500,
    ),
    "vendors-answer-well": Promise(
        "vendor.error.rate: of the calls that a vendor was made, those that did what they were to",
        0.95,
        "vendor-calls-well",
        "vendor-calls-in-vain",
        "lock/vendor-errors",
    ),
}
"""Over 28 days; what is left of the rest is spent faster than it lasts when a burn rate alarms."""
_ASKED: Final = 'jsonPayload.message = "a vendor was asked"'
COUNTED: Final[Mapping[str, tuple[str, str]]] = {
    "alerts": ("severity = ALERT", "message"),
    "quarantined": ('jsonPayload.message = "quarantined"', "function"),
    "callers-not-proven": ('jsonPayload.message = "caller not proven"', "function"),
    "vendor-made-no-key": ('jsonPayload.message = "a vendor made no key"', "function"),
    "functions-crashed": ('jsonPayload.message = "the function crashed"', "function"),
    "vendor-calls-well": (f"{_ASKED} AND jsonPayload.well = true", "vendor"),
    "vendor-calls-in-vain": (f"{_ASKED} AND jsonPayload.well = false", "vendor"),
}
"""Lines of the log that are counted, and the field they are told apart by."""
TIMED: Final[Mapping[str, tuple[str, str, str]]] = {
    "issue-milliseconds": (
        f'{_ASKED} AND jsonPayload.action = "place" AND jsonPayload.well = true',
        "milliseconds",
        "vendor",
    ),
}
"""Lines of the log that say how long something took: in which field, and by what they are told apart."""
_MESSAGE: Final = re.compile(r'jsonPayload\.message = ("[^"]*")')


def signals() -> Table:
    """Return every signal, by name."""
    return {
        name: {**asdict(each), "by": list(each.by), "runbook": f"{RUNBOOKS}/{each.runbook}.md"}
        for name, each in sorted(SIGNALS.items())
    }


def promises() -> Table:
    """Return every promise, by name, each side by what counts it: a topic, an alert's message, or lines."""
    return {
        name: {
            "title": each.title,
            "goal": each.goal,
            "good_topic": each.good if each.good in CATALOGUE else None,
            "bad_topic": each.bad if each.bad in CATALOGUE else None,
            "bad_alert": each.bad if each.bad.startswith("MELMASTOON.") else None,
            "good_lines": each.good if each.good in COUNTED else None,
            "bad_lines": each.bad if each.bad in COUNTED else None,
            "timed": each.good if each.good in TIMED else None,
            "within_ms": each.within_ms,
            "runbook": f"{RUNBOOKS}/{each.runbook}.md",
        }
        for name, each in sorted(PROMISES.items())
    }


def counted() -> Table:
    """Return every counter of lines, by name."""
    return {name: {"filter": line, "by": field} for name, (line, field) in sorted(COUNTED.items())}


def timed() -> Table:
    """Return every field of lines that tells how long something took, by name."""
    return {
        name: {"filter": line, "field": field, "by": by} for name, (line, field, by) in sorted(TIMED.items())
    }


def faults(plan: Table, root: Path) -> Iterator[str]:
    """Yield what keeps a signal from meaning something: no page, no subject, no line that says it."""
    if not plan["functions"]:
        return  # nothing runs that could be watched
    for table in ("signals", "promises"):
        for name, each in plan[table].items():
            if not (root / each["runbook"]).exists():
                yield f"{name}: no such page: write {each['runbook']}"
    for name, each in plan["promises"].items():
        yield from (f"{name}: {fault}" for fault in _uncounted(each, plan))
    yield from _unsaid(plan, root)


def _uncounted(promise: Table, plan: Table) -> Iterator[str]:
    good, alert = promise["good_topic"], promise["bad_alert"]
    if not (good in plan["topics"] or promise["good_lines"] or promise["timed"]):
        yield f"counts {good}, which is no topic, and no lines"
    if (promise["timed"] is None) != (promise["within_ms"] is None):
        yield "say both what is timed and how long it may take, or neither"
    if alert and alert not in plan["alerts"]:
        yield f"counts {alert}, which is neither a topic nor an alert"


def _unsaid(plan: Table, root: Path) -> Iterator[str]:
    texts = [path.read_text(encoding="utf-8") for path in sorted((root / "shared").rglob("*.py"))]
    for name, each in (plan["counted"] | plan["timed"]).items():
        for said in _MESSAGE.findall(each["filter"]):
            if not any(said in text for text in texts):
                yield f"{name}: counts {said}, which no line says"
