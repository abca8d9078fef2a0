"""Salto's simulator is strict: API keys, idempotency, copies, and what doors without a line believe."""

import pytest

from infra.simulators.salto.hotel import API_KEY, ApiKeyPlan, HotelPlan
from tests.unit.infra.simulators.json_caller import NINE, JsonCaller

PHONE, OTHER = "+93700000001", "+93700000002"
AGELESS = (ApiKeyPlan(),)
KEY = {
    "name": "MM-1",
    "kind": "mobile_app",
    "role": "new",
    "phone": PHONE,
    "rooms": ["1000101"],
    "validFrom": "2026-03-01T09:00:00Z",
    "validUntil": "2026-03-12T09:00:00Z",
}


def caller(*, online=True, keys=AGELESS):
    """Return somebody who calls with the sample's API key."""
    hotel = HotelPlan.of([1000101, 1000102])
    locks = tuple(lock.model_copy(update={"online": online}) for lock in hotel.locks)
    called = JsonCaller("salto", hotel.model_copy(update={"locks": locks, "api_keys": keys}))
    called.headers = {"x-api-key": API_KEY}
    return called


@pytest.fixture
def sim():
    return caller()


@pytest.fixture
def offline():
    return caller(online=False)


async def add(sim, key="one", **changes):
    """Ask for a key."""
    return await sim("POST", "/api/keys", {**KEY, **changes}, x_idempotency_key=key)


def code(answer):
    """Return the status and the code of a refusal."""
    status, body = answer
    return status, body["error"]["code"]


async def test_an_api_key_is_asked_of_every_call(sim):
    sim.headers = {}
    assert code(await sim("GET", "/api/doors")) == (401, "api_key_unknown")


async def test_an_api_key_ends_after_ninety_days():
    sim = caller(keys=(ApiKeyPlan(issued=int(NINE.timestamp())),))
    sim.wait(days=89)
    assert (await sim("GET", "/api/doors"))[0] == 200
    sim.wait(days=1)
    assert code(await sim("GET", "/api/doors")) == (401, "api_key_expired")


@pytest.mark.parametrize(
    ("changes", "status", "why"),
    [
        ({"phone": "guest@example.org"}, 422, "phone_invalid"),
        ({"phone": "+1"}, 422, "phone_invalid"),
        ({"validUntil": "2026-03-12T09:00:30Z"}, 422, "window_invalid"),
        ({"validUntil": "tomorrow"}, 422, "window_invalid"),
        ({"rooms": []}, 400, "malformed"),
        ({"rooms": ["1000101"] * 5}, 400, "malformed"),
        ({"role": "first"}, 400, "malformed"),
        ({"rooms": ["9"]}, 404, "room_unknown"),
        ({"role": "copy"}, 409, "nobody_to_copy"),
    ],
)
async def test_what_cannot_be_is_refused(sim, changes, status, why):
    assert code(await add(sim, **changes)) == (status, why)


async def test_a_key_without_an_idempotency_key_is_refused(sim):
    assert code(await add(sim, "")) == (400, "malformed")


async def test_a_repeated_key_is_made_once_and_tells_whether_it_was_cancelled(sim):
    _, first = await add(sim)
    assert (await add(sim))[1] == first
    await sim("DELETE", f"/api/keys/{first['keyId']}")
    assert (await add(sim))[1] == {**first, "cancelled": True}
    assert code(await add(sim, name="MM-2")) == (409, "idempotency_key_reused")


async def test_a_new_guest_ends_the_last_one_s_key_and_a_copy_nobody_s(sim):
    await add(sim)
    await add(sim, "copy", role="copy", phone=OTHER)
    assert [await sim.tries("1000101", ekey=phone) for phone in (OTHER, PHONE, OTHER)] == ["open"] * 3
    await add(sim, "next", phone=OTHER)
    assert await sim.tries("1000101", ekey=OTHER) == "open"
    assert await sim.tries("1000101", ekey=PHONE) == "deleted"


async def test_a_door_with_a_line_hears_of_what_is_cancelled(sim):
    _, key = await add(sim)
    assert (await sim("DELETE", f"/api/keys/{key['keyId']}"))[1]["state"] == "gone"
    assert await sim.tries("1000101", ekey=PHONE) == "deleted"
    assert code(await sim("DELETE", "/api/keys/none")) == (404, "key_unknown")


async def test_a_door_without_a_line_believes_the_phone_until_it_passes_an_updater(offline):
    _, key = await add(offline)
    assert key["offlineUntil"] == "2026-03-08T09:00:00Z"
    path = f"/api/keys/{key['keyId']}"
    assert (await offline("DELETE", path))[1]["state"] == "pending_at_lock"
    assert await offline.tries("1000101", ekey=PHONE) == "open"
    await offline.steer("POST", "updater", phone=PHONE)
    assert await offline.tries("1000101", ekey=PHONE) == "deleted"
    assert (await offline("DELETE", path))[1]["state"] == "gone"


async def test_a_phone_that_passes_no_updater_opens_doors_without_a_line_for_a_week(offline):
    await add(offline)
    offline.wait(days=7)
    assert await offline.tries("1000101", ekey=PHONE) == "not_used_in_time"
    await offline.steer("POST", "updater", phone=PHONE)
    assert await offline.tries("1000101", ekey=PHONE) == "open"


async def test_without_the_connector_the_cloud_reaches_doors_with_a_line(sim, offline):
    for each in (sim, offline):
        await each.steer("PATCH", "connector", up=False)
        assert code(await add(each)) == (424, "connector_down")
    assert (await add(sim, route="cloud"))[0] == 200
    assert code(await add(offline, route="cloud")) == (409, "offline_room")


async def test_what_opens_is_masked_in_the_journal(sim):
    await add(sim)
    told = str(await sim.steer("GET", "requests"))
    assert PHONE not in told
    assert API_KEY not in told
