"""Workflows keeps the port's promises, as a fake of its executions API has it."""

import pytest

from infra.emulated.executions import FakeExecutions
from infra.emulated.serving import serving
from shared.gcp.sagas import WorkflowExecutions
from shared.ports.sagas import SagaError
from shared.ports.trouble import ServiceTrouble
from shared.vendor_kit.http import Answer, ConnectionFailed
from tests.contract.sagas.port import SagasPort
from tests.contract.sagas.waker import Waker
from tests.emulators.google import OnGoogle

CALLBACKS = "https://workflowexecutions.googleapis.com/v1/projects/1/locations/europe-west6/callbacks"


class PlainAccess:
    """An access token that can be read."""

    async def token(self):
        return "access-token"


class WorkflowsSetting(OnGoogle):
    """Executions on Workflows, called back with a function's own access."""

    def __init__(self, waker, address):
        super().__init__(self._executions, executions=address)
        self._waker, self.sent, self.hold, self.let_go = waker, waker.sent, waker.hold, waker.let_go

    @property
    def sagas(self):
        return self.subject

    async def ended(self, execution):
        await self._waker.process.sagas.ended(execution.rpartition("/")[2])
        return await self.sagas.get(execution)

    async def callback_url(self):
        return "/".join([CALLBACKS, *(await self._waker.told()).split("/")[-2:]])

    async def _executions(self, _):
        return WorkflowExecutions(self.clients.of("executions"), self.settings, self._waker, PlainAccess())


@pytest.fixture
async def setting(tmp_path):
    waker = Waker(tmp_path)
    await waker.begin()
    fake = FakeExecutions(lambda: waker.process.sagas)
    async with serving(fake) as address, WorkflowsSetting(waker, address) as setting:
        yield setting
    await waker.end()


class TestWorkflowExecutions(SagasPort):
    """The sagas on Workflows."""


async def test_a_callback_carries_our_access_token_to_google_alone(setting):
    await setting.sagas.start("waits_for_a_call", {})
    await setting.sagas.call_back(await setting.callback_url(), {"word": "x"})
    (call,) = setting.sent
    assert call.headers["authorization"] == "Bearer access-token"
    for url in ("https://workflowexecutions.googleapis.com.example/x", CALLBACKS.replace("https", "http")):
        with pytest.raises(SagaError):
            await setting.sagas.call_back(url, {})
    assert len(setting.sent) == 1


async def test_an_endpoint_that_fails_is_told_without_its_address(setting):
    async def broken(_):
        return Answer(503)

    setting._waker.send = broken
    with pytest.raises(ServiceTrouble, match=r"^workflows is in trouble \(503\): ask again$"):
        await setting.sagas.call_back(f"{CALLBACKS}/x", {})


async def test_an_endpoint_that_is_out_of_reach_is_asked_again_later(setting):
    async def unreached(_):
        raise ConnectionFailed("no route")

    setting._waker.send = unreached
    with pytest.raises(ServiceTrouble, match=r"^workflows was not reached \(ConnectionFailed\): ask again$"):
        await setting.sagas.call_back(f"{CALLBACKS}/x", {})


async def test_an_endpoint_that_refuses_is_told_without_its_address(setting):
    async def refusing(_):
        return Answer(403)

    setting._waker.send = refusing
    with pytest.raises(SagaError, match=r"^the callback endpoint answered 403$"):
        await setting.sagas.call_back(f"{CALLBACKS}/x", {})


async def test_a_start_over_a_channel_that_slept_is_made_once_more(setting, monkeypatch):
    client, tried = setting.clients.of("executions")(), []
    begin = client.create_execution

    async def asleep_once(*args, **options):
        tried.append(args)
        if len(tried) == 1:
            raise ServiceTrouble("executions is in trouble (ServiceUnavailable): ask again")
        return await begin(*args, **options)

    monkeypatch.setattr(client, "create_execution", asleep_once, raising=False)
    started = await setting.sagas.start("waits_for_a_call", {})
    assert (await setting.sagas.get(started)).workflow == "waits_for_a_call"
    assert len(tried) == 2


async def test_a_start_that_finds_no_service_twice_is_trouble(setting, monkeypatch):
    client, tried = setting.clients.of("executions")(), []

    async def asleep(*args, **_):
        tried.append(args)
        raise ServiceTrouble("executions is in trouble (ServiceUnavailable): ask again")

    monkeypatch.setattr(client, "create_execution", asleep, raising=False)
    with pytest.raises(ServiceTrouble):
        await setting.sagas.start("waits_for_a_call", {})
    assert len(tried) == 2


@pytest.mark.parametrize(
    "url",
    [
        "https://workflowexecutions.googleapis.com/v1/projects/1/locations/europe-west6/workflows/w/executions",
        "https://workflowexecutions.googleapis.com/v1/projects/another/locations/europe-west6/callbacks/x",
        "https://workflowexecutions.googleapis.com/v1/projects/1/locations/us-central1/callbacks/x",
        f"{CALLBACKS}/../../workflows/w/executions/e:cancel",
        f"{CALLBACKS}/x?alt=media",
        f"{CALLBACKS}/x:cancel",
    ],
)
async def test_l3_our_access_token_goes_to_our_own_callbacks_alone(setting, url):
    with pytest.raises(SagaError, match="not a callback URL"):
        await setting.sagas.call_back(url, {})
    assert setting.sent == []
