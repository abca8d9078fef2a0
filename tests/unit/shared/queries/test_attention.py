"""What somebody must see to: keys that failed and are wanted, and locks that keep what should be gone."""

import asyncio
from datetime import timedelta

import pytest

from shared.domain.window import StayWindow
from shared.ledger.grant_record import PLACE, REST, Wish, grant_from
from shared.ledger.vendor_calls import CallMade
from shared.ports.documents import Document, Ref
from shared.queries import hotels
from shared.queries.attention import is_wanted
from tests.support.sample_hotel import play

SHORT = {"validFrom": "2026-03-01T10:00:00Z", "validUntil": "2026-03-01T15:00:00Z"}
OVERNIGHT = {"validFrom": "2026-03-01T10:00:00Z", "validUntil": "2026-03-02T11:00:00Z"}
LOCK_FULL, LOCK_FROZEN = "errcode:-3009", "errcode:-3036"
WELL = {
    "failed_keys": 0,
    "failed": [],
    "waiting_keys": 0,
    "residual_locks": 0,
    "keyless_stays": [],
    "keys_at_the_door": [],
    "strange_keys": 0,
    "lost_keys": [],
}


async def _ask(house):
    status, answer = await house.on.send("_cloud/attention", caller="operator", method="GET")
    assert status == 200, answer
    return {name: answer[name] for name in WELL}


async def _failed(house, **stay):
    await house.fault(LOCK_FULL, "keyboardPwd/add")
    await house.publish("evt_1", **stay)
    await asyncio.sleep(30)
    return await _ask(house)


def test_where_every_guest_has_a_key_and_every_lock_let_go_nobody_is_needed(tmp_path):
    async def scenario(house):
        nobody_came = await _ask(house)
        await house.publish("evt_1")
        await asyncio.sleep(30)
        staying = await _ask(house)
        await house.publish("evt_2", "checked_out", time="2026-03-05T07:00:00Z")
        await asyncio.sleep(600)
        return nobody_came, staying, await _ask(house)

    assert play(tmp_path, scenario) == (WELL, WELL, WELL)


def test_keys_that_are_yet_to_be_made_are_counted_until_they_are(tmp_path):
    async def scenario(house):
        await house.fault("http_500", "keyboardPwd/add")
        await house.publish("evt_1")
        await asyncio.sleep(5)
        waiting = await _ask(house)
        await house.mend()
        await asyncio.sleep(3600)
        return waiting, await _ask(house)

    assert play(tmp_path, scenario) == ({**WELL, "waiting_keys": 1}, WELL)


def test_a_key_that_failed_is_shown_as_it_was_tried_last(tmp_path):
    async def scenario(house):
        await _failed(house)
        _, answer = await house.on.send("_cloud/credentials", caller="operator", method="GET")
        return answer["credentials"]

    (key,) = play(tmp_path, scenario)
    assert (key["state"], key["kind"], key["vendor"]) == ("failed", "pin_code", "ttlock")


def test_a_key_that_failed_is_counted_until_the_stay_no_longer_wants_it(tmp_path):
    async def scenario(house):
        failed = await _failed(house)
        await house.publish("evt_2", "cancelled", time="2026-03-01T11:00:00Z")
        await asyncio.sleep(30)
        return failed["failed_keys"], (await _ask(house))["failed_keys"]

    assert play(tmp_path, scenario) == (1, 0)


@pytest.mark.parametrize(
    ("stay", "hours"),
    [(SHORT, 6.5), pytest.param(OVERNIGHT, 27, marks=pytest.mark.soak)],
    ids=["hours", "overnight"],
)
def test_a_key_that_failed_is_counted_no_longer_than_the_stay_would_have_lasted(tmp_path, stay, hours):
    async def scenario(house):
        failed = await _failed(house, **stay)
        async with house.on.unscheduled():
            await asyncio.sleep(hours * 3600)
        await asyncio.sleep(60)
        return failed["failed_keys"], (await _ask(house))["failed_keys"]

    assert play(tmp_path, scenario) == (1, 0)


def test_a_key_that_failed_is_not_counted_once_it_was_made_anew(tmp_path):
    async def scenario(house):
        failed = await _failed(house)
        await house.mend()
        await house.publish("evt_2", time="2026-03-01T11:00:00Z")
        await asyncio.sleep(30)
        return failed["failed_keys"], (await _ask(house))["failed_keys"]

    assert play(tmp_path, scenario) == (1, 0)


