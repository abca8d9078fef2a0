"""The mock fails when, as often and with what it was told to."""

import asyncio

import pytest

from infra.local.simulation.loop import run_virtually
from shared.domain.lock_errors import (
    CardEncoderOffline,
    DeviceNotPaired,
    KeyIssueFailed,
    KeyRevokeFailed,
    LockError,
    VendorUnreachable,
)
from shared.vendors.mock.adapter import open_vendor
from tests.contract.lock.mock_setting import MockSetting
from tests.contract.lock.setting import KABUL


class Addressed(MockSetting):
    """A mock that was opened by its address."""

    address = "mock://"

    def make_vendor(self):
        vendor = open_vendor(self.binding(self.address.encode()), self.means)
        self.cloud = vendor._cloud
        return vendor


@pytest.fixture
def at(tmp_path):
    """Open a mock at an address."""

    def make(query=""):
        setting = Addressed(tmp_path)
        setting.address = f"mock://?{query}"
        return setting

    return make


async def test_failure_comes_before_anything_is_done(at):
    async with at("fail=issue") as setting:
        with pytest.raises(VendorUnreachable) as caught:
            await setting.vendor.place(setting.key())
        assert (caught.value.cause.kind, await setting.count()) == ("injected", 0)


async def test_failure_may_come_after_everything_is_done(at):
    async with at("fail=issue&when=after") as setting:
        with pytest.raises(VendorUnreachable):
            await setting.vendor.place(setting.key())
        assert await setting.opens()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("KEY_REVOKE_FAILED", KeyRevokeFailed),
        ("DEVICE_NOT_PAIRED", DeviceNotPaired),
        ("CARD_ENCODER_OFFLINE", CardEncoderOffline),
    ],
)
@pytest.mark.parametrize("operation", ["revoke", "list"])
async def test_failure_is_the_error_that_was_wished_for(at, error, kind, operation):
    async with at(f"fail={operation}&error={error}") as setting:
        vendor, key = setting.vendor, setting.key()
        acts = {"revoke": lambda: vendor.remove(key), "list": lambda: vendor.list_devices(KABUL.id)}
        with pytest.raises(kind):
            await acts[operation]()
        await vendor.place(key)


async def test_failure_may_be_for_good(at):
    async with at("fail=issue&error=KEY_ISSUE_FAILED&permanent=true") as setting:
        with pytest.raises(KeyIssueFailed) as caught:
            await setting.vendor.place(setting.key())
        assert caught.value.permanent


async def test_failures_come_as_often_as_they_were_wished_for(at):
    async with at("fail=find&pct=20") as setting:
        results = await asyncio.gather(
            *(setting.vendor.find(setting.key()) for _ in range(1000)), return_exceptions=True
        )
        assert 150 < sum(isinstance(result, LockError) for result in results) < 250


async def test_capabilities_are_those_that_were_wished_for(at):
    async with at("capabilities=qr") as setting:
        assert setting.vendor.describe_adapter().capabilities.qr
        with pytest.raises(KeyIssueFailed):
            await setting.vendor.place(setting.key())


def test_everything_takes_as_long_as_it_was_wished_to(at):
    async def main(_):
        async with at("latency=300-500") as setting:
            begun = asyncio.get_running_loop().time()
            await setting.vendor.place(setting.key())
            return asyncio.get_running_loop().time() - begun

    assert 0.3 <= run_virtually(main) <= 0.5
