"""The task queue: named, delayed, rate-limited HTTP calls, with what Cloud Tasks promises and no more."""

from infra.local.tasks.rows import SCHEMA
from infra.local.tasks.specs import QueueSpec
from infra.local.tasks.tasks import Tasks, TaskStatus

__all__ = ["SCHEMA", "QueueSpec", "TaskStatus", "Tasks"]
