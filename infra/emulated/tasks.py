"""Cloud Tasks: its API before the durable queues that the embedded cloud calls functions from."""

from collections.abc import Callable
from typing import Any

import orjson
from google.cloud.tasks_v2.types import CreateTaskRequest
from google.cloud.tasks_v2.types import Task as GoogleTask
from grpc import StatusCode

from infra.emulated.serving import Fake, Refusal
from shared.ports.tasks import Task, TaskExists, TaskQueue, TaskRefused


class EmulatedTasks(Fake):
    """The queues of one project."""

    def __init__(self, queues: Callable[[], TaskQueue]) -> None:
        super().__init__("google.cloud.tasks.v2.CloudTasks", CreateTask=(CreateTaskRequest, GoogleTask))
        self._queues = queues

    async def create_task(self, request: Any) -> Any:
        """Keep a task under its name, or one of the service's own."""
        task, function = request.task, request.parent.rpartition("/")[2]
        wanted = Task(
            function,
            orjson.loads(task.http_request.body or b"{}"),
            task.name.rpartition("/")[2] or None,
            task.schedule_time or None,
        )
        try:
            name = await self._queues().enqueue(wanted)
        except TaskExists as refusal:
            raise Refusal(StatusCode.ALREADY_EXISTS, str(refusal)) from None
        except TaskRefused as refusal:
            raise Refusal(StatusCode.NOT_FOUND, str(refusal)) from None
        return GoogleTask(name=f"{request.parent}/tasks/{name}")
