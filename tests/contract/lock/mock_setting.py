"""The contracts' setting at the mock vendor."""

from dataclasses import replace

import orjson

from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.vendor_kit.http import Answer
from shared.vendors.mock.adapter import MockVendor
from shared.vendors.mock.cloud import MockCloud
from shared.vendors.mock.post import Post
from shared.vendors.mock.wishes import Wishes
from tests.contract.lock.setting import DOOR_101, PIN, Setting

ALL = ("issue", "revoke", "suspend", "unsuspend", "find", "list", "health")


class MockSetting(Setting):
    """Mock locks."""

    vendor_code = VendorCode("mock")
    wishes = Wishes()

    def __init__(self, folder, *, adapter=MockVendor):
        super().__init__(folder)
        self.cloud, self.adapter = MockCloud(), adapter

    def make_vendor(self):
        return self.adapter(self.binding(), self.wishes, self.cloud, self.clock, self.entropy)

    async def opens(self, secret=PIN, device=DOOR_101):
        return self.cloud.opens(device, Secret(secret), self.clock.now())

    async def count(self, device=DOOR_101):
        return len(self.cloud.locks[device])

    async def lose_the_next_answer(self):
        """One placing fails when it is done; the next ones find the mock well again."""
        vendor = self.vendor
        well, vendor._wishes = vendor._wishes, replace(vendor._wishes, fail=("issue",), after=True)
        put = vendor._put

        async def once(*placing):
            try:
                return await put(*placing)
            finally:
                vendor._wishes, vendor._put = well, put

        vendor._put = once

    async def break_down(self):
        self.vendor._wishes = replace(self.vendor._wishes, fail=ALL)

    async def mend(self):
        self.vendor._wishes = self.wishes


class Platform:
    """A mock's platform: gives each nonce a reference, and notes what it is told."""

    def __init__(self):
        self.told, self.says = [], None

    async def send(self, call):
        self.told.append(call)
        if isinstance(self.says, Exception):
            raise self.says
        nonce = orjson.loads(call.body)["clientNonce"]
        return self.says or Answer(200, body=orjson.dumps({"vendorRef": f"ref-{nonce}"}))


class TellingSetting(MockSetting):
    """Mock locks that tell a platform of their keys."""

    address = "http://127.0.0.1:9201/v3/key/get"

    def __init__(self, folder, **kinds):
        super().__init__(folder, **kinds)
        self.platform = Platform()

    def http(self):
        return self.platform

    def make_vendor(self):
        post = Post(self.means.http, self.address, self.vendor_code, self.means.clock)
        return self.adapter(self.binding(), self.wishes, self.cloud, self.clock, self.entropy, post)
