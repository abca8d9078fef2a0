"""The embedded task queue keeps the port's promises with the machine's own event loop."""

import dataclasses

import pytest

from infra.local.tasks import QueueSpec, Tasks
from shared.vendor_kit.http import Answer
from tests.contract.delivery.machine import machine
from tests.contract.embedded import ManualClock
from tests.contract.tasks.port import RELAY, SWEEP, TaskQueuePort


class Receiver:
    """Remembers every call and answers it well."""

    def __init__(self):
        self.calls = []

    async def send(self, call):
        self.calls.append(call)
        return Answer(204)


class EmbeddedSetting:
    """Two queues on a file, and what they call."""

    caller = "tasks@hotel"

    def __init__(self, means):
        self.clock, self._receiver, self._seen = ManualClock(), Receiver(), 0
        self._means = dataclasses.replace(means, clock=self.clock, transport=self._receiver)
        self._open()

    async def reopen(self):
        await self.tasks.stop()
        self._open()

    async def calls(self):
        """Return the calls made since the last time."""
        await self.tasks.idle()
        fresh, self._seen = self._receiver.calls[self._seen :], len(self._receiver.calls)
        return fresh

    def url_of(self, function):
        return f"http://fleet.local/{function}"

    def _open(self):
        specs = [
            QueueSpec(name=name, url=self.url_of(name), audience=self.url_of(name), caller=self.caller)
            for name in (SWEEP, RELAY)
        ]
        self.tasks = Tasks(self._means, specs)
        self.tasks.start()


class TestEmbeddedTasksPort(TaskQueuePort):
    """The task queue on SQLite."""

    @pytest.fixture
    async def setting(self, tmp_path):
        async with machine(tmp_path) as means:
            setting = EmbeddedSetting(means)
            yield setting
            await setting.tasks.stop()
