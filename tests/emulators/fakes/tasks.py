"""Cloud Tasks: queues that keep tasks, refuse what the service refuses, and call what is due."""

from datetime import UTC, timedelta

from google.cloud.tasks_v2.types import CreateTaskRequest, HttpMethod, Task
from grpc import StatusCode

from infra.emulated.serving import Fake, Refusal
from shared.vendor_kit.http import Call

FURTHEST = timedelta(days=30)


class FakeCloudTasks(Fake):
    """The queues of one project."""

    def __init__(self):
        super().__init__("google.cloud.tasks.v2.CloudTasks", CreateTask=(CreateTaskRequest, Task))
        self._tasks, self._taken = [], set()

    def create_queues(self, clock, queues):
        """Have these queues, by this clock."""
        self._clock, self._queues = clock, set(queues)

    def create_task(self, request):
        """Keep a task under its name, or one of the service's own."""
        task = request.task
        if request.parent not in self._queues:
            raise Refusal(StatusCode.NOT_FOUND, "Queue does not exist.")
        if not task.name:
            task.name = f"{request.parent}/tasks/{len(self._taken):020}"
        self._check(request.parent, task)
        self._taken.add(task.name)
        self._tasks.append(task)
        return task

    def calls(self):
        """Make the calls that are due, as far as a receiver sees them; their names stay taken."""
        now = self._clock.now()
        due = [task for task in self._tasks if not task.schedule_time or _instant(task) <= now]
        self._tasks = [task for task in self._tasks if task not in due]
        return [_call(task) for task in due]

    def _check(self, queue, task):
        if not task.name.startswith(f"{queue}/tasks/"):
            raise Refusal(StatusCode.INVALID_ARGUMENT, "Task.name must be of the queue.")
        if task.name in self._taken:
            raise Refusal(StatusCode.ALREADY_EXISTS, "Requested entity already exists")
        if task.schedule_time and _instant(task) > self._clock.now() + FURTHEST:
            raise Refusal(StatusCode.INVALID_ARGUMENT, "The schedule time must be within 30 days.")


def _instant(task):
    return task.schedule_time.astimezone(UTC)


def _call(task):
    called = task.http_request
    token = f"{called.oidc_token.service_account_email}->{called.oidc_token.audience}"
    headers = {name.lower(): value for name, value in called.headers.items()}
    headers["authorization"] = f"Bearer {token}"
    return Call(HttpMethod(called.http_method).name, called.url, headers, called.body)
