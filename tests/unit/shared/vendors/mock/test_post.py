"""A mock that was told to post tells an address of every key, and has its reference from there."""

import orjson
import pytest

from shared.domain.lock_errors import KeyIssueFailed, VendorUnreachable
from shared.vendor_kit.http import Answer, ConnectionBroken, ConnectionFailed, TimedOut
from shared.vendors.mock.adapter import open_vendor
from tests.contract.lock.mock_setting import TellingSetting
from tests.contract.lock.setting import PIN


class Addressed(TellingSetting):
    """A mock that was opened by its address."""

    query = ""

    def make_vendor(self):
        address = f"mock://?post={self.address}{self.query}".encode()
        vendor = open_vendor(self.binding(address), self.means)
        self.cloud = vendor._cloud
        return vendor


@pytest.fixture
async def setting(tmp_path):
    async with Addressed(tmp_path) as setting:
        yield setting


async def test_every_placing_is_told_once(setting):
    at = await setting.vendor.place(setting.key())
    (call,) = setting.platform.told
    assert (call.method, call.url) == ("POST", setting.address)
    assert call.headers == {"content-type": "application/json"}
    assert orjson.loads(call.body) == {"clientNonce": setting.key().idempotency_key}
    assert at.vendor_ref.reveal() == "ref-first"


async def test_nothing_else_is_told(setting):
    key = setting.key()
    await setting.vendor.place(key)
    await setting.vendor.suspend(key)
    await setting.vendor.unsuspend(key)
    await setting.vendor.remove(key)
    assert len(setting.platform.told) == 1


async def test_platform_hears_no_secret(setting):
    await setting.vendor.place(setting.key())
    (call,) = setting.platform.told
    assert PIN.encode() not in call.body
    assert PIN not in call.url


async def test_key_keeps_its_reference(setting):
    first = await setting.vendor.place(setting.key())
    setting.platform.says = Answer(200, body=b'{"vendorRef": "another"}')
    again = await setting.vendor.place(setting.key(intent_predates=True))
    assert again.vendor_ref == first.vendor_ref
    assert len(setting.platform.told) == 2


@pytest.mark.parametrize(
    ("says", "cause"),
    [
        (TimedOut("late"), "timeout"),
        (ConnectionFailed("refused"), "no_connection"),
        (ConnectionBroken("reset"), "connection_broken"),
        (Answer(503), "server_error"),
        (Answer(404, body=b'{"vendorRef": "mock-1"}'), "server_error"),
        (Answer(302), "server_error"),
        (Answer(200), "unreadable_answer"),
        (Answer(200, body=b"[]"), "unreadable_answer"),
        (Answer(200, body=b"{}"), "unreadable_answer"),
        (Answer(200, body=b'{"vendorRef": 7}'), "unreadable_answer"),
        (Answer(200, body=b'{"vendorRef": ""}'), "unreadable_answer"),
    ],
)
async def test_platform_that_gives_no_reference_is_unreachable(setting, says, cause):
    setting.platform.says = says
    with pytest.raises(VendorUnreachable) as caught:
        await setting.vendor.place(setting.key())
    assert (caught.value.cause.kind, caught.value.device_id) == (cause, setting.key().device_id)
    assert not caught.value.permanent
    assert await setting.count() == 0


async def test_key_that_is_refused_is_not_placed_for_all_its_reference(setting):
    with pytest.raises(KeyIssueFailed):
        await setting.vendor.place(setting.key(secret=None))
    assert await setting.count() == 0


async def test_failure_that_was_wished_for_comes_before_anybody_is_told(tmp_path):
    setting = Addressed(tmp_path)
    setting.query = "&fail=issue"
    async with setting:
        with pytest.raises(VendorUnreachable):
            await setting.vendor.place(setting.key())
        assert setting.platform.told == []
