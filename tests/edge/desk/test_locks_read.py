"""What a desk reads of locks by radio, told by the cloud: each crossing once, whatever breaks on the way."""

import json
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import orjson
import pytest
from nacl.signing import SigningKey

from edge_agent.cloud.line import CloudSilent
from edge_agent.hardware.radio import LockReading
from edge_agent.issuing import facts
from edge_agent.ledger.chain import LocalFact
from edge_agent.sync.lock_news import LockNews
from edge_agent.sync.outbox import PATH
from shared.domain.kinds import VendorCode
from shared.events.canonical import canonical_json
from shared.offline.radio_locks import RadioLock
from shared.offline.rows import READ
from shared.usecases.desk import push
from tests.edge.desk.paired_desk import play_desk
from tests.edge.desk.test_by_radio import GATEWAY, booked, lived, near
from tests.support.sample_hotel import DOORS, device_at

LOOK = {
    "tenant": "tnt_silk",
    "property": "ppt_kabul",
    "vendor": "ttlock",
    "adapter": "adapter-ttlock",
    "work": "look",
}
NOON_AT = datetime(2026, 3, 1, 8, tzinfo=UTC)
DOOR = RadioLock(door="rmu_101", vendor=VendorCode("ttlock"), vendor_device=DOORS["101"], sealed="")


async def looked(house):
    """Have the locks looked at in their vendor's list."""
    await house.fleet.sagas.start("hear_doors", LOOK)
    await house.settled()


async def told(house):
    """Return what was told of room 101's lock since it joined, and how bad it is."""
    rows = (await house.documents("outbox")).values()
    ours = [row for row in rows if ".device." in row["subject"]]
    said = [(row["subject"].split(".")[-2], orjson.loads(row["body"])["data"]) for row in ours]
    mine = [(word, data) for word, data in said if data["deviceId"] == device_at("101")]
    return [(word, data.get("severity")) for word, data in mine if word not in ("registered", "offline")]


async def rows(house):
    """Return what became of the desk's rows about locks."""
    kept = (await house.documents("desk_rows")).values()
    return [each["outcome"] for each in kept if each["subject"] == READ]


async def visited(house, desk, event, **lives):
    """Have a stay's PIN put by radio, and taken away again."""
    await booked(house, f"{event}_1", f"rsv_{event[4:]}")
    await lived(desk, 120, **lives)
    await house.publish(f"{event}_2", "checked_out", reservationId=f"rsv_{event[4:]}", version=2)
    await lived(desk, 120)


def test_a_battery_and_a_clock_that_a_desk_finds_bad_are_told_once_each(tmp_path):
    async def scenario(house, desk):
        lock = await near(house, desk)
        await looked(house)
        await house.steer("PATCH", GATEWAY, online=False)
        await lived(desk, 10)
        lock.lock.battery, lock.lock.skew = 19, timedelta(minutes=7)
        desk.wire.lose.add(PATH)
        await visited(house, desk, "evt_1")
        low = [("battery_low", None), ("health_alert", "warning")]
        assert await told(house) == [*low, ("health_alert", "warning")]
        await looked(house)  # the vendor says what it heard before, and is believed no more than the lock
        await visited(house, desk, "evt_2")
        assert await told(house) == [*low, ("health_alert", "warning")]

        lock.lock.battery, lock.lock.skew = 9, timedelta(minutes=-11)
        await visited(house, desk, "evt_3")
        assert (await told(house))[3:] == [("health_alert", "critical")] * 2
        (paged,) = [each for each in house.logged("ALERT") if "clock" in each["message"]]
        assert (paged["deviceId"], paged["because"][:3]) == (device_at("101"), "-66")
        kept = (await house.documents("device_health"))[device_at("101")]["condition"]
        assert (kept["battery"], kept["skew_ms"], kept["skew_level"]) == (9, 0, 0)
        assert {*await rows(house)} == {"kept"}
        desk.agent.parts.ledger.ledger.verify()

    play_desk(tmp_path, scenario)


def test_what_a_desk_alone_reads_is_told_when_the_line_is_back_and_not_against_newer_news(tmp_path):
    async def scenario(house, desk):
        lock = await near(house, desk)
        await looked(house)
        agent, now = desk.agent, desk.clock.now
        await agent.lock_news.heard(DOOR, LockReading(now(), timedelta(0), clock_set=False, battery=15))
        desk.wire.down = True
        await lived(desk, 600)
        assert await told(house) == []
        await house.steer("PATCH", f"locks/{DOORS['101']}", battery=80)
        # A lock tells of its battery with its records.
        await house.steer("POST", f"doors/{DOORS['101']}/try", pin="73519264")
        await looked(house)
        desk.wire.down = False
        await lived(desk, 120)
        assert (await told(house), await rows(house)) == ([], ["kept"])
        kept = (await house.documents("device_health"))[device_at("101")]["condition"]
        assert (kept["battery"], kept["battery_level"]) == (80, 0)
        assert lock.lock.asked == []

    play_desk(tmp_path, scenario)


