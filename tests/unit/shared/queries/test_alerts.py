"""What somebody was woken for is kept, bounded, for each tenant, and shown (trial 2.3, 2.6, 2.13)."""

import asyncio
from datetime import timedelta

import pytest

from shared.ledger.admission import NOBODY
from shared.ledger.kept_alerts import LAST, MOST_KEPT, KeptAlert, keep_alerts, kept_alerts
from shared.ports.documents import StaleVersion
from shared.queries import alert_names, alerts
from shared.runtime import raised_alerts
from tests.support.ledger_books import NOW, Books
from tests.support.sample_hotel import SILK, play

LATER = "2026-03-01T08:30:00Z"


@pytest.fixture
async def books(tmp_path):
    async with Books(tmp_path) as books:
        yield books


async def ask(house, query=""):
    status, answer = await house.on.send(f"_cloud/alerts{query}", caller="operator", method="GET")
    assert status == 200, answer
    return answer["alerts"]


async def attention(house):
    _, answer = await house.on.send("_cloud/attention", caller="operator", method="GET")
    return answer


def alert(number, **more):
    line = {"message": f"alert {number}", "runbook": "lock/key-issue", **more}
    return KeptAlert.of(line, NOW + timedelta(seconds=number))


def test_alert_of_a_key_that_failed_is_shown_with_its_stay_cause_and_page(tmp_path):
    async def scenario(house):
        assert await ask(house) == []
        await house.fault("errcode:-3009", "keyboardPwd/add")
        await house.publish("evt_1")
        await asyncio.sleep(60)
        (found,) = await ask(house)
        facts = await attention(house)
        assert (facts["alerts_within_a_day"], facts["last_alert"]) == (1, found)
        await house.mend()  # and another key is made in its place
        await asyncio.sleep(3600)
        assert (await attention(house))["alerts_within_a_day"] == 1
        async with house.on.unscheduled():
            await asyncio.sleep(24 * 3600)
        assert (await attention(house))["alerts_within_a_day"] == 0
        return found

    found = play(tmp_path, scenario)
    assert (found["message"], found["page"]) == ("MELMASTOON.LOCK.KEY_ISSUE_FAILED", "lock/key-issue")
    assert (found["reservation"], found["tenant"], found["zone"]) == ("rsv_1", "tnt_silk", "Asia/Kabul")
    assert found["because"].startswith("key_issue_failed")
    names = {"ppt_kabul": "Silk Road Kabul", "rmu_101": "101"}
    assert (found["property"], found["rooms"], found["names"]) == ("ppt_kabul", ["rmu_101"], names)


