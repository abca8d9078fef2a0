"""What operators are shown of schedules and executions: names, states, times; never an argument's body."""

from typing import Any

from infra.local.sagas.journal import Kept
from infra.local.schedules import ScheduleStatus


def shown_schedule(status: ScheduleStatus) -> dict[str, Any]:
    """Return how a schedule stands: when it runs, what it calls, how it last went."""
    last = status.last_tick
    return {
        "name": status.name,
        "cron": status.cron,
        "zone": status.zone,
        "calls": status.url,
        "last_run": None if last is None else last.isoformat(),
        "last_outcome": None if last is None else status.reason,
        "next_run": status.next_tick.isoformat(),
    }


def shown_execution(kept: Kept) -> dict[str, Any]:
    """Return what an operator may see of an execution, but for its argument and its steps."""
    execution = kept.execution
    return {
        "id": execution.id,
        "workflow": execution.workflow,
        "key": kept.argument.get("saga_id") if isinstance(kept.argument, dict) else None,
        "state": execution.state.value,
        "result": execution.result,
        "error": execution.error,
        "revision": kept.revision[:12],
        "started_at": kept.started_at,
        "ended_at": kept.ended_at,
        "billable_steps": kept.steps,
    }
