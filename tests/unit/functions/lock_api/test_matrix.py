"""Every route of the API times everybody who must not get through it, over real sockets: none does."""

import pytest

from functions.lock_api.about_me import ROUTES
from shared.domain.permissions import Role
from tests.support.matrix import attempt, who_got_through
from tests.support.staffed import staffed

NAME = "lock-api"
IDS = {"propertyId": "ppt_kabul"}


@pytest.fixture
async def staff(tmp_path):
    async with staffed(tmp_path, lambda base: {}) as opened:
        yield opened


async def test_no_stranger_gets_through_any_route(staff):
    through, tried = await who_got_through(staff, NAME, ROUTES, IDS, lambda route: {})
    assert through == []
    assert tried == len(ROUTES) * len(staff.strangers(NAME))


async def test_the_same_requests_succeed_for_those_who_may(staff):
    for token in (staff.badge(*Role, at=None), staff.gm(staff.silk), staff.key.text):
        for route in ROUTES:
            assert (await attempt(staff, NAME, route, token, IDS))[0] == route.status


async def test_a_program_hears_that_it_is_one_and_what_its_key_holds(staff):
    _, _, me = await staff.ask("GET", f"/{NAME}/lock/v1/me", staff.key.text)
    assert (me["kind"], me["id"], me["roles"]) == ("program", staff.key.integrator, [])
    assert "signedInAt" not in me
    _, _, told = await staff.ask("GET", f"/{NAME}/lock/v1/permissions", staff.key.text)
    allowed = {each["permission"] for each in told["permissions"] if each["verdict"] == "allowed"}
    assert allowed == {"lock.key.read"}
