"""The API of staff answers alike on the embedded cloud and on Google's ports."""

import pytest

from infra.codegen.openapi import described
from tests.contract.platform.desk import API, PLATFORMS
from tests.support.sample_hotel import device_at
from tests.unit.functions.backoffice.test_matrix import BODIES as DESKTOP
from tests.unit.functions.backoffice.test_matrix import SIGN_IN, SIGNING_IN
from tests.unit.functions.canary.test_matrix import BODIES as CANARY
from tests.unit.functions.lock_api.test_matrix import BODIES, GIVEN, NOT_THERE
from tests.unit.functions.test_strangers_elsewhere import BODIES as GUESTS
from tests.unit.functions.vendor_accounts.test_matrix import BODIES as ACCOUNT

ELSEWHERE = {
    "account-api": ACCOUNT,
    "audit-api": BODIES,
    "backoffice": DESKTOP,
    "canary-api": CANARY,
    "guest-api": GUESTS,
    "lock-reveal": {"reveal": {"reason": "emergency"}},
}
"""What is sent to each function that people call besides the API, by path or by its last word."""

UNKNOWN = (*NOT_THERE, "/lock/v1/service-accounts/{integratorId}")
ENDINGS = ("/bulk-revocation", "/message-settings")
"""What this hotel never set, and may be told not to be there."""
FITTING = {400, 409, 412}
"""What a request may be told that is not of its thing's state; nothing is broken, and nobody unknown."""


@pytest.fixture(params=PLATFORMS)
async def desk(request, tmp_path):
    """Somebody with every role, on each platform."""
    async with PLATFORMS[request.param](tmp_path, request) as opened:
        yield opened


async def test_a_stay_is_booked_once_seen_by_whoever_decides_and_taken_back(desk):
    wanted = desk.stay()
    booked = await desk.done("POST", "stays", wanted, idempotency_key="booking-1")
    assert await desk.done("POST", "stays", wanted, idempotency_key="booking-1") == booked
    status, told = await desk.ask(
        "POST", "/lock/v1/stays", {**wanted, "rooms": ["rmu_102"]}, idempotency_key="booking-1"
    )
    assert (status, told["status"]) == (422, 422)
    (key,) = [each["id"] for each in booked["keys"]]
    assert (await desk.key_is(key, "active"))["id"] == key
    await _decided_by(desk, key, wanted["validFrom"][:10])
    ended = await desk.done("POST", f"credentials/{key}/revoke", {"reason": "security"})
    assert ended["id"] == key
    await desk.key_is(key, "revoked")


async def _decided_by(desk, key, day):
    """Check what a desk decides by: the door, the arrivals of the day, the stay, and the list of keys."""
    access = await desk.done("GET", "rooms/rmu_101/access")
    assert {(each["key"], each["opens"]) for each in access["openers"]} == {(key, "later")}
    (arrival,) = (await desk.done("GET", f"arrivals?property=ppt_kabul&day={day}"))["arrivals"]
    assert (arrival["reservation"], arrival["readiness"]) == ("rsv_1", "on_lock")
    assert [each["id"] for each in (await desk.done("GET", "stays/rsv_1"))["keys"]] == [key]
    listed = await desk.done("GET", "credentials?reservation=rsv_1")
    assert [each["id"] for each in listed["credentials"]] == [key]


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_every_route_answers_as_its_row_says(desk):
    ids, session = await _things(desk)
    beside = []
    for function, route in _rows():
        told = session if function == "backoffice" else {}
        path, body = route.path.format(**ids), _body(desk, function, route)
        status, answer = await desk.ask(route.method, path, body, function, **told)
        if status not in {route.status} | FITTING | _unknown(function, route):
            beside.append((function, route.method, route.path, status, answer))
    assert beside == []


def _rows():
    """Return every route of every function, but the sign-in; what ends a session comes last."""
    rows = [(each.function, each.route) for each in described() if each.route.path != SIGN_IN]
    return sorted(rows, key=lambda row: row[0] == "backoffice" and row[1].method == "DELETE")


def _unknown(function, route):
    """Return how a thing that this hotel never had may be told not to be there."""
    never = route.path.startswith(UNKNOWN) or route.path.endswith(ENDINGS)
    return {404} if never or (function != API and "{" in route.path) else set()


async def _things(desk):
    """Return the ids of one thing of each sort, as the API itself tells them."""
    booked = await desk.done("POST", "stays", desk.stay())
    key = booked["keys"][0]["id"]
    await desk.key_is(key, "active")
    issued = await desk.done(
        "POST", GIVEN.removeprefix("/lock/v1/").format(propertyId="ppt_kabul"), BODIES[GIVEN]
    )
    status, signed_in = await desk.ask("POST", SIGN_IN, SIGNING_IN, "backoffice")
    assert status == 201, signed_in
    things = {
        "propertyId": "ppt_kabul",
        "roomId": "rmu_101",
        "deviceId": device_at("101"),
        "reservationId": "rsv_1",
        "keyCredentialId": key,
        "grantId": "grt_01KSAMP1E00000000000000001",
        "findingId": "fnd_01KSAMP1E00000000000000001",
        "masterKeyId": issued["id"],
        "userId": "usr_9",
        "integratorId": "itg_01KSAMP1E00000000000000001",
        "guestId": booked["guest"],
        "listenerId": "lsn_01KSAMP1E00000000000000001",
        "sendingId": "snd_01KSAMP1E00000000000000001",
        "sessionId": signed_in["sessionId"],
        "suggestionEntryId": "aim_01KSAMP1E00000000000000001",
        "alertEntryId": "ali_01KSAMP1E00000000000000001",
        "breakGlassId": "brk_01KSAMP1E00000000000000001",
    }
    machine = {"backoffice_device": SIGNING_IN["deviceId"], "backoffice_session": signed_in["secret"]}
    return things, machine


def _body(desk, function, route):
    if route.request is None:
        return None
    if function != API:
        last = route.path.rpartition("/")[2]
        return ELSEWHERE[function].get(route.path) or ELSEWHERE[function].get(last, {})
    if route.path.startswith("/lock/v1/dead-letters/"):
        return {"ids": ["nowhere"]}
    if route.path.endswith("/message-settings"):
        return {"phone": "+93 20 210 0000", "linkBase": "https://keys.silk.example/k"}
    if route.path == "/lock/v1/stays":
        return desk.stay(reservation="rsv_2", rooms=["rmu_201"])
    return BODIES.get(route.path, {})
