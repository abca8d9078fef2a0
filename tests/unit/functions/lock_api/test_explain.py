"""Why a door refused: the causes that a desk meets, each staged at a whole fleet and told for what it is."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from shared.domain.device_health import Condition, Level
from shared.ledger.device_record import DeviceRecord
from shared.queries.door_refusal import Refusal, causes
from shared.queries.refusal_texts import LOCALES
from shared.usecases.reconcile.ask_lock import PATIENCE_SECONDS
from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import DOORS, KABUL, SILK, device_at, play

SOON = {"validFrom": "2026-03-01T09:10:00Z", "validUntil": "2026-03-01T12:00:00Z"}


async def told(desk, door, reservation, live=False):
    """Return the causes by which a door refused a guest, the first on top."""
    path = f"doors/{device_at(door)}/explain?reservation={reservation}{'&live=true' * live}"
    answer = await desk.get(path)
    assert answer["askedNow"] is live
    assert all(set(each["guest"]) == set(LOCALES) and each["remedy"] for each in answer["causes"])
    return [each["cause"] for each in answer["causes"]]


def lose(house, door):
    """Have the PINs deleted at a lock behind our back, as somebody does in the vendor's app."""
    cloud, lock = house.sim.cloud, int(DOORS[door])
    for row in list(cloud.passcodes.of(lock)):
        cloud.doors[lock].forget_code(row.code)
        cloud.passcodes.drop(row.passcode_id)


