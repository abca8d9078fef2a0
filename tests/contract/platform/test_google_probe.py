"""The platform probe comes back on Google Cloud: the same functions and workflow file, on Google's ports."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from infra.local.ambient import SystemClock
from infra.local.host.functions import load_functions
from infra.local.wiring import workflow_sources
from infra.local.world import FleetConfig
from infra.manifest.load import load_manifest
from shared.runtime.google import Surroundings, google_platform
from shared.runtime.platform import bind
from shared.usecases.probe_platform import begin_probe
from shared.vendor_kit.http import Call
from tests.contract.platform.internet import Internet
from tests.contract.sagas.ground import Ground
from tests.contract.sagas.waker import Waker
from tests.emulators.fakes.executions import FakeExecutions
from tests.emulators.fakes.kms import FakeKms
from tests.emulators.fakes.serving import serving
from tests.emulators.fakes.tasks import FakeCloudTasks
from tests.emulators.google import settings


class PlainAccess:
    """An access token that can be read."""

    async def token(self):
        return "access-token"


class Cloud:
    """Google's services around the fleet's functions."""

    def __init__(self, folder):
        self.clock, self.waker, self.tasks, self.kms = (
            SystemClock(),
            Waker(folder),
            FakeCloudTasks(),
            FakeKms(),
        )
        self._stack, self._folder = AsyncExitStack(), folder

    async def open(self, firestore):
        executions = FakeExecutions(lambda: self.waker.process.sagas)
        fakes = {"tasks": self.tasks, "kms": self.kms, "executions": executions}
        addresses = {
            name: await self._stack.enter_async_context(serving(fake)) for name, fake in fakes.items()
        }
        self.settings = settings(firestore=firestore, **addresses)
        self.internet = Internet(
            self.settings, self.clock, load_functions(load_manifest(), self.settings.base_url)
        )
        self.internet.waker = self.waker
        self.platform = google_platform(
            self.settings, Surroundings(self.clock, http=self.internet, access=PlainAccess())
        )
        self.tasks.create_queues(self.clock, [self._queue("probe-reply")])
        await self._begin_workflows()

    async def close(self):
        await self.waker.end()
        await self.internet.close()
        await self._stack.aclose()

    async def _begin_workflows(self):
        sources = workflow_sources(FleetConfig(self._folder).workflows)
        self.waker.ground = Ground(
            self._folder, self.clock, sources, script=self.internet, base=self.settings.base_url
        )
        await self.waker.begin()

    def _queue(self, name):
        return f"projects/{self.settings.project}/locations/europe-west6/queues/{name}"


@pytest.fixture
async def cloud(tmp_path, firestore_emulator, no_platform):
    cloud = Cloud(tmp_path)
    await cloud.open(firestore_emulator)
    bind(cloud.platform)
    yield cloud
    await cloud.close()


async def test_a_probe_walks_all_of_google_cloud_and_comes_back(cloud):
    probe, execution = await begin_probe(cloud.platform.sagas, cloud.platform.ids, wait_seconds=0)
    async with asyncio.timeout(20):
        await cloud.internet.handed_over.wait()
    for call in cloud.tasks.calls():
        await cloud.internet.send(call)
    await cloud.waker.process.sagas.ended(execution.rpartition("/")[2])
    ended = await cloud.platform.sagas.get(execution)
    assert (ended.error, ended.result) == (None, {"probe": probe, "visits": 2, "answer": "here"})
    assert cloud.internet.log == [
        ("probe-answer", 503),
        ("probe-answer", 200),
        ("probe-handover", 200),
        ("probe-reply", 200),
    ]
    assert cloud.kms.calls == {"encrypt": 1, "decrypt": 1}


async def test_a_caller_whom_the_descriptor_does_not_name_is_turned_away(cloud):
    url = cloud.settings.url_of("probe-answer")
    call = Call("POST", url, {"authorization": "Bearer cloud-tasks>x"}, b'{"probe": "p", "execution": "e"}')
    assert (await cloud.internet.send(call)).status == 403
