"""Custom passcodes: what is listed, what is in the lock, and the difference between the two."""

import asyncio

import pytest

from tests.unit.infra.simulators.ttlock.integrator import HOUR, OTHER_ROOM, ROOM, UPSTAIRS


async def test_a_passcode_sent_over_the_gateway_opens_the_door(sim):
    assert isinstance((await sim.add_pin("482913"))["keyboardPwdId"], int)
    assert await sim.try_door(pin="482913") == "open"


async def test_by_default_a_passcode_exists_in_the_cloud_alone(sim):
    await sim.add_pin("482913", addType=None)
    assert [row["keyboardPwd"] for row in await sim.pins()] == ["482913"]
    assert await sim.try_door(pin="482913") == "never_written"


async def test_a_passcode_opens_its_own_lock_only(sim):
    await sim.add_pin("482913")
    assert await sim.try_door(OTHER_ROOM, pin="482913") == "unknown"


async def test_a_passcode_opens_within_its_window_only(sim):
    await sim.add_pin("482913", hours=(1, 2))
    assert await sim.try_door(pin="482913") == "not_yet_valid"
    sim.wait(hours=1)
    assert await sim.try_door(pin="482913") == "open"
    sim.wait(hours=1)
    assert await sim.try_door(pin="482913") == "expired"


async def test_the_lock_s_own_clock_decides(sim):
    await sim.add_pin("482913", hours=(0, 24))
    await sim.control("PATCH", f"/locks/{ROOM}", {"skewSeconds": -1800})
    assert await sim.try_door(pin="482913") == "not_yet_valid"
    await sim.control("PATCH", f"/locks/{ROOM}", {"skewSeconds": 86_400})
    assert await sim.try_door(pin="482913") == "expired"


async def test_a_lock_keeps_a_window_to_the_minute(sim):
    start, end = sim.ms + 90_000, sim.ms + HOUR
    answer = await sim.post(
        "/v3/keyboardPwd/add", lockId=ROOM, keyboardPwd="482913", startDate=start, endDate=end, addType=2
    )
    assert "keyboardPwdId" in answer
    sim.wait(seconds=59)
    assert await sim.try_door(pin="482913") == "not_yet_valid"
    sim.wait(seconds=1)
    assert await sim.try_door(pin="482913") == "open"


async def test_a_permanent_passcode_needs_no_window(sim):
    fields = {"lockId": ROOM, "keyboardPwd": "482913", "keyboardPwdType": 2, "addType": 2}
    await sim.post("/v3/keyboardPwd/add", **fields)
    sim.wait(days=4000)
    assert await sim.try_door(pin="482913") == "open"


@pytest.mark.parametrize(
    ("pin", "errcode"),
    [
        ("123", -3006),
        ("4829130012", -3006),
        ("48291a", -3006),
        ("٤٨٢٩١٣", -3006),
        ("123456", -2032),
        ("98765", -2032),
        ("7777", -2032),
    ],
)
async def test_an_unsuitable_passcode_is_refused(sim, pin, errcode):
    assert (await sim.add_pin(pin))["errcode"] == errcode
    assert await sim.pins() == []


@pytest.mark.parametrize(
    ("fields", "errcode"),
    [
        ({"lock": 999}, -1003),
        ({"keyboardPwdType": 1}, -3),
        ({"addType": 9}, -3),
        ({"addType": 3}, -4067),
        ({"addType": 4}, -4043),
        ({"hours": (2, 1)}, -3),
    ],
)
async def test_an_impossible_addition_is_refused(sim, fields, errcode):
    assert (await sim.add_pin(**fields))["errcode"] == errcode


async def test_a_lock_of_somebody_else_is_refused(at_a_hotel, hotel):
    people = [*hotel["accounts"], {"username": "stranger", "password": "own"}]
    sim = await at_a_hotel(accounts=people)
    await sim.login("stranger", "own")
    assert (await sim.add_pin())["errcode"] == 20002


