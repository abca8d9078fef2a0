"""Cloud Storage keeps the promises of objects, as a fake of its JSON API has it."""

import pytest

from shared.gcp.objects import CloudStorage
from shared.gcp.rest import GoogleRefused, Rest
from shared.ports.objects import ObjectExists
from shared.ports.trouble import ServiceTrouble
from shared.vendor_kit.http import Answer, ConnectionBroken
from tests.contract.objects.suite import ANCHOR, YEAR, ObjectsContract
from tests.emulators.fakes.storage import FakeStorage
from tests.emulators.google import OnGoogle


class PlainAccess:
    async def token(self):
        return "access-token"


class Setting(OnGoogle):
    """A bucket that outlives whoever writes to it."""

    def __init__(self):
        super().__init__(self._storage)
        self.storage = FakeStorage("records", self.clock)

    async def _storage(self, _):
        return CloudStorage(Rest(self.storage, PlainAccess(), "storage"), "records")


@pytest.fixture
async def setting():
    async with Setting() as setting:
        yield setting


class TestCloudStorage(ObjectsContract):
    """Objects on Cloud Storage."""


async def test_a_lost_answer_is_no_second_object(setting):
    setting.storage.next_faults = [ConnectionBroken()]
    with pytest.raises(ServiceTrouble, match="storage was not reached"):
        await setting.subject.add(ANCHOR, b"root", setting.clock.now() + YEAR)
    await setting.subject.add(ANCHOR, b"root", setting.clock.now() + YEAR)
    with pytest.raises(ObjectExists):
        await setting.subject.add(ANCHOR, b"other", setting.clock.now() + YEAR)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_passing_trouble_is_told_from_a_refusal(setting, status):
    setting.storage.next_faults = [Answer(status)]
    with pytest.raises(ServiceTrouble, match=f"storage is in trouble \\({status}\\)"):
        await setting.subject.read(ANCHOR)


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refusal_is_told_by_its_status_and_without_its_words(setting, status):
    setting.storage.next_faults = [Answer(status, body=b"canary")]
    with pytest.raises(GoogleRefused, match=f"answered {status}") as refused:
        await setting.subject.read(ANCHOR)
    assert "canary" not in str(refused.value)


async def test_a_removal_that_is_forbidden_for_another_reason_is_no_retention(setting):
    await setting.subject.add(ANCHOR, b"root", setting.clock.now() + YEAR)
    setting.storage.next_faults = [Answer(403, body=b'{"error": {"errors": [{"reason": "forbidden"}]}}')]
    with pytest.raises(GoogleRefused, match="answered 403"):
        await setting.subject.remove(ANCHOR)


async def test_every_request_says_who_we_are_and_nothing_but_storage_is_asked(setting):
    await setting.subject.add(ANCHOR, b"root", setting.clock.now() + YEAR)
    await setting.subject.listed()
    assert {call.headers["authorization"] for call in setting.storage.calls} == {"Bearer access-token"}
    assert all(call.url.startswith("https://storage.googleapis.com/") for call in setting.storage.calls)
