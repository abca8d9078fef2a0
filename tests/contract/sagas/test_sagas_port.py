"""The embedded sagas keep the port's promises in real time."""

import pytest

from infra.local.sagas.callbacks import CallBack
from shared.runtime.platform import Deployed, deployed
from tests.contract.sagas.ground import BASE, Plain
from tests.contract.sagas.port import SagasPort
from tests.contract.sagas.waker import Waker


class EmbeddedSetting(Waker):
    """Executions on SQLite, called back by one of the fleet's functions."""

    def __init__(self, folder):
        super().__init__(folder, CallBack(self, Plain(), f"{BASE}/_cloud"))
        deployed.set(Deployed("sweep-ledger", f"{BASE}/sweep-ledger"))

    @property
    def sagas(self):
        return self.process.sagas

    async def reopen(self):
        await self.end()
        await self.begin()

    async def ended(self, execution):
        return await self.sagas.ended(execution)

    async def callback_url(self):
        return await self.told()


class TestEmbeddedSagasPort(SagasPort):
    """The sagas on SQLite."""

    @pytest.fixture
    async def setting(self, tmp_path):
        setting = EmbeddedSetting(tmp_path)
        await setting.begin()
        yield setting
        await setting.end()
