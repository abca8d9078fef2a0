"""Every route of the API times everybody who must not get through it, over real sockets: none does."""

import asyncio
from datetime import timedelta

import orjson
import pytest

from functions.audit import evidence_routes, rights_routes
from functions.lock_api.table import ROUTES
from functions.lock_reveal.reveal import ROUTES as REVEAL
from shared.domain.permissions import RULES, Permission, Role
from shared.ports.bus import Message
from tests.support.api_desk import stay
from tests.support.matrix import attempt, who_got_through
from tests.support.sample_hotel import BOOKING, device_at, message
from tests.support.staffed import PROGRAM, SILK, staffed

NAME = "lock-api"
AUDIT = (*evidence_routes.ROUTES, *rights_routes.ROUTES)
FINDING = "fnd_01KSAMP1E00000000000000001"
BOOKED = "/lock/v1/stays"
NOT_THERE = (
    "/lock/v1/webhooks/{listenerId}",
    "/lock/v1/residues/{",
    "/lock/v1/findings",
    "/lock/v1/dead-letters/",
)
GIVEN = "/lock/v1/properties/{propertyId}/master-keys"
BODIES = {
    "/lock/v1/stays/{reservationId}": {"rooms": ["rmu_102"]},
    "/lock/v1/findings/{findingId}/decide": {"word": "adopt"},
    "/lock/v1/sagas/{keyCredentialId}/fork": {"step": 0},
    GIVEN: {
        "staff": "usr_9",
        "scopes": ["room:rmu_102"],
        "standing": True,
    },
    "/lock/v1/properties/{propertyId}/bulk-revocation": {"confirm": "ppt_slip"},
    "/lock/v1/devices/{deviceId}/bulk-revocation": {"confirm": "ppt_slip"},
    "/lock/v1/service-accounts": {
        "name": "Bookings",
        "permissions": ["lock.key.read"],
        "everywhere": True,
        "expiresAt": "2026-06-01T00:00:00Z",
    },
    "/lock/v1/webhooks": {"url": "https://hooks.hotel.example/"},
    "/lock/v1/webhooks/{listenerId}/prove": {"challenge": "00"},
    "/lock/v1/guests/{guestId}/hold": {"reason": "police_request"},
    "/lock/v1/guests/{guestId}/release": {"reason": "police_request"},
    "/lock/v1/properties/{propertyId}/evidence": {
        "rooms": ["rmu_101"],
        "since": "2026-03-01T00:00:00Z",
        "until": "2026-03-01T23:00:00Z",
    },
    "/lock/v1/staff/{userId}/evidence": {"since": "2026-03-01T00:00:00Z", "until": "2026-03-01T23:00:00Z"},
}


@pytest.fixture
async def staff(tmp_path):
    async with staffed(tmp_path, lambda base: {}) as opened:
        opened.ids = await _things(opened)
        yield opened


async def _things(staff):
    """Return the ids of one thing of each sort, all in Kabul."""
    begins = staff.on.clock.now().replace(microsecond=0) + timedelta(days=2)
    times = [f"{begins + timedelta(days=each):%Y-%m-%dT%H:%M:%SZ}" for each in (0, 3)]
    staff.booked = stay(reservation="rsv_1", validFrom=times[0], validUntil=times[1])
    _, _, booked = await staff.ask("POST", f"/{NAME}{BOOKED}", staff.badge(*Role), staff.booked)
    assert "keys" in booked, (booked, staff.house.said()[-3:])
    key = booked["keys"][0]["id"]
    broken = message("evt_bad", validUntil="never")
    await staff.house.fleet.bus.publish(f"{BOOKING}.confirmed.v1", [Message(broken.data)])
    await staff.house.fleet.bus.idle()
    (letter,) = await staff.on.dead_letters.waiting()
    _, _, issued = await staff.ask(
        "POST", f"/{NAME}{GIVEN.format(propertyId='ppt_kabul')}", staff.badge(*Role), BODIES[GIVEN]
    )
    wanted = BODIES["/lock/v1/webhooks"]
    _, _, hooked = await staff.ask("POST", f"/{NAME}/lock/v1/webhooks", staff.badge(*Role, at=None), wanted)
    grants = staff.house.fleet.means.engine.read("SELECT id FROM packed WHERE collection = 'grants'", ())
    return {
        "propertyId": "ppt_kabul",
        "roomId": "rmu_101",
        "deviceId": device_at("101"),
        "reservationId": "rsv_1",
        "keyCredentialId": key,
        "grantId": grants[0][0] if grants else "grt_01KSAMP1E00000000000000001",
        "findingId": FINDING,
        "masterKeyId": issued["id"],
        "userId": "usr_9",
        "integratorId": PROGRAM,
        "guestId": booked["guest"],
        "listenerId": hooked["webhook"]["id"],
        "sendingId": "snd_01KSAMP1E00000000000000001",
        "letter": letter.id,
    }


