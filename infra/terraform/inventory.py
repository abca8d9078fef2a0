"""Which resources follow from the plan of the fleet: of each row of each table, exactly these."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

Plan = Mapping[str, Any]
Keys = Iterable[str]


def _rows(table: str) -> Callable[[Plan], Keys]:
    return lambda plan: plan[table]


def _where(table: str, field: str, value: object) -> Callable[[Plan], Keys]:
    return lambda plan: [key for key, row in plan[table].items() if row[field] == value]


def _with(table: str, field: str) -> Callable[[Plan], Keys]:
    return lambda plan: [key for key, row in plan[table].items() if row[field]]


def _invokers(plan: Plan) -> Keys:
    open_ = (f"{name}/allUsers" for name, each in plan["functions"].items() if each["open_to_all"])
    return [*plan["invokers"], *open_]


def _uses(plan: Plan) -> Keys:
    return [
        f"{purpose}/{name}"
        for purpose, key in plan["keys"].items()
        for name in (*key["openers"], *key["sealers"])
    ]


def _burning(plan: Plan) -> Keys:
    return [f"{name}/{pace}" for name in plan["promises"] for pace in ("fast", "slow")]


MADE_OF: Final[Mapping[str, Callable[[Plan], Keys]]] = {
    "module.accounts.google_project_iam_member.granted": _where("grants", "on", "project"),
    "module.accounts.google_service_account.this": _rows("identities"),
    "module.accounts.google_service_account_iam_member.granted": _where("grants", "on", "account"),
    "module.functions.google_cloud_run_service_iam_member.invoker": _invokers,
    "module.functions.google_cloud_run_v2_service.this": _where("functions", "kind", "service"),
    "module.functions.google_cloudfunctions2_function.this": _where("functions", "kind", "function"),
    "module.storage.google_firestore_backup_schedule.daily": _with("databases", "backed_up"),
    "module.storage.google_firestore_database.this": _rows("databases"),
    "module.storage.google_firestore_field.this": _rows("fields"),
    "module.storage.google_firestore_index.this": _rows("indexes"),
    "module.storage.google_project_iam_member.database": _where("grants", "on", "database"),
    "module.storage.google_storage_bucket.this": _rows("buckets"),
    "module.storage.google_storage_bucket_iam_member.granted": _where("grants", "on", "bucket"),
    "module.topics.google_bigquery_table.copy": _rows("sinks"),
    "module.topics.google_bigquery_table_iam_member.writer": _rows("sinks"),
    "module.topics.google_pubsub_subscription.copy": _rows("sinks"),
    "module.topics.google_pubsub_topic.this": _rows("topics"),
    "module.topics.google_pubsub_topic_iam_member.granted": _where("grants", "on", "topic"),
    "module.topics.google_pubsub_topic_iam_member.undertaker": _with("topics", "parked"),
    "module.triggers.google_cloud_scheduler_job.this": _rows("schedules"),
    "module.triggers.google_cloud_tasks_queue.this": _rows("queues"),
    "module.triggers.google_cloud_tasks_queue_iam_member.granted": _where("grants", "on", "queue"),
    "module.triggers.google_pubsub_subscription.this": _rows("subscriptions"),
    "module.triggers.google_pubsub_subscription_iam_member.granted": _where("grants", "on", "subscription"),
    "module.triggers.google_pubsub_subscription_iam_member.undertaker": _with("subscriptions", "function"),
    "module.vault.google_kms_crypto_key.purpose": _rows("keys"),
    "module.vault.google_kms_crypto_key_iam_member.used": _uses,
    "module.vault.google_project_iam_member.secret": _where("grants", "on", "secret"),
    "module.watch.google_logging_metric.counted": _rows("counted"),
    "module.watch.google_logging_metric.timed": _rows("timed"),
    "module.watch.google_monitoring_alert_policy.burning": _burning,
    "module.watch.google_monitoring_alert_policy.measured": _rows("signals"),
    "module.watch.google_monitoring_alert_policy.said": _rows("alerts"),
    "module.watch.google_monitoring_slo.promise": _rows("promises"),
    "module.workflows.google_workflows_workflow.this": _rows("workflows"),
}
"""Module, type and name of a resource that walks a table, and the rows it must have."""


def inventory(plan: Plan) -> dict[str, frozenset[str]]:
    """Return the rows of each resource that follows from a plan."""
    return {place: frozenset(rows(plan)) for place, rows in MADE_OF.items()}
