"""Strangers at what is no desk's API: the booking site's services, and the sandbox. None gets through."""

from datetime import timedelta

import pytest

from functions.guest_keys.service_routes import ROUTES as GUEST
from infra.codegen.openapi import described
from infra.local.sandbox.routes import ROUTES as SANDBOX
from infra.local.sandbox.serve import NAME as PLAYGROUND
from shared.domain.permissions import Role
from tests.support.api_desk import stay
from tests.support.matrix import who_got_through
from tests.support.sample_hotel import device_at
from tests.support.staffed import staffed

ASKED = {"guest-api": GUEST, PLAYGROUND: SANDBOX}
ELSEWHERE = {"lock-api", "lock-reveal", "audit-api", "account-api", "canary-api", "backoffice"}
"""Those with a matrix of their own, beside their tests."""
HANDLE = "tk_01KSAMP1E00000000000000001"
BODIES = {
    "devices": {"addressKind": "fid", "address": "installation-1"},
    "artifact": {"opaqueRef": HANDLE, "session": "session-1"},
    "advance": {"seconds": 60},
    "travel": {"to": "arrival"},
}


@pytest.fixture
async def staff(tmp_path):
    """Staff of two hotels, and a stay in one."""
    async with staffed(tmp_path, lambda base: {}) as opened:
        begins = opened.on.clock.now().replace(microsecond=0) + timedelta(days=2)
        first, last = (f"{begins + timedelta(days=each):%Y-%m-%dT%H:%M:%SZ}" for each in (0, 3))
        wanted = stay(reservation="rsv_1", validFrom=first, validUntil=last)
        _, _, booked = await opened.ask("POST", "/lock-api/lock/v1/stays", opened.badge(*Role), wanted)
        opened.ids = {
            "reservationId": "rsv_1",
            "keyCredentialId": booked["keys"][0]["id"],
            "deviceId": device_at("101"),
            "propertyId": "ppt_kabul",
        }
        yield opened


@pytest.mark.parametrize("function", ASKED)
async def test_no_stranger_gets_through(staff, function):
    routes = ASKED[function]
    through, tried = await who_got_through(
        staff, function, routes, staff.ids, lambda route: BODIES.get(route.path.rpartition("/")[2], {})
    )
    assert through == []
    assert tried == len(routes) * len(staff.strangers(function)) > 60


def test_every_function_that_people_call_has_a_matrix():
    assert {each.function for each in described()} == ELSEWHERE | {*ASKED} - {PLAYGROUND}