def test_what_was_told_of_a_stay_explains_a_door(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        assert await told(desk, "101", "rsv_none") == ["unknown_stay"]
        nowhere = "no stay and no room '999': name a stay, such as rsv_1, or a room of keyfleet devices"
        for asked, words in (("203", "nobody has a key to '203'"), ("999", nowhere)):
            status, said = await house.on.send(f"_cloud/why/{asked}", method="GET", caller="operator")
            assert (status, said["error"]["detail"].startswith(words)) == (404, True)
        await house.publish("evt_1", reservationId="rsv_bad", validUntil="never")
        await house.settled()
        assert await told(desk, "101", "rsv_bad") == ["set_aside"]
        await house.publish("evt_2", "checked_out", reservationId="rsv_3", time="2026-03-01T08:59:00Z")
        await house.settled()
        await house.publish("evt_3", reservationId="rsv_3", time="2026-03-01T08:58:00Z")
        await house.settled()
        assert await told(Desk(house, at=None), "101", "rsv_3") == ["stay_over"]
        await desk.do("stays", stay(reservation="rsv_4"))
        later = {"validUntil": "2026-03-07T07:30:00Z", "time": "2026-02-01T09:00:00Z"}
        await house.publish("evt_4", "dates_changed", reservationId="rsv_4", **later)
        await house.settled()
        assert "change_ignored" in await told(desk, "101", "rsv_4")

    play(tmp_path, scenario)


def test_time_place_holds_and_trouble_at_the_vendor_explain_a_door(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        await desk.do("stays", stay(reservation="rsv_1", **SOON))
        await asyncio.sleep(10)
        assert await told(desk, "101", "rsv_1") == ["too_early"]
        assert await told(desk, "102", "rsv_1") == ["other_door", "too_early"]
        await asyncio.sleep(700)
        assert await told(desk, "101", "rsv_1") == ["nothing_found"]
        await desk.do("stays/rsv_1/hold", {"reason": "fraud_review"})
        assert (await told(desk, "101", "rsv_1"))[0] == "held"
        await desk.do("stays/rsv_1/release", {"reason": "fraud_review"})
        async with house.on.unscheduled():
            await asyncio.sleep(3 * 3600 - 60)
        await asyncio.sleep(60)
        assert await told(desk, "101", "rsv_1") == ["too_late"]
        await house.steer("PATCH", "gateways/501", online=False)
        later = {"validFrom": "2026-03-01T12:00:00Z"}
        await desk.do("stays", stay(reservation="rsv_2", rooms=["rmu_102"], **later))
        await asyncio.sleep(10)
        assert await told(desk, "102", "rsv_2") == ["key_waiting"]
        elsewhere = Desk(house, at=("ppt_herat",))
        path = f"doors/{device_at('101')}/explain?reservation=rsv_1"
        assert (await elsewhere.ask("GET", path)).status == 404

    play(tmp_path, scenario)


def test_the_lock_is_asked_and_what_it_lost_or_how_it_is_explains_a_door(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        await desk.do("stays", stay(reservation="rsv_1", **SOON))
        await desk.do("stays", stay(reservation="rsv_2", rooms=["rmu_102"], **SOON))
        await asyncio.sleep(700)
        assert await told(desk, "101", "rsv_1", live=True) == ["nothing_found"]
        lose(house, "101")
        assert await told(desk, "101", "rsv_1", live=True) == ["key_gone"]
        await asyncio.sleep(60)
        assert len(await house.keys_at("101")) == 1
        lose(house, "front")
        assert await told(desk, "front", "rsv_1", live=True) == ["lock_emptied"]
        await house.steer("PATCH", f"locks/{DOORS['102']}", skew_seconds=-4 * 3600)
        assert await told(desk, "102", "rsv_2", live=True) == ["lock_clock"]
        _, said = await house.on.send("_cloud/why/102", method="GET", caller="operator")
        (refusal,) = said["refusals"]
        assert (refusal["reservation"], refusal["causes"][0]["cause"]) == ("rsv_2", "lock_clock")
        _, said = await house.on.send("_cloud/why/rsv_1", method="GET", caller="operator")
        assert {each["label"] for each in said["refusals"]} == {"Room 101", "Front door"}

    play(tmp_path, scenario)


def test_an_operator_is_told_what_a_lock_says_now_and_without_asking_what_is_kept(tmp_path):
    async def scenario(house):
        await Desk(house).do("stays", stay(reservation="rsv_1", **SOON))
        await asyncio.sleep(700)
        lose(house, "101")
        for asked, cause, fresh in (("", "nothing_found", None), ("?live=true", "key_gone", True)):
            _, said = await house.on.send(f"_cloud/why/101{asked}", method="GET", caller="operator")
            (refusal,) = said["refusals"]
            assert (refusal["causes"][0]["cause"], refusal["asked_now"]) == (cause, fresh)

    play(tmp_path, scenario)


def test_nobody_waits_longer_for_locks_that_do_not_answer_than_for_one(tmp_path):
    async def scenario(house):
        await Desk(house).do("stays", stay(reservation="rsv_1", **SOON))
        await asyncio.sleep(700)
        await house.fault("drop", "lock/listKeyboardPwd", times=1000)
        before = house.fleet.platform.clock.now()
        _, said = await house.on.send("_cloud/why/rsv_1?live=true", method="GET", caller="operator")
        assert [each["asked_now"] for each in said["refusals"]] == [False, False]
        assert house.fleet.platform.clock.now() - before < timedelta(seconds=PATIENCE_SECONDS + 3)

    play(tmp_path, scenario)


def test_a_frozen_lock_that_could_not_hear_of_a_change_explains_its_door(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        await desk.do("stays", stay(reservation="rsv_3", rooms=["rmu_203"], **SOON))
        await asyncio.sleep(700)
        await house.steer("PATCH", f"locks/{DOORS['203']}", frozen=True)
        await desk.do("stays/rsv_3", {"validUntil": "2026-03-01T13:00:00Z"}, method="PATCH")
        await asyncio.sleep(10)
        path = f"doors/{device_at('203')}/explain?reservation=rsv_3"
        (cause,) = (await desk.get(path))["causes"]
        assert (cause["cause"], cause["because"].endswith("lock frozen")) == ("change_not_at_lock", True)

    play(tmp_path, scenario)


def test_a_battery_and_a_silence_that_were_told_of_a_lock_explain_its_door(tmp_path):
    async def scenario(house):

        now, on = house.fleet.platform.clock.now(), house.fleet.platform
        setup = await on.hotels.premises(SILK, KABUL)
        door = setup.devices[-1]
        record = DeviceRecord(
            id=door.id,
            tenant=SILK,
            property_id=KABUL,
            vendor=door.vendor,
            vendor_device=door.vendor_device,
            registered_at=now,
            condition=Condition(battery=0, battery_level=Level.CRITICAL, silent_since=now),
        )
        case = Refusal(now=now, door=door, setup=setup, stay=None, letters=("late",), health=record)
        assert [each["cause"] for each in causes(case)] == ["set_aside", "no_battery", "lock_silent"]
        swapped = replace(case, health=replace(record, condition=Condition(), swapped_at=now))
        assert [each["cause"] for each in causes(swapped)] == ["set_aside", "lock_swapped"]

    play(tmp_path, scenario)


def test_a_lock_that_is_frozen_or_flat_is_asked_itself_and_said_to_be(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        await desk.do("stays", stay(reservation="rsv_1", **SOON))
        await asyncio.sleep(700)
        lock = f"locks/{DOORS['101']}"
        await house.steer("PATCH", lock, frozen=True)
        assert await told(desk, "101", "rsv_1", live=True) == ["lock_frozen"]
        await house.steer("PATCH", lock, frozen=False, battery=0)
        assert await told(desk, "101", "rsv_1", live=True) == ["lock_silent"]
        assert await told(desk, "101", "rsv_1") == ["lock_silent"]
        await house.steer("PATCH", lock, battery=90)
        assert await told(desk, "101", "rsv_1", live=True) == ["nothing_found"]

    play(tmp_path, scenario)