async def test_a_lock_without_a_keypad_is_refused(at_a_hotel, hotel):
    sim = await at_a_hotel(locks=[{**lock, "featureValue": "2"} for lock in hotel["locks"]])
    assert (await sim.add_pin())["errcode"] == -4043


async def test_the_same_passcode_twice_on_a_lock_is_refused(sim):
    await sim.add_pin("482913", hours=(0, 1))
    sim.wait(hours=5)
    assert (await sim.add_pin("482913"))["errcode"] == -3007
    assert (await sim.add_pin("482913", addType=1))["errcode"] == -3007
    assert "keyboardPwdId" in await sim.add_pin("482913", lock=OTHER_ROOM)


async def test_a_passcode_that_only_the_lock_knows_is_a_duplicate_too(sim):
    row = await sim.add_pin("482913")
    await sim.post("/v3/keyboardPwd/delete", lockId=ROOM, keyboardPwdId=row["keyboardPwdId"], deleteType=1)
    assert (await sim.add_pin("482913"))["errcode"] == -3007


async def test_the_lock_has_room_for_250_passcodes(sim):
    for number in range(250):
        assert "keyboardPwdId" in await sim.add_pin(f"48{number:03d}9")
    assert (await sim.add_pin("719305"))["errcode"] == -3009
    assert await sim.try_door(pin="719305") == "unknown"
    first = (await sim.pins(searchStr="480009"))[0]["keyboardPwdId"]
    await sim.post("/v3/keyboardPwd/delete", lockId=ROOM, keyboardPwdId=first, deleteType=2)
    assert "keyboardPwdId" in await sim.add_pin("719305")


async def test_a_search_is_fuzzy_by_name_and_exact_by_code(sim):
    await sim.add_pin("482913", keyboardPwdName="MM-abc123")
    await sim.add_pin("739182", keyboardPwdName="MM-ABC1234")
    await sim.add_pin("615042", keyboardPwdName="other")
    found = {
        s: sorted(row["keyboardPwd"] for row in await sim.pins(searchStr=s))
        for s in ("mm-abc123", "6150", "615042")
    }
    assert found == {"mm-abc123": ["482913", "739182"], "6150": [], "615042": ["615042"]}


async def test_lists_are_ordered_as_asked(sim):
    for pin, name in [("482913", "b"), ("739182", "c"), ("615042", "a")]:
        await sim.add_pin(pin, keyboardPwdName=name)
    names = {
        order: [row["keyboardPwdName"] for row in await sim.pins(orderBy=order)] for order in (None, 0, 1, 2)
    }
    assert names == {None: list("abc"), 0: list("abc"), 1: list("acb"), 2: list("cba")}
    assert (await sim.get("/v3/lock/listKeyboardPwd", lockId=ROOM, pageNo=1, pageSize=9, orderBy=3))[
        "errcode"
    ] == -3


async def test_a_listed_passcode_shows_what_was_asked_for(sim):
    await sim.add_pin("482913", keyboardPwdName="MM-1", hours=(1, 2))
    [row] = await sim.pins()
    assert row == {
        "keyboardPwdId": row["keyboardPwdId"],
        "lockId": ROOM,
        "keyboardPwd": "482913",
        "keyboardPwdName": "MM-1",
        "keyboardPwdType": 3,
        "startDate": sim.ms + HOUR,
        "endDate": sim.ms + 2 * HOUR,
        "sendDate": sim.ms,
        "isCustom": 1,
        "senderUsername": "owner",
    }


async def change(sim, row, **fields):
    """Change a passcode over the gateway."""
    fields = {"lockId": ROOM, "keyboardPwdId": row["keyboardPwdId"], "changeType": 2, **fields}
    return (await sim.post("/v3/keyboardPwd/change", **fields))["errcode"]