def test_trial_2_6_ending_that_changed_nothing_is_an_alert_that_is_kept(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", version=1)
        await asyncio.sleep(5)
        await house.publish("evt_3", version=3)
        await asyncio.sleep(5)
        await house.publish("evt_2", "cancelled", version=2, time=LATER)
        await asyncio.sleep(30)
        return await ask(house, "?tenant=tnt_silk"), await house.keys_at("101")

    (found,), doors = play(tmp_path, scenario)
    assert "an ending changed nothing" in found["message"]
    assert (found["event"], found["because"]) == ("evt_2", "older than version 3")
    assert len(doors) == 1


def test_confirmation_that_makes_no_key_for_a_stay_without_any_is_an_alert(tmp_path):
    async def scenario(house):
        await house.publish("evt_2", "cancelled")
        await house.settled()
        await house.publish("evt_1", time="2026-03-01T09:01:00Z")
        await asyncio.sleep(5)
        return await ask(house)

    (found,) = play(tmp_path, scenario)
    assert "a confirmation made no key" in found["message"]
    assert "only a higher version reopens it" in found["because"]


def test_trial_m6_event_id_that_comes_again_with_other_content_is_an_alert_and_not_heeded(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(5)
        for _ in range(2):
            await house.publish("evt_1", rooms=["rmu_102"])
            await asyncio.sleep(5)
        (stay,) = (await house.documents("reservations")).values()
        assert [heard["event_id"] for heard in stay["heard"]] == ["evt_1"]
        assert len(await house.keys_at("102")) == 0
        _, told = await house.on.send("_cloud/timeline/rsv_1", caller="operator", method="GET")
        return await ask(house), [line["what"] for line in told["timeline"]]

    (found,), lines = play(tmp_path, scenario)
    assert "bears the id of another" in found["message"]
    assert any("evt_1" in line and "other content" in line for line in lines)


async def test_only_the_last_alerts_are_kept(books):
    for number in range(MOST_KEPT + 5):
        assert await keep_alerts(books.documents, [alert(number)])
    kept = (await kept_alerts(books.documents)).alerts
    assert [each.message for each in kept] == [f"alert {number}" for number in range(5, MOST_KEPT + 5)]


async def test_alerts_that_are_raised_at_once_are_all_kept(books):
    await asyncio.gather(*(keep_alerts(books.documents, [alert(number)]) for number in range(6)))
    kept = (await kept_alerts(books.documents)).alerts
    assert {each.message for each in kept} == {f"alert {number}" for number in range(6)}


class Contested:
    """A store in which somebody else was always first."""

    async def get(self, ref):
        return None

    async def commit(self, writes):
        raise StaleVersion(LAST)


async def test_alert_that_always_loses_the_race_is_given_up_and_said_to_be():
    assert await keep_alerts(Contested(), [alert(1)]) is False


def test_alert_keeps_named_fields_only_and_none_of_any_length():
    kept = alert(1, password="hunter2", remedy="x" * 5000, deviceId="lck_1")
    assert "hunter2" not in str(kept)
    assert len(kept.remedy) <= 300
    assert kept.device == "lck_1"


def test_alert_of_an_arrival_says_each_risk_at_its_door():
    kept = alert(1, risks=["lck_1: offline", "key_1: yet to be made"])
    assert kept.because == "lck_1: offline; key_1: yet to be made"


def test_alert_of_a_lock_without_places_or_of_a_desk_says_which():
    assert alert(1, device="dsk_1").device == "dsk_1"


def test_alert_that_cannot_be_kept_costs_no_answer_and_is_said_in_the_log(tmp_path, monkeypatch):
    async def away(store, raised):
        if store.tenant == NOBODY:
            raise ConnectionError
        return await keep_alerts(store, raised)

    async def scenario(house):
        house.fleet.platform.log.alert("of no tenant", runbook="lock/files-gone")
        house.fleet.platform.log.alert("of a tenant", runbook="lock/files-gone", tenantId=str(SILK))
        await house.publish("evt_1")
        await asyncio.sleep(10)
        assert len(await house.active_keys()) == 1
        assert any("could not be kept" in line["message"] for line in house.logged("ERROR"))
        return await ask(house)

    monkeypatch.setattr(raised_alerts, "keep_alerts", away)
    assert [each["message"] for each in play(tmp_path, scenario)] == ["of a tenant"]


def test_alert_of_no_tenant_is_shown_to_the_operator_and_not_to_a_tenant(tmp_path):
    async def scenario(house):
        house.fleet.platform.log.alert("of no tenant", runbook="lock/files-gone", what="fleet.db")
        await house.publish("evt_1")
        await asyncio.sleep(5)
        return await ask(house), await ask(house, "?tenant=tnt_silk")

    (found,), others = play(tmp_path, scenario)
    assert (found["message"], found["because"], found["tenant"]) == ("of no tenant", "fleet.db", None)
    assert others == []


def test_stay_shows_what_was_made_of_each_event_and_why(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", version=1)
        await asyncio.sleep(5)
        await house.publish("evt_1", version=1, rooms=["rmu_102"])
        await house.publish("evt_3", version=3, rooms=["rmu_999"])
        await asyncio.sleep(5)
        await house.publish("evt_2", "cancelled", version=2)
        await asyncio.sleep(60)
        _, stay = await house.on.send("_cloud/stays/rsv_1", caller="operator", method="GET")
        unknown, _ = await house.on.send("_cloud/stays/rsv_9", caller="operator", method="GET")
        return stay, unknown

    stay, unknown = play(tmp_path, scenario)
    assert (stay["status"], stay["refused"], stay["rooms"], stay["zone"]) == (
        "confirmed",
        True,
        ["rmu_999"],
        "Asia/Kabul",
    )
    first, refused, ignored = stay["heard"]
    assert first["reused_at"] is not None
    assert refused["because"].startswith("data.rooms[0]: no lock is mapped to this room; 1 of its keys was")
    assert (ignored["outcome"], ignored["because"]) == ("ignored", "older than version 3")
    assert stay["keys"] == []
    assert unknown == 404


async def test_what_many_alerts_name_is_looked_up_once(books, monkeypatch):
    read = []

    async def name(id_, _):
        read.append(id_)
        return "Room 101"

    monkeypatch.setattr(alert_names, "_name", name)
    await keep_alerts(books.documents, [alert(number, device="lck_101") for number in range(5)])
    reader = alerts._Reader()
    kept = (await kept_alerts(books.documents)).alerts
    shown = [await reader.shown(each, books.documents) for each in kept]
    assert [each["names"] for each in shown] == [{"lck_101": "Room 101"}] * 5
    assert read == ["lck_101"]
