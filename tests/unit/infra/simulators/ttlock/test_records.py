"""Records and callbacks: what leaks, what waits in the lock, what is told late, and to whom."""

import orjson
import pytest

from tests.unit.infra.simulators.ttlock.integrator import DAY, OTHER_ROOM, ROOM

HOOK = "http://127.0.0.1:9/hook"


async def records(sim, **fields):
    """List a lock's records."""
    return (await sim.get("/v3/lockRecord/list", **{"lockId": ROOM, "pageNo": 1, "pageSize": 200, **fields}))[
        "list"
    ]


@pytest.fixture
async def hooked(sim):
    """A simulator that calls back."""
    await sim.control("PUT", "/callbacks", {"clientId": "sim-client", "url": HOOK})
    return sim


async def test_a_record_leaks_the_passcode_and_its_name(sim):
    await sim.add_pin("482913", keyboardPwdName="MM-1")
    await sim.control("PATCH", f"/locks/{ROOM}", {"skewSeconds": 60})
    await sim.try_door(pin="482913")
    [record] = await records(sim)
    assert record == {
        "recordId": record["recordId"],
        "lockId": ROOM,
        "recordTypeFromLock": 4,
        "recordType": 4,
        "success": 1,
        "username": "MM-1",
        "keyboardPwd": "482913",
        "lockDate": sim.ms + 60_000,
        "serverDate": sim.ms,
    }


async def test_the_two_enumerations_of_record_types_differ(sim):
    await sim.try_door(card="77")
    [record] = await records(sim)
    assert (record["recordType"], record["recordTypeFromLock"], record["success"]) == (7, 17, 0)


async def test_records_are_the_newest_first_and_can_be_narrowed(sim):
    for pin in ("1111", "2222"):
        await sim.try_door(pin=pin)
        sim.wait(hours=1)
    await sim.try_door(card="77")
    await sim.try_door(OTHER_ROOM, pin="3333")
    assert [row["keyboardPwd"] for row in await records(sim)] == ["77", "2222", "1111"]
    assert [row["keyboardPwd"] for row in await records(sim, recordType=4)] == ["2222", "1111"]
    assert [
        row["keyboardPwd"] for row in await records(sim, startDate=sim.ms - 3_600_000, endDate=sim.ms - 1)
    ] == ["2222"]


async def test_records_are_kept_for_half_a_year(sim):
    await sim.try_door(pin="1111")
    sim.wait(days=184)
    await sim.login()
    assert await records(sim) == []


async def test_records_stay_in_the_lock_until_a_gateway_carries_them(sim):
    await sim.control("PATCH", "/gateways/501", {"online": False})
    for _ in range(501):
        await sim.try_door(pin="1111")
    assert await records(sim) == []
    sim.wait(hours=2)
    await sim.control("PATCH", "/gateways/501", {"online": True})
    rows = await records(sim, pageNo=3)
    assert len(rows) == 100
    assert rows[0]["serverDate"] - rows[0]["lockDate"] == 2 * 3_600_000


async def test_records_are_carried_by_any_gateway_in_reach(at_a_hotel, hotel):
    hotel["gateways"][1]["locks"].append(ROOM)
    sim = await at_a_hotel()
    await sim.control("PATCH", "/gateways/501", {"online": False})
    await sim.try_door(pin="1111")
    assert len(await records(sim)) == 1
    await sim.control("PATCH", f"/locks/{ROOM}", {"inReach": False})
    await sim.try_door(pin="2222")
    assert len(await records(sim)) == 1
    await sim.control("PATCH", f"/locks/{ROOM}", {"inReach": True})
    assert len(await records(sim)) == 2


async def test_a_callback_is_an_unsigned_form_with_json_inside(hooked):
    await hooked.add_pin("482913", keyboardPwdName="MM-1")
    await hooked.try_door(pin="482913")
    [(url, form)] = hooked.posted
    assert (url, form["notifyType"], form["lockId"], form["admin"]) == (HOOK, "1", str(ROOM), "owner")
    [record] = orjson.loads(form["records"])
    assert (record["keyboardPwd"], record["username"], record["electricQuantity"]) == ("482913", "MM-1", 90)


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [((200, b"success"), True), ((200, b'"success"'), False), ((500, b"success"), False), (OSError(), False)],
)
async def test_a_callback_is_accepted_by_the_bare_word_alone_and_never_repeated(hooked, answer, accepted):
    hooked.callback_answer = answer
    await hooked.try_door(pin="1111")
    await hooked.control("POST", "/callbacks/deliver")
    _, shown = await hooked.control("GET", "/callbacks")
    assert [delivery["accepted"] for delivery in shown["sent"]] == [accepted]
    assert len(hooked.posted) == 1


async def test_nobody_is_called_before_the_admin_has_logged_in(at_a_hotel, hotel):
    second = {"clientId": "second", "clientSecret": "other", "callbackUrl": HOOK}
    sim = await at_a_hotel(applications=[*hotel["applications"], second])
    await sim.try_door(pin="1111")
    assert sim.posted == []
    sim.identity["clientId"] = "second"
    await sim.login(clientSecret="other")
    await sim.try_door(pin="1111")
    assert [url for url, _ in sim.posted] == [HOOK]


async def test_the_loss_of_a_gateway_is_told_half_an_hour_late(hooked):
    await hooked.control("PATCH", "/gateways/501", {"online": False})
    hooked.wait(minutes=29, seconds=59)
    await hooked.app.deliver_due()
    assert hooked.posted == []
    hooked.wait(seconds=1)
    await hooked.app.deliver_due()
    [(_, form)] = hooked.posted
    assert (form["notifyType"], form["gatewayId"], form["isOnline"]) == ("2", "501", "0")


async def test_the_return_of_a_gateway_is_told_at_once_and_takes_back_the_loss(hooked):
    await hooked.control("PATCH", "/gateways/501", {"online": False})
    hooked.wait(minutes=10)
    await hooked.control("PATCH", "/gateways/501", {"online": True})
    await hooked.control("POST", "/clock", {"advanceSeconds": DAY / 1000})
    assert [form["isOnline"] for _, form in hooked.posted] == ["1"]


async def test_an_application_without_a_url_hears_nothing(hooked):
    await hooked.control("PUT", "/callbacks", {"clientId": "sim-client", "url": None})
    await hooked.try_door(pin="1111")
    assert hooked.posted == []
    assert (await hooked.control("PUT", "/callbacks", {"clientId": "nobody", "url": None}))[0] == 404
