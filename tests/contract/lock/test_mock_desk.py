"""The mock's desk keeps the promises of vendors that answer later; a desk broken in one way breaks one."""

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.kinds import KeyCredentialKind
from shared.domain.lock_errors import LockError
from shared.ports.lock import InHand
from shared.vendors.mock.adapter import MockVendor
from shared.vendors.mock.wishes import USUAL, Wishes
from tests.contract.failing import failure_of
from tests.contract.lock.later_suite import LaterContract
from tests.contract.lock.mock_setting import MockSetting
from tests.contract.lock.setting import DOOR_101, FRONT

DESK = Wishes(capabilities=replace(USUAL, card_encoding=True), desk=timedelta(days=2))


class DeskSetting(MockSetting):
    """Mock locks whose cards are encoded at a desk."""

    wishes = DESK

    def together(self):
        """Return the shares of one card."""
        of_card = {"kind": KeyCredentialKind.RFID_CARD, "secret": None, "set_name": "MM-card"}
        return [self.key(f"card-{door}", device_id=door, **of_card) for door in (DOOR_101, FRONT)]

    async def counts(self):
        return [await self.count(key.device_id) for key in self.together()]

    async def finish(self, job):
        return self.vendor._desk.encode(job, self.cloud, self.clock.now())

    async def spoil(self, job):
        self.vendor._desk.spoil(job)


@pytest.fixture
async def setting(tmp_path):
    async with DeskSetting(tmp_path) as setting:
        yield setting


class TestMockDesk(LaterContract):
    """The mock's desk."""


class ForgetsToCallOff(MockVendor):
    async def remove(self, key):
        desk, self._desk = self._desk, None
        await super().remove(key)
        self._desk = desk


class BeginsAnewEachTime(MockVendor):
    async def place_all(self, keys):
        self._calls = getattr(self, "_calls", 0) + 1
        anew = [replace(key, set_name=f"{key.set_name}-{self._calls}") for key in keys]
        return await super().place_all(anew)


class SaysItIsInHandForEver(MockVendor):
    async def status(self, job, keys):
        return [InHand(job, self._clock.now() + timedelta(hours=1)) for _ in keys]


class KeepsTheOldEnd(MockVendor):
    async def place_all(self, keys):
        first = self.__dict__.setdefault("_first", {key.name: key.valid_until for key in keys})
        return await super().place_all([replace(key, valid_until=first[key.name]) for key in keys])


BROKEN = {
    ForgetsToCallOff: "test_removing_a_key_in_hand_calls_its_job_off",
    BeginsAnewEachTime: "test_a_key_asked_for_again_is_the_same_job",
    SaysItIsInHandForEver: "test_a_job_nobody_knows_is_an_error",
    KeepsTheOldEnd: "test_a_key_that_stands_is_asked_for_anew_when_its_end_moves",
}


@pytest.mark.parametrize("broken", BROKEN)
async def test_broken_desk_fails_its_guarantee(tmp_path, broken):
    test = getattr(LaterContract(), BROKEN[broken])
    async with DeskSetting(tmp_path, adapter=broken) as setting:
        assert await failure_of(test, setting, None, refusal=LockError)
