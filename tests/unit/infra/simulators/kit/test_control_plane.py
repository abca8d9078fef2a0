"""The control plane: who may use it, what it shows, and what it changes."""

from hashlib import md5
from urllib.parse import urlencode

import pytest

from tests.unit.infra.simulators.ttlock.integrator import HOUR, ROOM, Integrator

AUTHORITY = "127.0.0.1:8701"


async def ask(sim, path="/_sim/state", **headers):
    """Send a request with some headers; return its status."""
    return (await sim.raw("GET", path, headers=list(headers.items())))[0]


async def test_the_control_token_is_asked_for():
    sim = Integrator(control_token="right")
    assert await ask(sim) == 401
    assert await ask(sim, authorization="Bearer wrong") == 401
    assert await ask(sim, authorization="Bearer right") == 200
    assert "right" not in repr(sim.app.world)


async def test_the_platform_asks_for_no_control_token():
    assert (await Integrator(control_token="right").login())["uid"]


@pytest.mark.parametrize("path", ["/_sim/state", "/v3/lock/list"])
async def test_only_its_own_address_may_be_called_and_by_no_other_site(path):
    sim = Integrator(authority=AUTHORITY)
    for host in (AUTHORITY, "localhost:8701", "[::1]:8701"):
        assert await ask(sim, path, host=host) == 200
    assert await ask(sim, path, host=AUTHORITY, origin=f"http://{AUTHORITY}") == 200
    assert await ask(sim, path) == 421
    assert await ask(sim, path, host="rebound.example:8701") == 421
    assert await ask(sim, path, host="127.0.0.1:80") == 421
    assert await ask(sim, path, host=AUTHORITY, origin="https://evil.example") == 403
    assert await ask(sim, path, host=AUTHORITY, origin="null") == 403


async def lock_state(sim):
    """Return all that is at the room's lock."""
    _, state = await sim.control("GET", "/state")
    return next(lock for lock in state["locks"] if lock["lockId"] == ROOM)


async def test_a_change_at_a_lock_is_shown_and_the_rest_stays(sim):
    await sim.control("PATCH", f"/locks/{ROOM}", {"battery": 5})
    _, shown = await sim.control("PATCH", f"/locks/{ROOM}", {"skewSeconds": -1.5})
    assert (shown["battery"], shown["skewSeconds"], shown["inReach"]) == (5, -1.5, True)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("PATCH", f"/locks/{ROOM}", {"batery": 5}, 422),
        ("PATCH", f"/locks/{ROOM}", {"battery": 101}, 422),
        ("PATCH", "/locks/9", {}, 404),
        ("PATCH", "/gateways/9", {}, 404),
        ("POST", "/doors/9/try", {"pin": "1"}, 404),
        ("POST", f"/doors/{ROOM}/try", {}, 422),
        ("POST", f"/doors/{ROOM}/try", {"pin": "1", "card": "2"}, 422),
        ("PUT", "/latency", {"cloudMs": [5, 1]}, 422),
        ("PUT", "/hotel", {"locks": []}, 422),
    ],
)
async def test_a_mistake_is_answered_with_what_to_mend(sim, method, path, body, status):
    answer = await sim.control(method, path, body)
    assert answer[0] == status
    assert answer[1]["error"]["detail"]


async def test_time_can_be_moved(sim):
    _, shown = await sim.control("POST", "/clock", {"advanceSeconds": 60})
    assert shown == {"now": "2026-03-01T09:01:00+00:00", "aheadSeconds": 60}
    await sim.control("POST", "/clock", {"advanceSeconds": 60})
    assert (await sim.control("GET", "/clock"))[1]["aheadSeconds"] == 120
    assert (await sim.control("POST", "/clock", {"aheadSeconds": 0}))[1]["aheadSeconds"] == 0


async def test_requests_take_the_time_they_are_told_to(sim):
    await sim.control("PUT", "/latency", {"cloudMs": [20, 60], "gatewayMs": [800, 1500]})
    await sim.add_pin()
    cloud, gateway = sim.slept
    assert 0.02 <= cloud <= 0.06
    assert 0.8 <= gateway <= 1.5


async def test_nothing_sleeps_unless_it_is_told_to(sim):
    await sim.add_pin()
    assert sim.slept == []


async def test_the_log_shows_requests_and_masks_secrets(sim):
    token = await sim.login()
    await sim.add_pin("482913", keyboardPwdName="MM-1")
    await sim.pins(searchStr="482913")
    await sim.add_pin("1111")
    raw = await sim.raw("GET", "/_sim/requests")
    for secret in ("482913", token["access_token"], "sim-secret", md5(b"sim-password").hexdigest()):
        assert secret.encode() not in raw[2]
    _, log = await sim.control("GET", "/requests?operation=keyboardPwd/add")
    assert [(entry["method"], entry["path"], entry["errcode"]) for entry in log] == [
        ("POST", "/v3/keyboardPwd/add", 0),
        ("POST", "/v3/keyboardPwd/add", -2032),
    ]
    assert log[0]["fields"]["keyboardPwdName"] == "MM-1"
    assert log[0]["fields"]["keyboardPwd"] == "***"


async def test_calls_are_counted_by_what_came_of_them(sim):
    await sim.add_pin("482913")
    await sim.add_pin("482913")
    _, counts = await sim.control("GET", "/counters")
    assert counts["keyboardPwd/add"] == {"calls": 2, "executed": 1, "refused": 1, "faulted": 0}
    assert (await sim.raw("DELETE", "/_sim/requests"))[0] == 204
    assert await sim.control("GET", "/counters") == (200, {})


async def test_another_hotel_can_be_loaded(sim, hotel):
    hotel |= {"locks": [{"lockId": 7, "alias": "Shed"}], "gateways": []}
    status, shown = await sim.control("PUT", "/hotel", hotel)
    assert (status, shown["locks"], shown["gateways"]) == (200, [7], [])
    await sim.login()
    assert (await sim.add_pin(lock=7))["errcode"] == -2012
    assert (await sim.add_pin(lock=ROOM))["errcode"] == -1003


async def test_a_reset_gives_the_beginning_again(sim):
    async def play():
        await sim.control("POST", "/reset")
        token = await sim.login()
        return token, await sim.add_pin("482913"), await lock_state(sim)

    assert await play() == await play()


async def test_the_same_seed_and_requests_give_the_same_world():
    async def play(seed):
        sim = Integrator(seed)
        answers = [await sim.login(), await sim.add_pin()]
        window = {"startDate": sim.ms, "endDate": sim.ms + 3 * HOUR}
        answers.append(await sim.post("/v3/keyboardPwd/get", lockId=ROOM, keyboardPwdType=3, **window))
        await sim.try_door(pin="482913")
        answers.append(await sim.get("/v3/lockRecord/list", lockId=ROOM, pageNo=1, pageSize=9))
        answers.append(await sim.get("/v3/lock/detail", lockId=ROOM))
        return answers

    assert await play(1) == await play(1)
    assert await play(1) != await play(2)


async def test_a_query_string_reaches_the_platform_as_it_is(sim):
    query = urlencode({**sim.identity, "date": sim.ms, "pageNo": 1, "pageSize": 9, "lockAlias": "Room 1"})
    status, _, body = await sim.raw("GET", "/v3/lock/list", query=query.encode())
    assert (status, body.count(b'"lockId"')) == (200, 2)
