"""Random passcodes: whole hours, one a period, dead unless used in time, beyond recall without a gateway."""

import pytest

from tests.unit.infra.simulators.ttlock.integrator import DAY, HOUR, OTHER_ROOM, ROOM

HALF_HOUR = HOUR // 2


async def draw(sim, kind=3, start=None, end=None, lock=ROOM, **fields):
    """Ask for a random passcode; by default for a period of two days from a whole Kabul hour."""
    start = sim.ms + HALF_HOUR if start is None else start
    end = start + 2 * DAY if end is None else end
    fields = {"keyboardPwdType": kind, "startDate": start, "endDate": end, **fields}
    return await sim.post("/v3/keyboardPwd/get", lockId=lock, **fields)


async def pin_of(sim, **fields):
    """Return its digits."""
    return (await draw(sim, **fields))["keyboardPwd"]


async def test_a_random_passcode_needs_no_gateway(sim):
    await sim.control("PATCH", "/gateways/501", {"online": False})
    pin = await pin_of(sim)
    assert pin.isdigit()
    assert 6 <= len(pin) <= 9
    sim.wait(minutes=30)
    assert await sim.try_door(pin=pin) == "open"
    assert await sim.try_door(OTHER_ROOM, pin=pin) == "unknown"


async def test_a_window_is_cut_to_whole_hours_of_the_lock_s_zone(sim):
    # 13:50 in Kabul, half an hour off the hours of UTC
    await draw(sim, start=sim.ms + 20 * 60_000, end=sim.ms + DAY)
    [row] = await sim.pins()
    assert (row["startDate"], row["endDate"]) == (sim.ms - HALF_HOUR, sim.ms + DAY - HALF_HOUR)
    assert row["isCustom"] == 0


async def test_whole_hours_may_be_those_of_utc(at_a_hotel):
    sim = await at_a_hotel(hourGrid="utc")
    await draw(sim, start=sim.ms + 20 * 60_000, end=sim.ms + DAY + 1)
    [row] = await sim.pins()
    assert (row["startDate"], row["endDate"]) == (sim.ms, sim.ms + DAY)


async def test_a_period_has_one_passcode(sim):
    first, again = await draw(sim), await draw(sim, start=sim.ms + HOUR, end=sim.ms + 2 * DAY + HOUR)
    assert first == again
    assert (await draw(sim, start=sim.ms + 2 * HOUR))["keyboardPwd"] != first["keyboardPwd"]


async def test_a_passcode_dies_unless_used_within_a_day(sim):
    pin = await pin_of(sim)
    assert await sim.try_door(pin=pin) == "not_yet_valid"
    sim.wait(hours=24, minutes=29)
    assert await sim.try_door(pin=pin) == "open"
    unused = await pin_of(sim)
    sim.wait(hours=24, minutes=30)
    assert await sim.try_door(pin=unused) == "not_used_in_time"


async def test_a_passcode_that_was_used_in_time_lasts_to_its_end(sim):
    pin = await pin_of(sim)
    sim.wait(minutes=30)
    await sim.try_door(pin=pin)
    sim.wait(hours=47)
    assert await sim.try_door(pin=pin) == "open"
    sim.wait(hours=1)
    assert await sim.try_door(pin=pin) == "expired"


async def delete(sim, row, **fields):
    """Delete a passcode."""
    return await sim.post("/v3/keyboardPwd/delete", lockId=ROOM, keyboardPwdId=row["keyboardPwdId"], **fields)


@pytest.mark.parametrize(("method", "verdict"), [(1, "open"), (2, "deleted")])
async def test_only_a_gateway_takes_a_passcode_back(sim, method, verdict):
    row = await draw(sim)
    sim.wait(minutes=30)
    await delete(sim, row, deleteType=method)
    assert await sim.pins() == []
    assert await sim.try_door(pin=row["keyboardPwd"]) == verdict


