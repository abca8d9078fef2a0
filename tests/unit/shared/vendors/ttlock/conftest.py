"""An adapter whose vendor says what a test wrote down for it."""

import orjson
import pytest

from shared.vendor_kit.http import Answer
from shared.vendors.ttlock.adapter import open_vendor
from tests.contract.lock.setting import Setting
from tests.support.vendors import TTLOCK

ACCOUNT = {
    "clientId": "canary-client",
    "clientSecret": "canary-secret",
    "username": "canary-user",
    "passwordMd5": "c0ffee00c0ffee00c0ffee00c0ffee00",
}
TOKEN = {
    "access_token": "canary-access",
    "refresh_token": "canary-refresh",
    "uid": 2340,
    "expires_in": 7776000,
}
SECRETS = ("canary", ACCOUNT["passwordMd5"])


class Script:
    """Answers in turn what it was told to: an object, bytes, a whole answer, or a fault.

    Which gateway hears a lock is not its subject: none does, and that is neither scripted nor noted.
    """

    def __init__(self):
        self.answers, self.asked = [], []

    async def send(self, call):
        if "/v3/gateway/listByLock" in call.url:
            return Answer(200, {}, b'{"list":[]}')
        self.asked.append(call)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Answer):
            return answer
        return Answer(200, {}, answer if isinstance(answer, bytes) else orjson.dumps(answer))


class Scripted(Setting):
    """The adapter, with nothing but a script behind it."""

    vendor_code = TTLOCK

    def __init__(self, folder):
        super().__init__(folder)
        self.script = Script()

    def http(self):
        return self.script

    def make_vendor(self):
        return open_vendor(self.binding(orjson.dumps(ACCOUNT)), self.means)

    def say(self, *answers, signed_in=False):
        """Let these be the next answers."""
        self.script.answers += [*([] if signed_in else [TOKEN]), *answers]


@pytest.fixture
async def scripted(tmp_path):
    async with Scripted(tmp_path) as setting:
        yield setting
