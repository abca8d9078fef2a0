"""Cloud Scheduler by its JSON API, before the schedules that the embedded cloud keeps."""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from infra.emulated.storage import json_answer
from infra.local.schedules import Schedules, ScheduleStatus, UnknownSchedule
from shared.vendor_kit.http import Answer, Call

ADDRESS: Final = "https://cloudscheduler.googleapis.com/"
UNAVAILABLE: Final = 14


class EmulatedScheduler:
    """The jobs of one project."""

    def __init__(self, schedules: Callable[[], Schedules]) -> None:
        self._schedules = schedules

    async def send(self, call: Call) -> Answer:
        """List the jobs, or run one now."""
        name = unquote(urlsplit(call.url).path.rpartition("/jobs/")[2])
        if not name.endswith(":run"):
            return json_answer(200, {"jobs": [_job(each) for each in self._schedules().status()]})
        try:
            await self._schedules().run_now(name.removesuffix(":run"))
        except UnknownSchedule:
            return Answer(404)
        return json_answer(200, {})


def _job(status: ScheduleStatus) -> Mapping[str, Any]:
    last = status.last_tick
    code = 0 if status.done else UNAVAILABLE
    tried = {} if last is None else {"lastAttemptTime": last.isoformat(), "status": {"code": code}}
    return {
        "name": f"jobs/{status.name}",
        "schedule": status.cron,
        "timeZone": status.zone,
        "httpTarget": {"uri": status.url},
        "scheduleTime": status.next_tick.isoformat(),
        **tried,
    }
