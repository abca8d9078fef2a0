"""Cloud Tasks keeps the task queue's promises, as a fake of the service has it."""

import pytest

from infra.emulated.serving import serving
from shared.gcp.tasks import CloudTasks
from tests.contract.tasks.port import RELAY, SWEEP, TaskQueuePort
from tests.emulators.fakes.tasks import FakeCloudTasks
from tests.emulators.google import OnGoogle


async def cloud_tasks(google):
    return CloudTasks(google.clients.of("tasks"), google.settings, google.clock)


class CloudTasksSetting(OnGoogle):
    """Two queues of a project, and what they call."""

    def __init__(self, fake, address):
        super().__init__(cloud_tasks, tasks=address)
        fake.create_queues(self.clock, [self._queue(name) for name in (SWEEP, RELAY)])
        self._fake = fake
        self.caller = self.settings.email_of("cloud-tasks")
        self.url_of = self.settings.url_of

    @property
    def tasks(self):
        return self.subject

    async def calls(self):
        return self._fake.calls()

    def _queue(self, name):
        return f"projects/{self.settings.project}/locations/europe-west6/queues/{name}"


class TestCloudTasks(TaskQueuePort):
    """The task queue on Cloud Tasks."""

    @pytest.fixture
    async def setting(self):
        fake = FakeCloudTasks()
        async with serving(fake) as address, CloudTasksSetting(fake, address) as setting:
            yield setting
