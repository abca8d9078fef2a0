"""The platform probe comes back on Google Cloud: the same functions and workflow file, on Google's ports."""

import asyncio

import pytest

from shared.runtime.platform import bind
from shared.usecases.upkeep.probe_platform import begin_probe
from shared.vendor_kit.http import Call
from tests.contract.platform.cloud import Cloud


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