@pytest.mark.parametrize("page", [1, 1000])
def test_locks_that_would_not_let_go_are_counted_each_once_whatever_fits_a_page(tmp_path, monkeypatch, page):
    monkeypatch.setattr(hotels, "PAGE", page)

    async def scenario(house):
        for stay in (1, 2):
            booked = {"reservationId": f"rsv_{stay}", "validUntil": "2026-03-04T07:30:00Z"}
            await house.publish(f"evt_{stay}", **booked, rooms=[f"rmu_10{stay}"])
        await asyncio.sleep(30)
        await house.fault(LOCK_FROZEN, "keyboardPwd/delete")
        for stay in (1, 2):
            gone = {"reservationId": f"rsv_{stay}", "time": "2026-03-03T07:00:00Z"}
            await house.publish(f"evt_1{stay}", "checked_out", **gone)
        await asyncio.sleep(1800)
        return (await _ask(house))["residual_locks"]

    assert play(tmp_path, scenario) == 3


def test_a_stay_that_lost_its_key_is_named_until_it_has_one_again_or_ends(tmp_path):
    async def scenario(house):
        named = []
        house_full = {"version": 2, "rooms": ["rmu_999"], "time": "2026-03-01T11:00:00Z"}
        for event, subject, more in (
            ("evt_1", "confirmed", {"version": 1}),
            ("evt_2", "confirmed", house_full),
            ("evt_3", "confirmed", {"version": 3, "time": "2026-03-01T12:00:00Z"}),
            ("evt_4", "confirmed", {**house_full, "version": 4, "time": "2026-03-01T13:00:00Z"}),
            ("evt_5", "cancelled", {"version": 5, "time": "2026-03-01T14:00:00Z"}),
        ):
            await house.publish(event, subject, **more)
            await asyncio.sleep(30)
            named.append((await _ask(house))["keyless_stays"])
        return named

    assert play(tmp_path, scenario) == [[], ["rsv_1"], [], ["rsv_1"], []]


async def _listed(house):
    status, answer = await house.on.send("_cloud/residues", caller="operator", method="GET")
    assert status == 200, answer
    return answer["residues"]