async def test_a_passcode_that_was_never_used_cannot_be_changed(sim):
    row = await sim.add_pin("482913")
    window = {"startDate": sim.ms, "endDate": sim.ms + 48 * HOUR}
    assert await change(sim, row, **window) == -3008
    await sim.try_door(pin="482913")
    assert await change(sim, row, **window) == 0
    sim.wait(hours=47)
    assert await sim.try_door(pin="482913") == "open"


async def test_a_change_without_a_start_does_nothing_and_says_success(sim):
    row = await sim.add_pin("482913")
    await sim.try_door(pin="482913")
    assert await change(sim, row, endDate=sim.ms + 48 * HOUR) == 0
    assert (await sim.pins())[0]["endDate"] == sim.ms + 24 * HOUR
    sim.wait(hours=25)
    assert await sim.try_door(pin="482913") == "expired"


async def test_a_change_with_a_start_alone_is_refused(sim):
    assert await change(sim, await sim.add_pin("482913"), startDate=sim.ms) == -3


async def test_a_change_by_default_concerns_the_cloud_alone(sim):
    row = await sim.add_pin("482913")
    assert await change(sim, row, newKeyboardPwd="739182", changeType=None) == 0
    assert [row["keyboardPwd"] for row in await sim.pins()] == ["739182"]
    assert await sim.try_door(pin="739182") == "never_written"
    assert await sim.try_door(pin="482913") == "open"


async def test_a_new_name_needs_no_gateway(sim):
    row = await sim.add_pin("482913")
    await sim.control("PATCH", "/gateways/501", {"online": False})
    assert await change(sim, row, keyboardPwdName="new") == 0
    assert (await sim.pins())[0]["keyboardPwdName"] == "new"


async def test_a_changed_code_replaces_the_old_one_at_the_door(sim):
    row = await sim.add_pin("482913")
    await sim.try_door(pin="482913")
    assert await change(sim, row, newKeyboardPwd="739182") == 0
    assert await sim.try_door(pin="739182") == "open"
    assert await sim.try_door(pin="482913") == "unknown"


async def test_a_passcode_that_was_used_once_can_be_changed_again_and_again(sim):
    row = await sim.add_pin("482913")
    await sim.try_door(pin="482913")
    assert [await change(sim, row, newKeyboardPwd=pin) for pin in ("739182", "615042")] == [0, 0]
    assert await sim.try_door(pin="615042") == "open"


async def test_a_code_cannot_be_changed_into_a_bad_one_or_one_in_use(sim):
    row = await sim.add_pin("482913")
    await sim.add_pin("739182")
    await sim.try_door(pin="482913")
    assert await change(sim, row, newKeyboardPwd="739182") == -3007
    assert await change(sim, row, newKeyboardPwd="111111") == -2032


async def test_changing_an_unknown_passcode_is_refused(sim):
    assert await change(sim, {"keyboardPwdId": 1}, keyboardPwdName="x") == -2009
    other = await sim.add_pin("482913", lock=OTHER_ROOM)
    assert await change(sim, other, keyboardPwdName="x") == -2009


async def delete(sim, row, lock=ROOM, **fields):
    """Delete a passcode over the gateway."""
    fields = {"lockId": lock, "keyboardPwdId": row["keyboardPwdId"], "deleteType": 2, **fields}
    return (await sim.post("/v3/keyboardPwd/delete", **fields))["errcode"]


async def test_a_passcode_deleted_over_the_gateway_opens_no_more(sim):
    row = await sim.add_pin("482913")
    assert await delete(sim, row) == 0
    assert await sim.pins() == []
    assert await sim.try_door(pin="482913") == "unknown"


async def test_a_passcode_deleted_by_default_still_opens(sim):
    row = await sim.add_pin("482913")
    assert await delete(sim, row, deleteType=None) == 0
    assert await sim.pins() == []
    assert await sim.try_door(pin="482913") == "open"