def test_a_reading_whose_row_was_done_and_not_counted_is_told_once(tmp_path, monkeypatch):
    place_of, deaths = push._place_of, [1]

    def dies_once(row, desk):
        if deaths:
            deaths.pop()
            raise RuntimeError("the function died")
        return place_of(row, desk)

    monkeypatch.setattr(push, "_place_of", dies_once)

    async def scenario(house, desk):
        await near(house, desk)
        await looked(house)
        reading = LockReading(desk.clock.now(), timedelta(minutes=12), clock_set=True, battery=19)
        await desk.agent.lock_news.heard(DOOR, reading)
        with pytest.raises(CloudSilent):
            await desk.agent.outbox.push()
        once = await told(house)
        assert (len(once), await rows(house)) == (3, [])
        await desk.agent.outbox.push()
        assert (await told(house), await rows(house)) == (once, ["kept"])

    play_desk(tmp_path, scenario)


@pytest.mark.parametrize(
    "odd",
    [
        {"batteryPct": 101},
        {"batteryPct": True},
        {"batteryPct": "9"},
        {"clockSkewMs": 1.5},
        {"clockSkewMs": 10**14},
        {"at": "noon"},
        {"vendor": "No Vendor"},
    ],
)
def test_a_reading_that_makes_no_sense_is_refused_by_name_and_stops_no_row_after_it(tmp_path, odd):
    async def scenario(house, desk):
        await near(house, desk)
        await looked(house)
        agent, at = desk.agent, desk.clock.now()
        good = facts.lock_read(DOOR, LockReading(at, timedelta(0), clock_set=False, battery=9), agent.device)
        unsigned = {name: value for name, value in json.loads(good.body).items() if name != "deviceSig"}
        signed = facts._signed({**unsigned, **odd}, agent.device)
        bad = LocalFact(READ, "", at, canonical_json(signed))
        for fact in (bad, good):
            await agent.parts.ledger.run(lambda it, fact=fact: it.tell(fact))
        assert await agent.outbox.push() == 2
        assert await rows(house) == ["refused: malformed", "kept"]
        (alert,) = house.logged("ALERT")
        assert alert["reason"] == "malformed"

    play_desk(tmp_path, scenario)


def test_a_desk_whose_clock_is_ahead_is_believed_of_batteries_and_not_of_clocks(tmp_path):
    async def scenario(house, desk):
        await near(house, desk)
        await looked(house)
        ahead = desk.clock.now() + timedelta(hours=2)
        reading = LockReading(ahead, timedelta(hours=-2), clock_set=True, battery=19)
        await desk.agent.lock_news.heard(DOOR, reading)
        await desk.agent.outbox.push()
        assert [word for word, _ in await told(house)] == ["battery_low", "health_alert"]
        assert house.logged("ALERT") == []

    play_desk(tmp_path, scenario)


def test_a_lock_of_no_door_of_this_house_is_noted_and_nothing_more(tmp_path):
    async def scenario(house, desk):
        await near(house, desk)
        reading = LockReading(desk.clock.now(), timedelta(0), clock_set=False, battery=9)
        await desk.agent.lock_news.heard(DOOR, reading)  # it was never looked at yet
        other = RadioLock(door="rmu_9", vendor=VendorCode("ttlock"), vendor_device="999", sealed="")
        await desk.agent.lock_news.heard(other, reading)
        await desk.agent.outbox.push()
        assert (await told(house), await rows(house)) == ([], ["unknown_lock"] * 2)

    play_desk(tmp_path, scenario)


class Rows(list):
    """A ledger of rows alone."""

    async def run(self, work):
        return work(SimpleNamespace(tell=self.append))


async def test_the_same_reading_is_written_once_in_six_hours_and_another_at_once():
    written = Rows()
    news = LockNews(written, SigningKey(bytes(32)))
    minute = timedelta(minutes=1)
    seconds = timedelta(seconds=1)
    for after, skew, was_set, battery, is_news in (
        (0 * minute, 5, False, 87, True),
        (1 * minute, 20, False, 87, False),
        (2 * minute, 5, False, None, False),
        (3 * minute, 5, False, 86, True),
        (4 * minute, 400, True, 86, True),
        (5 * minute, 2, False, 86, False),
        (6 * minute, 90, False, 86, True),
        (366 * minute, 90, False, 86, True),
        (300 * minute, 90, False, 86, True),
    ):
        before = len(written)
        await news.heard(
            DOOR, LockReading(NOON_AT + after, skew * seconds, clock_set=was_set, battery=battery)
        )
        assert (len(written) > before) is is_news, (after, skew)