def test_what_a_lock_refused_to_let_go_of_is_listed_while_a_saga_still_tries(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(30)
        await house.fault(LOCK_FROZEN, "keyboardPwd/delete")
        await house.publish("evt_2", "checked_out", time="2026-03-05T07:00:00Z")
        await asyncio.sleep(5)
        trying = (await _listed(house), await _ask(house))
        await house.mend()
        await asyncio.sleep(7200)
        return trying, (await _listed(house), await _ask(house))

    (listed, counted), (none, well) = play(tmp_path, scenario)
    assert {each["state"] for each in listed} == {"removing"}
    assert all(each["cause"] and each["since"] and each["asked_last"] and each["next_try"] for each in listed)
    assert {each["reservation"] for each in listed} == {"rsv_1"}
    assert counted["residual_locks"] == len(listed) > 0
    assert (none, well) == ([], WELL)


def test_a_key_that_is_not_made_is_named_once_its_guest_is_at_the_door(tmp_path):
    async def scenario(house):
        await house.fault("http_500", "keyboardPwd/add")
        await house.publish("evt_1")
        await asyncio.sleep(5)
        tomorrow = await _ask(house)
        await house.publish("evt_2", reservationId="rsv_2", validFrom="2026-03-01T10:30:00Z")
        await asyncio.sleep(5)
        return tomorrow, await _ask(house)

    tomorrow, today = play(tmp_path, scenario)
    assert (tomorrow["waiting_keys"], tomorrow["keys_at_the_door"]) == (1, [])
    assert (today["waiting_keys"], len(today["keys_at_the_door"])) == (2, 1)


async def _gateways(house, *, online):
    for gateway in (501, 502):
        await house.steer("PATCH", f"gateways/{gateway}", online=online)


CHANGES = {
    "a contraction": ("dates_changed", {"validUntil": "2026-03-03T07:30:00Z"}),
    "a room move": ("dates_changed", {"rooms": ["rmu_102"]}),
    "a fraud flag": ("fraud_flagged", {}),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_a_lock_did_not_hear_of_a_change_is_listed_until_it_has(tmp_path, what):
    subject, data = CHANGES[what]

    async def scenario(house):
        await house.publish("evt_1", version=1)
        await asyncio.sleep(30)
        await _gateways(house, online=False)
        await house.publish("evt_2", subject, version=2, time="2026-03-01T11:00:00Z", **data)
        await asyncio.sleep(30)
        deaf = (await _listed(house), await _ask(house))
        await _gateways(house, online=True)
        await asyncio.sleep(7200)
        return deaf, (await _listed(house), await _ask(house))

    (listed, counted), (none, well) = play(tmp_path, scenario)
    assert listed
    assert counted["residual_locks"] == len({each["device"] for each in listed})
    assert (none, well["residual_locks"]) == ([], 0)


def test_a_guest_whose_longer_stay_no_lock_has_heard_of_is_named(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", validFrom="2026-03-01T10:30:00Z")
        await asyncio.sleep(30)
        await _gateways(house, online=False)
        longer = {"validFrom": "2026-03-01T10:30:00Z", "validUntil": "2026-03-07T07:30:00Z"}
        await house.publish("evt_2", "dates_changed", time="2026-03-01T11:00:00Z", **longer)
        await asyncio.sleep(30)
        return await _listed(house), await _ask(house), [key["core"]["id"] for key in await house.keys()]

    listed, counted, keys = play(tmp_path, scenario)
    assert listed == []
    assert counted["keys_at_the_door"] == keys


def test_a_guest_whose_further_room_has_no_key_yet_is_named_until_it_has(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", version=1, validFrom="2026-03-01T10:30:00Z")
        await asyncio.sleep(30)
        await house.fault("http_500", "keyboardPwd/add")
        more = {"validFrom": "2026-03-01T10:30:00Z", "rooms": ["rmu_101", "rmu_102"]}
        await house.publish("evt_2", "dates_changed", version=2, time="2026-03-01T11:00:00Z", **more)
        await asyncio.sleep(30)
        lacking = await _ask(house)
        await house.mend()
        await asyncio.sleep(7200)
        return lacking, [key["core"]["id"] for key in await house.keys()], await _ask(house)

    lacking, keys, well = play(tmp_path, scenario)
    assert lacking == {**WELL, "keys_at_the_door": keys}
    assert well == WELL


def test_a_guest_of_a_shorter_stay_is_named_where_the_lock_may_have_let_their_key_rest(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", validFrom="2026-03-01T08:30:00Z")
        await asyncio.sleep(30)
        rows = (await house.documents("grants")).items()
        return [grant_from(Document(Ref("grants", id_), data, "1")) for id_, data in rows]

    stands = play(tmp_path, scenario)[0]
    now = stands.calls[0].at + timedelta(minutes=5)
    shorter = stands.aimed(StayWindow(stands.since, now + timedelta(hours=6), "UTC"), Wish.OPEN, now)
    asleep = shorter.removing(CallMade(now, REST)).answered("timeout", now)
    again = asleep.calling(now, now, PLACE).answered("pin_taken", now)
    assert [is_wanted(kept, now) for kept in (stands, shorter, asleep, again)] == [False, False, True, True]


def test_a_guest_of_a_shorter_stay_is_named_while_the_lock_may_have_no_key_and_not_while_it_is_deaf(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", validFrom="2026-03-01T08:30:00Z")
        await asyncio.sleep(30)
        rows = (await house.documents("grants")).items()
        return [grant_from(Document(Ref("grants", id_), data, "1")) for id_, data in rows]

    stands = play(tmp_path, scenario)[0]
    now = stands.calls[0].at + timedelta(minutes=5)
    shorter = stands.aimed(StayWindow(stands.since, now + timedelta(hours=6), "UTC"), Wish.OPEN, now)
    asked = shorter.calling(now, now, PLACE)
    named = {
        answer: is_wanted(asked.answered(answer, now), now) for answer in ("gateway_offline", "throttled")
    }
    assert named == {"gateway_offline": False, "throttled": False}
    assert is_wanted(asked, now)
    broken = asked.answered("unreadable_answer", now)
    assert is_wanted(broken.calling(now, now, PLACE).answered("gateway_offline", now), now)


def test_a_guest_whose_code_a_lock_deleted_for_a_shorter_stay_and_did_not_take_again_is_named(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", version=1, validFrom="2026-03-01T08:30:00Z")
        await asyncio.sleep(30)
        (before,) = [row["code"] for row in await house.keys_at("101")]
        await house.fault(LOCK_FROZEN, "keyboardPwd/add")
        shorter = {"validFrom": "2026-03-01T08:30:00Z", "validUntil": "2026-03-02T07:30:00Z"}
        await house.publish("evt_2", "dates_changed", version=2, time="2026-03-01T11:00:00Z", **shorter)
        await asyncio.sleep(600)
        gone = (await house.keys_at("101"), await _ask(house))
        await house.mend()
        await asyncio.sleep(7200)
        (row,) = await house.keys_at("101")
        return (
            gone,
            [key["core"]["id"] for key in await house.keys()],
            await _ask(house),
            row["code"] == before,
        )

    (at_door, lacking), keys, well, same = play(tmp_path, scenario)
    assert (at_door, lacking["keys_at_the_door"]) == ([], keys)
    assert (well, same) == (WELL, True)