async def test_a_period_whose_passcode_was_deleted_gives_none_any_more(sim):
    row = await draw(sim)
    await delete(sim, row, deleteType=1)
    assert (await draw(sim))["errcode"] == -1026
    assert "keyboardPwd" in await draw(sim, lock=OTHER_ROOM)


async def test_a_passcode_cannot_be_changed_before_it_was_used(sim):
    row = await draw(sim)
    fields = {"keyboardPwdId": row["keyboardPwdId"], "startDate": sim.ms, "endDate": sim.ms + DAY}
    change = {"lockId": ROOM, "changeType": 2, **fields}
    assert (await sim.post("/v3/keyboardPwd/change", **change))["errcode"] == -3008
    sim.wait(minutes=30)
    await sim.try_door(pin=row["keyboardPwd"])
    assert (await sim.post("/v3/keyboardPwd/change", **change))["errcode"] == 0
    sim.wait(hours=24)
    assert await sim.try_door(pin=row["keyboardPwd"]) == "expired"


async def test_one_time_passcodes_work_once_within_six_hours(sim):
    one, other, late = [await pin_of(sim, kind=1, start=sim.ms) for _ in range(3)]
    assert len({one, other, late}) == 3
    assert [await sim.try_door(pin=one), await sim.try_door(pin=one)] == ["open", "used_up"]
    assert await sim.try_door(pin=other) == "open"
    sim.wait(hours=5, minutes=30)
    assert await sim.try_door(pin=late) == "expired"


async def test_a_start_has_twenty_permanent_passcodes(sim):
    pins = [await pin_of(sim, kind=2, start=sim.ms) for _ in range(20)]
    assert len(set(pins)) == 20
    assert (await draw(sim, kind=2, start=sim.ms))["errcode"] == 1
    pin = pins[-1]
    await sim.try_door(pin=pin)
    sim.wait(days=900)
    assert await sim.try_door(pin=pin) == "open"


async def test_the_erasing_passcode_takes_every_used_and_custom_one_with_it(sim):
    used, custom = await pin_of(sim, kind=2, start=sim.ms), "482913"
    await sim.add_pin(custom)
    await sim.try_door(pin=used)
    await sim.try_door(pin=await pin_of(sim, kind=4, start=sim.ms))
    assert [await sim.try_door(pin=used), await sim.try_door(pin=custom)] == ["deleted", "never_written"]
    assert len(await sim.pins()) == 3  # which the cloud does not notice


@pytest.mark.parametrize(
    ("kind", "days"),
    [(5, "Sat Sun"), (6, "Sun Mon Tue Wed Thu Fri Sat"), (7, "Mon Tue Wed Thu Fri"), (8, "Mon"), (14, "Sun")],
)
async def test_cyclic_passcodes_work_on_their_days_within_their_hours(sim, kind, days):
    pin = await pin_of(sim, kind=kind, start=sim.ms - HALF_HOUR, end=sim.ms + 3 * HOUR + HALF_HOUR)
    opened = set()
    for _ in range(7):
        reasons = {}
        for hour in (0, 5):
            sim.wait(hours=hour)
            reasons[hour] = await sim.try_door(pin=pin)
        assert reasons[5] == "outside_hours"
        if reasons[0] == "open":
            opened.add(f"{sim.present:%a}")
        sim.wait(hours=19)
    assert opened == set(days.split())


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": 15},
        {"endDate": None},
        {"startDate": None},
        {"kind": 3, "end": 1},
        {"kind": 3, "end": 1772355600000 + 400 * DAY},
    ],
)
async def test_an_impossible_period_is_refused(sim, fields):
    assert (await draw(sim, **fields))["errcode"] == -3


async def test_a_lock_without_cyclic_passcodes_says_so(at_a_hotel, hotel):
    sim = await at_a_hotel(locks=[{**lock, "featureValue": "1"} for lock in hotel["locks"]])
    assert (await draw(sim, kind=6))["errcode"] == -4043
    assert "keyboardPwd" in await draw(sim)