def _body(staff, route):
    if route.path.startswith("/lock/v1/dead-letters/"):
        return {"ids": [staff.ids["letter"]]}
    if route.path.endswith("/message-settings"):
        return {"phone": "+93 20 210 0000", "linkBase": "https://keys.silk.example/k"}
    return staff.booked if route.path == BOOKED else BODIES.get(route.path, {})


def _harmless(ids):
    """Whoever is proven may list their own, and be told that what they named is no property of theirs."""
    ours = {*ids.values(), "rmu_"} - {ids["letter"]}

    def judge(who, route, answer):
        told = orjson.dumps(answer).decode()
        return not any(each in told for each in ours) and "keys" not in answer

    return judge


async def test_no_stranger_gets_through_any_route(staff):
    judge = _harmless(staff.ids)
    before = _kept(staff)
    through, tried = await who_got_through(
        staff, NAME, ROUTES, staff.ids, lambda route: _body(staff, route), judge
    )
    assert through == []
    assert tried == len(ROUTES) * len(staff.strangers(NAME)) > 400
    assert _kept(staff) == before
    assert len(await staff.on.dead_letters.waiting()) == 1


def _kept(staff):
    """Return what the desk's routes could change of the stay: its record, and what its key was told to be."""
    rows = staff.house.fleet.means.engine.read(
        "SELECT unpacked(body) FROM packed WHERE collection = 'reservations' AND tenant = ?", (SILK,)
    )
    return [orjson.loads(body) for (body,) in rows]


async def test_no_stranger_sees_a_pin(staff):
    because = {"reason": "emergency"}
    through, tried = await who_got_through(staff, "lock-reveal", REVEAL, staff.ids, lambda _: because)
    assert (through, tried) == ([], len(staff.strangers("lock-reveal")))


async def test_no_stranger_reads_the_audit_log_or_asks_for_a_guest(staff):
    judge = _harmless(staff.ids)
    through, tried = await who_got_through(
        staff, "audit-api", AUDIT, staff.ids, lambda route: BODIES.get(route.path, {}), judge
    )
    assert through == []
    assert tried == len(AUDIT) * len(staff.strangers("audit-api")) > 150


async def test_the_same_requests_get_through_for_those_who_may(staff):
    for token in (staff.badge(*Role, at=None), staff.gm(staff.silk)):
        for route in ROUTES:
            status, answer = await attempt(staff, NAME, route, token, staff.ids, _body(staff, route))
            there = route.path.startswith(NOT_THERE) or route.path.endswith(
                ("/bulk-revocation", "/message-settings")
            )
            fits = {route.status, 400, 409, 412} | ({404} if there else set())
            assert status in fits, (route.method, route.path, answer)


async def test_a_role_gets_through_where_the_table_says_and_nowhere_else(staff):
    asked = [each for each in ROUTES if each.permission is not None]
    for role in Role:
        token = staff.badge(role, at=None)
        asking = (attempt(staff, NAME, route, token, staff.ids, _body(staff, route)) for route in asked)
        for route, (status, answer) in zip(asked, await asyncio.gather(*asking), strict=True):
            assert (status == 403) is (role not in RULES[route.permission].roles), (route.path, answer)


async def test_a_program_gets_through_where_its_key_says_and_nowhere_else(staff):
    for route in ROUTES:
        status, answer = await attempt(staff, NAME, route, staff.key.text, staff.ids, _body(staff, route))
        holds = route.permission in (None, Permission.KEY_READ)
        assert (status == 403) is not holds, (route.path, answer)


async def test_a_program_hears_that_it_is_one_and_what_its_key_holds(staff):
    _, _, me = await staff.ask("GET", f"/{NAME}/lock/v1/me", staff.key.text)
    assert (me["kind"], me["id"], me["roles"]) == ("program", staff.key.integrator, [])
    assert "signedInAt" not in me
    _, _, told = await staff.ask("GET", f"/{NAME}/lock/v1/permissions", staff.key.text)
    allowed = {each["permission"] for each in told["permissions"] if each["verdict"] == "allowed"}
    assert allowed == {"lock.key.read"}
