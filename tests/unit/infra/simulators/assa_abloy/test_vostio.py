"""Vostio's simulator is strict: its environment, its grants, its idempotency, its maintenance."""

import pytest

from infra.simulators.assa_abloy.hotel import ClientPlan, HotelPlan
from infra.simulators.assa_abloy.routes import HOUR_SECONDS
from tests.unit.infra.simulators.json_caller import JsonCaller

LOGIN = {
    "client_id": "sim-client",
    "client_secret": "sim-secret",
    "audience": "sim",
    "grant_type": "client_credentials",
}
GRANT = {
    "name": "MM-1",
    "type": "mobile_app",
    "endpoint": "guest@example.org",
    "doors": ["1000101"],
    "validFrom": "2026-03-01T09:00:00Z",
    "validUntil": "2026-03-02T09:00:00Z",
}
PHONE = {"ekey": "guest@example.org"}


@pytest.fixture
async def sim():
    """A simulator, and a client who is logged in."""
    client = ClientPlan(calls_per_second=None)
    hotel = HotelPlan.of([1000101, 1000102]).model_copy(update={"client": client})
    return await logged_in(JsonCaller("assa-abloy", hotel))


async def logged_in(caller):
    """Log in for all calls that follow."""
    _, token = await caller("POST", "/oauth2/token", LOGIN)
    caller.headers = {"authorization": f"Bearer {token['access_token']}"}
    return caller


async def add(sim, key="", **changes):
    """Ask for a grant."""
    headers = {"idempotency_key": key} if key else {}
    return await sim("POST", "/v1/access-grants", {**GRANT, **changes}, **headers)


def code(answer):
    """Return the status and the code of a refusal."""
    status, body = answer
    return status, body["error"]["code"]


@pytest.mark.parametrize("field", LOGIN)
async def test_login_refuses_what_is_not_of_its_environment(sim, field):
    refused = await sim("POST", "/oauth2/token", {**LOGIN, field: "other"})
    assert code(refused) == (401, "invalid_client")


async def test_a_token_ends(sim):
    sim.wait(seconds=HOUR_SECONDS)
    assert code(await sim("GET", "/v1/doors")) == (401, "unauthorized")


async def test_a_grant_opens_its_doors_within_its_window_and_no_others(sim):
    status, grant = await add(sim)
    assert (status, grant["state"]) == (200, "active")
    assert await sim.tries("1000101", **PHONE) == "open"
    assert await sim.tries("1000102", **PHONE) == "unknown"
    sim.wait(hours=24)
    assert await sim.tries("1000101", **PHONE) == "expired"


async def test_one_grant_may_open_several_doors(sim):
    await add(sim, doors=["1000101", "1000102"])
    assert [await sim.tries(door, **PHONE) for door in ("1000101", "1000102")] == ["open", "open"]


async def test_a_lock_s_own_clock_judges(sim):
    await add(sim)
    await sim.steer("PATCH", "locks/1000101", skewSeconds=-60)
    assert await sim.tries("1000101", **PHONE) == "not_yet_valid"


@pytest.mark.parametrize(
    ("changes", "status", "why"),
    [
        ({"validFrom": "2026-03-01T09:00:20Z"}, 422, "validity_invalid"),
        ({"validFrom": "2026-03-01 09:00"}, 422, "validity_invalid"),
        ({"validUntil": "2026-03-01T09:00:00Z"}, 422, "validity_invalid"),
        ({"endpoint": "stranger@example.org"}, 422, "endpoint_not_registered"),
        ({"doors": []}, 400, "malformed"),
        ({"doors": "1000101"}, 400, "malformed"),
        ({"type": "pin_code"}, 400, "malformed"),
        ({"name": ""}, 400, "malformed"),
        ({"doors": ["1000999"]}, 404, "door_not_found"),
    ],
)
async def test_what_cannot_be_is_refused_and_changes_nothing(sim, changes, status, why):
    assert code(await add(sim, **changes)) == (status, why)
    assert (await sim.steer("GET", "state"))["locks"][0]["listed"] == {"grants": [], "phoneKeys": []}


