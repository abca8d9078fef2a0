"""Every route of the desktops' API times everybody who must not get through it, with a stolen session."""

from datetime import timedelta

import pytest

from functions.backoffice.lock_routes import ROUTES as LOCKS
from functions.backoffice.main import backoffice
from functions.backoffice.session_routes import ROOT
from infra.local.ambient import SystemClock
from shared.domain.permissions import RULES, Role
from tests.support.backoffice_desk import PRINT, SILK
from tests.support.matrix import PROVEN, attempt, who_got_through
from tests.support.staffed import KABUL, staffed

NAME = "backoffice"
ROUTES = backoffice.routes()
SIGN_IN, CODES = f"{ROOT}/sessions", f"{ROOT}/console-codes"
SIGNING_IN = {
    "deviceId": "dev_front",
    "fingerprint": PRINT,
    "appVersion": "1.4.2",
    "appPlatform": "win32",
    "locale": "en",
    "primaryPropertyId": KABUL,
}
SOON = SystemClock().now() + timedelta(days=2)
ABOUT = {"appVersion": "1.4.2", "appPlatform": "win32"}
BODIES = {
    "sessions": SIGNING_IN,
    "preferences": {"locale": "fr"},
    "decision": {"outcome": "accepted"},
    "handshake": ABOUT,
    "cursor": {"advanceKind": "pull", "cursorAfter": "ck_v1_b"},
    "heartbeat": {
        **ABOUT,
        "networkProfile": "good",
        "memoryRssMb": 412,
        "cpuPctOneMin": 6.4,
        "lastSyncCursorPresent": False,
    },
    "issue": {
        "rooms": ["rmu_101"],
        "validFrom": f"{SOON:%Y-%m-%dT%H:%M:%SZ}",
        "validUntil": f"{SOON + timedelta(days=2):%Y-%m-%dT%H:%M:%SZ}",
    },
    "rebind": {"rooms": ["rmu_102"]},
    "extend": {"validUntil": f"{SOON + timedelta(days=3):%Y-%m-%dT%H:%M:%SZ}"},
}


def _body(route):
    return BODIES.get(route.path.rpartition("/")[2], {})


@pytest.fixture
async def staff(tmp_path):
    """Staff, one of whom is signed in at a machine whose session everybody else has stolen."""
    async with staffed(tmp_path, lambda base: {}) as opened:
        token = opened.badge(*Role)
        status, _, session = await opened.ask("POST", f"/{NAME}{SIGN_IN}", token, SIGNING_IN)
        assert status == 201, session
        opened.session_headers = {
            "backoffice-session": session["secret"],
            "backoffice-device": SIGNING_IN["deviceId"],
        }
        opened.ids = {
            "propertyId": KABUL,
            "sessionId": session["sessionId"],
            "suggestionEntryId": "aim_01KSAMP1E00000000000000001",
            "alertEntryId": "ali_01KSAMP1E00000000000000001",
            "keyCredentialId": "key_01KSAMP1E00000000000000001",
            "reservationId": "rsv_1",
        }
        yield opened


def _held(who, route, answer):
    """Judge: a housekeeper may work at a desktop, in a session of their own; locks ask elsewhere.

    Whoever holds the console in a tenant may open it there: a code bears its own tenant.
    """
    if route.path == CODES and who in PROVEN:
        return (who == "another tenant") is not answer["code"].startswith(f"{SILK}.")
    mine = route.permission is None or Role.HOUSEKEEPER in RULES[route.permission].roles
    return who == "a lower role" and mine and route not in LOCKS


async def _tried(staff, routes):
    return await who_got_through(staff, NAME, routes, staff.ids, _body, _held, staff.session_headers)


async def test_no_stranger_gets_through_any_route_of_the_desktop_even_with_its_session(staff):
    asked = [each for each in ROUTES if each.method != "DELETE"]
    through, tried = await _tried(staff, asked)
    assert through == []
    assert tried == len(asked) * len(staff.strangers(NAME)) > 300
    through, _ = await _tried(staff, [each for each in ROUTES if each.method == "DELETE"])
    assert through == []


async def test_the_same_requests_are_heard_of_those_who_may(staff):
    token, headers = staff.badge(*Role), staff.session_headers
    for route in ROUTES:
        if route.method != "DELETE" and route.path != SIGN_IN:  # those end the session
            status, answer = await attempt(staff, NAME, route, token, staff.ids, _body(route), headers)
            there = "{suggestion" in route.path or "{alert" in route.path or route in LOCKS
            fits = {route.status, 200, 201, 202} | ({404, 409, 412} if there else set())
            assert status in fits, (status, route.path, answer)
