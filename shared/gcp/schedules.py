"""Schedules on Cloud Scheduler, asked without a library: two calls that an operator makes now and then."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote

from shared.gcp.rest import Request, Rest, parsed
from shared.gcp.settings import GoogleSettings
from shared.ports.schedules import ScheduleState, UnknownSchedule

API: Final = "https://cloudscheduler.googleapis.com/v1"
ASKED_FOR: Final = "asked for: how it went is in its function's log"
OK, GONE = 200, 404


class CloudScheduler:
    """The jobs of one project and region."""

    def __init__(self, rest: Rest, settings: GoogleSettings) -> None:
        self._rest = rest
        self._jobs = f"{API}/projects/{settings.project}/locations/{settings.region}/jobs"

    async def states(self) -> Sequence[ScheduleState]:
        """Return how each schedule stands, by name."""
        found: list[ScheduleState] = []
        token = ""
        while True:
            query = {"pageSize": "500", **({"pageToken": token} if token else {})}
            page = parsed(await self._rest.ask(Request("GET", self._jobs, query)))
            found += map(_state, page.get("jobs", ()))
            token = page.get("nextPageToken", "")
            if not token:
                return sorted(found, key=lambda state: state.name)

    async def run(self, name: str) -> str:
        """Have a schedule make its call once, now."""
        request = Request("POST", f"{self._jobs}/{quote(name, safe='')}:run", body=b"{}")
        answer = await self._rest.ask(request, expects=frozenset({OK, GONE}))
        if answer.status == GONE:
            known = ", ".join(state.name for state in await self.states())
            raise UnknownSchedule(f"no schedule {name[:64]!r}: name one of {known}")
        return ASKED_FOR


def _state(job: Mapping[str, Any]) -> ScheduleState:
    last, next_run = job.get("lastAttemptTime"), job.get("scheduleTime")
    return ScheduleState(
        name=str(job["name"]).rpartition("/")[2],
        cron=str(job["schedule"]),
        zone=str(job.get("timeZone") or "Etc/UTC"),
        calls=str(job.get("httpTarget", {}).get("uri", "")),
        last_run=None if last is None else datetime.fromisoformat(last),
        last_outcome=None if last is None else _outcome(job.get("status", {})),
        next_run=None if next_run is None else datetime.fromisoformat(next_run),
    )


def _outcome(status: Mapping[str, Any]) -> str:
    """Return how the last attempt went: by Google's code, which carries no words of ours."""
    code = int(status.get("code", 0))
    return "succeeded" if code == 0 else f"failed with code {code}"