async def test_deleting_an_unknown_passcode_is_a_success(sim):
    await sim.control("PATCH", "/gateways/501", {"online": False})
    assert await delete(sim, {"keyboardPwdId": 12345}) == 0


async def test_a_passcode_is_deleted_at_its_own_lock_only(sim):
    row = await sim.add_pin("482913")
    assert await delete(sim, row, lock=OTHER_ROOM) == 0
    assert len(await sim.pins()) == 1


async def test_a_passcode_stays_listed_when_the_gateway_cannot_delete_it(sim):
    row = await sim.add_pin("482913")
    await sim.control("PATCH", "/gateways/501", {"online": False})
    assert await delete(sim, row) == -3002
    assert len(await sim.pins()) == 1


async def test_a_passcode_can_be_deleted_by_its_code(sim):
    await sim.add_pin("482913")
    fields = {"lockId": ROOM, "keyboardPwd": "482913", "deleteType": 2}
    assert [(await sim.post("/v3/keyboardPwd/deleteByCode", **fields))["errcode"] for _ in "12"] == [0, 0]
    assert await sim.try_door(pin="482913") == "unknown"


async def test_two_additions_of_one_code_through_two_gateways_give_one(at_a_hotel, hotel, settled):
    hotel["gateways"][1]["locks"].append(ROOM)
    sim = await at_a_hotel()
    sim.gate = asyncio.Event()
    await sim.control("PUT", "/latency", {"gatewayMs": [1, 1]})
    both = [asyncio.create_task(sim.add_pin("482913", keyboardPwdName=name)) for name in "ab"]
    await settled()
    sim.gate.set()
    answers = await asyncio.gather(*both)
    assert sorted(answer.get("errcode", 0) for answer in answers) == [-3007, 0]
    assert len(await sim.pins()) == 1


async def test_a_passcode_that_is_listed_while_its_addition_is_in_the_air_is_not_written(sim, settled):
    sim.gate = asyncio.Event()
    await sim.control("PUT", "/latency", {"gatewayMs": [1, 1]})
    adding = asyncio.create_task(sim.add_pin("482913"))
    await settled()
    assert "keyboardPwdId" in await sim.add_pin("482913", addType=1)
    sim.gate.set()
    assert (await adding)["errcode"] == -3007
    assert await sim.try_door(pin="482913") == "never_written"


async def test_a_passcode_deleted_while_its_change_is_in_the_air_stays_deleted(sim, settled):
    row = await sim.add_pin("482913")
    await sim.try_door(pin="482913")
    sim.gate = asyncio.Event()
    await sim.control("PUT", "/latency", {"gatewayMs": [1, 1]})
    changing = asyncio.create_task(change(sim, row, newKeyboardPwd="739182"))
    await settled()
    assert await delete(sim, row, deleteType=1) == 0
    sim.gate.set()
    assert await changing == -2009
    assert await sim.pins() == []
    assert await sim.try_door(pin="739182") == "unknown"


async def test_a_passcode_deleted_while_its_deletion_is_in_the_air_is_gone_all_the_same(sim, settled):
    row = await sim.add_pin("482913")
    sim.gate = asyncio.Event()
    await sim.control("PUT", "/latency", {"gatewayMs": [1, 1]})
    deleting = asyncio.create_task(delete(sim, row))
    await settled()
    assert await delete(sim, row, deleteType=1) == 0
    sim.gate.set()
    assert await deleting == 0
    assert await sim.try_door(pin="482913") == "unknown"


async def test_locks_of_two_gateways_are_written_at_the_same_time(sim, settled):
    sim.gate = asyncio.Event()
    await sim.control("PUT", "/latency", {"gatewayMs": [800, 800]})
    both = [asyncio.create_task(sim.add_pin("482913", lock=lock)) for lock in (ROOM, UPSTAIRS)]
    await settled()
    sim.gate.set()
    assert all("keyboardPwdId" in answer for answer in await asyncio.gather(*both))
    assert sim.slept == [0.8, 0.8]