async def test_a_repeated_key_is_answered_in_the_first_words_for_a_day(sim):
    first, again = await add(sim, "one"), await add(sim, "one")
    assert first == again
    await sim("DELETE", f"/v1/access-grants/{first[1]['grantId']}")
    assert await add(sim, "one") == first
    assert await sim.tries("1000101", **PHONE) == "unknown"
    sim.wait(hours=24)
    await logged_in(sim)
    later = {"validFrom": "2026-03-02T09:00:00Z", "validUntil": "2026-03-03T09:00:00Z"}
    assert (await add(sim, "one", **later))[1]["grantId"] != first[1]["grantId"]


async def test_a_repeated_key_with_another_body_is_refused(sim):
    await add(sim, "one")
    assert code(await add(sim, "one", name="MM-2")) == (409, "idempotency_key_reused")


async def test_a_grant_rests_and_wakes_and_moves(sim):
    _, grant = await add(sim)
    path = f"/v1/access-grants/{grant['grantId']}"
    await sim("POST", f"{path}/suspend", {})
    assert await sim.tries("1000101", **PHONE) == "frozen"
    await sim("POST", f"{path}/resume", {})
    moved = {"validFrom": GRANT["validFrom"], "validUntil": "2026-03-03T09:00:00Z"}
    await sim("PATCH", path, moved)
    sim.wait(hours=30)
    assert await sim.tries("1000101", **PHONE) == "open"


async def test_a_door_out_of_reach_is_told_nothing(sim):
    _, grant = await add(sim)
    await sim.steer("PATCH", "locks/1000101", inReach=False)
    path = f"/v1/access-grants/{grant['grantId']}"
    for method, way in (("DELETE", path), ("POST", f"{path}/suspend")):
        assert code(await sim(method, way)) == (409, "door_offline")
    assert await sim.tries("1000101", **PHONE) == "open"


async def test_names_are_found_by_how_they_begin(sim):
    await add(sim, name="mm-12")
    _, page = await sim("GET", "/v1/access-grants?door=1000101&name=MM-1")
    assert [row["name"] for row in page["grants"]] == ["mm-12"]


async def test_lists_come_in_pages(sim):
    for number in range(51):
        await add(sim, name=f"MM-{number}")
    _, first = await sim("GET", "/v1/access-grants?door=1000101&name=MM&page=1")
    _, last = await sim("GET", "/v1/access-grants?door=1000101&name=MM&page=2")
    assert (len(first["grants"]), first["more"], len(last["grants"]), last["more"]) == (50, True, 1, False)


async def test_in_maintenance_nothing_is_answered_but_when_it_ends(sim):
    now = int(sim.present.timestamp())
    await sim.steer("PUT", "maintenance", windows=[{"begins": now, "ends": now + 60}])
    assert code(await add(sim)) == (503, "maintenance")
    assert code(await sim("POST", "/oauth2/token", LOGIN)) == (503, "maintenance")
    _, told = await sim("GET", "/v1/maintenance-windows", authorization="")
    assert told == {"windows": [{"from": "2026-03-01T09:00:00Z", "until": "2026-03-01T09:01:00Z"}]}
    sim.wait(minutes=1)
    assert (await add(sim))[0] == 200


async def test_an_environment_takes_thirty_calls_a_second():
    sim = await logged_in(JsonCaller("assa-abloy"))
    said = [(await sim("GET", "/v1/doors"))[0] for _ in range(30)]
    assert said == [200] * 29 + [429]
    sim.wait(seconds=1)
    assert (await sim("GET", "/v1/doors"))[0] == 200


async def test_what_opens_is_masked_in_the_journal(sim):
    await add(sim)
    entries = await sim.steer("GET", "requests")
    assert "guest@example.org" not in str(entries)
    assert "sim-secret" not in str(entries)
