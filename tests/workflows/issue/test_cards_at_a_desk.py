"""A card is made when somebody comes to the desk: until then no execution waits, and no attempt is spent."""

import asyncio

import pytest

from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import CardEncoderOffline
from shared.ports.lock import InHand
from tests.support.sample_hotel import device_at, play

MOCK = VendorCode("mock")
ENCODER = "lck_01KSAMP1E00000000000000900"
HOURS = 3600


class FrontDesk:
    """The mock's desk as whoever works there sees it, and the relay that tells of what was done."""

    def __init__(self, house):
        self.house = house

    @property
    def port(self):
        (session,) = self.house.fleet.platform.kept["desks:mock"]._open.values()
        return session.port

    def jobs(self):
        return list(self.port._desk.jobs)

    def encode(self, job):
        return self.port._desk.encode(job, self.port._cloud, self.house.fleet.platform.clock.now())

    async def tell(self, job, **error):
        body = {"tenant": "tnt_silk", "vendor": "mock", "job": job, **error}
        return await self.house.on.send("hear-of-job", body, caller="operator")

    def opens(self, door):
        return list(self.port._cloud.locks[device_at(door)])


async def opened(house, waits, kinds="card_encoding"):
    """Fit the hotel with the mock's locks and a desk, wish for a card, and book."""
    for door in ("101", "front"):
        await house.refit(door, "mock")
    lock = (await house.documents("devices"))[device_at("101")]
    desk = {**lock, "id": ENCODER, "rooms": [], "label": "The desk", "vendor_device": "desk", "encoder": True}
    await house.map_as(ENCODER, desk)
    await house.open_account("mock", f"mock://?capabilities={kinds}&desk={waits}".encode())
    await house.publish("evt_1", preferredKinds=["rfid_card", "pin_code"])
    await asyncio.sleep(5)
    return FrontDesk(house)


async def only_key(house):
    ((_, entry),) = (await house.documents("credentials")).items()
    return entry


async def executions(house):
    return [str(each.execution.state) for each in house.fleet.sagas.listed("work_on_key")]


def test_a_card_waits_for_the_desk_and_is_encoded_active_and_revoked(tmp_path):
    async def scenario(house):
        desk = await opened(house, waits=48 * HOURS)
        (job,) = desk.jobs()
        entry = await only_key(house)
        assert entry["credential"]["state"]["type"] == "pending"
        assert (entry["saga"]["parked"], await executions(house)) == (True, ["SUCCEEDED"])

        await asyncio.sleep(20 * HOURS)
        assert await executions(house) == ["SUCCEEDED"]
        assert desk.encode(job)
        status, answer = await desk.tell(job)
        assert (status, answer["keys"]) == (200, [entry["credential"]["core"]["id"]])
        await asyncio.sleep(5)
        entry = await only_key(house)
        assert entry["credential"]["state"]["type"] == "active"
        assert len(entry["credential"]["core"]["plan"]["made"]) == 1
        assert (desk.opens("101"), desk.opens("front")) != ([], [])
        assert await house.told() == ["requested", "pending", "issued"]

        await house.publish("evt_2", "cancelled", version=2, time="2026-03-02T12:00:00Z")
        await asyncio.sleep(200)
        assert (desk.opens("101"), desk.opens("front")) == ([], [])
        assert (await house.told())[-2:] == ["revoked", "revoke_settled"]

    play(tmp_path, scenario)


def test_an_end_that_is_told_twice_late_or_of_an_unknown_job_changes_nothing(tmp_path):
    async def scenario(house):
        desk = await opened(house, waits=48 * HOURS)
        (job,) = desk.jobs()
        assert (await desk.tell("nobody-s-job"))[1] == {"keys": []}
        desk.encode(job)
        await asyncio.gather(desk.tell(job), desk.tell(job), desk.tell(job))
        await asyncio.sleep(5)
        failed = {"error": {"code": CardEncoderOffline.code, "deviceId": ENCODER}}
        assert (await desk.tell(job, **failed))[1] == {"keys": []}
        await asyncio.sleep(60)
        assert await house.told() == ["requested", "pending", "issued"]
        assert len(desk.opens("101")) == 1

    play(tmp_path, scenario)


def test_an_end_that_nobody_tells_is_asked_for_when_its_time_is_over(tmp_path):
    async def scenario(house):
        desk = await opened(house, waits=90)
        (job,) = desk.jobs()
        desk.encode(job)
        await asyncio.sleep(200)
        assert (await only_key(house))["credential"]["state"]["type"] == "active"

    play(tmp_path, scenario)


def test_a_desk_that_stays_silent_is_an_encoder_offline_and_the_plan_s_next_way_is_taken(tmp_path):
    async def scenario(house):
        desk = await opened(house, waits=30, kinds="card_encoding,pin")
        await asyncio.sleep(180)
        credential = (await only_key(house))["credential"]
        made = credential["core"]["plan"]["made"]
        assert [each["problem"] for each in made] == [CardEncoderOffline.code, None]
        assert [each["choice"]["kind"] for each in made] == ["rfid_card", "pin_code"]
        assert credential["state"]["key"]["kind"] == "pin_code"
        assert desk.jobs() == []

    play(tmp_path, scenario)


def test_a_card_that_was_spoilt_is_asked_for_again(tmp_path):
    async def scenario(house):
        desk = await opened(house, waits=48 * HOURS)
        (job,) = desk.jobs()
        desk.port._desk.spoil(job)
        await desk.tell(job, error={"code": "MELMASTOON.LOCK.KEY_ISSUE_FAILED", "vendor": "mock"})
        await asyncio.sleep(30)
        assert desk.encode(job)
        await desk.tell(job)
        await asyncio.sleep(5)
        credential = (await only_key(house))["credential"]
        assert credential["state"]["type"] == "active"
        assert len(credential["core"]["plan"]["made"]) == 2

    play(tmp_path, scenario)


def test_a_card_nobody_came_for_is_called_off_with_its_stay(tmp_path):
    async def scenario(house):
        desk = await opened(house, waits=48 * HOURS)
        (job,) = desk.jobs()
        await house.publish("evt_2", "cancelled", version=2, time="2026-03-02T12:00:00Z")
        await asyncio.sleep(60)
        assert (desk.jobs(), desk.encode(job)) == ([], False)
        assert (await only_key(house))["credential"]["state"]["type"] == "failed"

    play(tmp_path, scenario)


@pytest.mark.parametrize("job", ["", "two words", "x" * 121])
def test_a_job_s_name_is_one_that_anybody_may_read(job):
    with pytest.raises(ValueError, match="job"):
        InHand(job, None)
