"""The task queue on Cloud Tasks: a queue per function, and a token that says who calls it."""

from typing import Any, Final

from shared.gcp.clients import Connect
from shared.gcp.settings import GoogleSettings
from shared.ports.ambient import Clock
from shared.ports.task_limits import check_name, due_time, encoded_body
from shared.ports.tasks import Task, TaskExists, TaskRefused

TIMEOUT_SECONDS: Final = 20.0


class CloudTasks:
    """Enqueues calls to our own functions.

    A call that failed without an answer is not repeated here: an unnamed task would be made twice. Whoever
    enqueues is itself delivered again, and a prompt too many does no harm.
    """

    def __init__(self, connect: Connect, settings: GoogleSettings, clock: Clock) -> None:
        self._connect, self._settings, self._clock = connect, settings, clock

    async def enqueue(self, task: Task) -> str:
        """Keep the task durably and return its name."""
        from google.api_core import exceptions

        request = self._request(task)
        try:
            made = await self._connect().create_task(request, retry=None, timeout=TIMEOUT_SECONDS)
        except exceptions.AlreadyExists:
            raise TaskExists(
                f"task {task.name!r} of {task.function} is queued, or was of late: "
                "it is on its way, or choose another name"
            ) from None
        except exceptions.NotFound:
            raise TaskRefused(
                f"function {task.function!r} has no queue: declare one, or correct the name"
            ) from None
        except exceptions.InvalidArgument as refusal:
            raise TaskRefused(f"Cloud Tasks takes no such task: {refusal.message}") from None
        return str(made.name).rpartition("/")[2]

    def _request(self, task: Task) -> dict[str, Any]:
        queue = self._queue(task.function)
        body, due = encoded_body(task.body), due_time(task.not_before, self._clock.now())
        wanted: dict[str, Any] = {"http_request": self._call(task.function, body)}
        if task.name is not None:
            check_name(task.name)
            wanted["name"] = f"{queue}/tasks/{task.name}"
        if task.not_before is not None:
            wanted["schedule_time"] = due
        return {"parent": queue, "task": wanted}

    def _queue(self, function: str) -> str:
        settings = self._settings
        return f"projects/{settings.project}/locations/{settings.queue_location}/queues/{function}"

    def _call(self, function: str, body: bytes) -> dict[str, Any]:
        url = self._settings.url_of(function)
        caller = self._settings.email_of(self._settings.tasks_account)
        return {
            "url": url,
            "http_method": "POST",
            "headers": {"Content-Type": "application/json"},
            "body": body,
            "oidc_token": {"service_account_email": caller, "audience": url},
        }
