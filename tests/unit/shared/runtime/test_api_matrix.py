"""Every route times everybody who must not get through, over real sockets: none does."""

import sys

import pytest

from infra.local.host.functions import host_function
from shared.domain.permissions import RULES, Permission, Role
from shared.runtime.api import api
from shared.runtime.platform import Deployed
from tests.support.matrix import PROVEN, who_got_through
from tests.support.sample_api import KEYS, ROUTES
from tests.support.staffed import SILK, staffed

HERE = sys.modules[__name__]
NAME = "sample-api"
HERE_KEY, THERE_KEY = KEYS[SILK]
IDS = {"propertyId": "ppt_kabul", "keyCredentialId": HERE_KEY}


@api
def sample_api():
    """Return the sample's routes."""
    return ROUTES


def _functions(base):
    deployed = Deployed(NAME, f"{base}/{NAME}", people=True, roles=frozenset({"documents"}))
    return {NAME: host_function(deployed, HERE, "sample_api")}


@pytest.fixture
async def staff(tmp_path):
    async with staffed(tmp_path, _functions) as opened:
        yield opened


async def _try(staff, route, token, ids=IDS):
    path = f"/{NAME}" + route.path.format(**ids)
    body = {"reason": "lost"} if route.request is not None else None
    return await staff.ask(route.method, path, token, body, {"if-match": '"v7"'})


def _harmless(who, route, answer):
    """Whoever is proven may list their own; settings are each tenant's own; nobody hears the forgetful."""
    lists_own = route.path == "/t/v1/keys" and HERE_KEY not in str(answer)
    own_settings = route.path == "/t/v1/settings" and who == "another tenant"
    return lists_own or own_settings or (answer or {}).get("code") == "crashed"


async def test_no_stranger_gets_through_any_route(staff):
    through, tried = await who_got_through(staff, NAME, ROUTES, IDS, lambda _: {"reason": "lost"}, _harmless)
    assert through == []
    assert tried == len(ROUTES) * len(staff.strangers(NAME)) > 200


async def test_a_stranger_is_not_even_told_who_they_are(staff):
    (me,) = [route for route in ROUTES if route.permission is None and route.path.endswith("/me")]
    for who, token in staff.strangers(NAME).items():
        assert ((await _try(staff, me, token))[0] == 200) is (who in PROVEN), who


async def test_the_same_requests_succeed_for_those_who_may(staff):
    statuses = {}
    for route in ROUTES:
        token = staff.badge(*Role, at=None)
        statuses[route.method, route.path] = (await _try(staff, route, token))[0]
    expected = {(route.method, route.path): route.status for route in ROUTES}
    expected |= {("GET", "/t/v1/forgetful"): 500, ("GET", "/t/v1/crash"): 500}
    assert statuses == expected


@pytest.mark.parametrize("role", Role)
async def test_a_role_gets_through_where_the_table_says_and_nowhere_else(staff, role):
    token, everywhere = staff.badge(role), staff.badge(role, at=None)
    for route in ROUTES:
        if route.permission is None or route.path == "/t/v1/forgetful":
            continue
        allowed = role in RULES[route.permission].roles
        of_company = route.permission is Permission.TENANT_WRITE
        for text, fits in ((token, not of_company), (everywhere, True)):
            status = (await _try(staff, route, text))[0]
            assert status == (route.status if allowed and fits else 403), (role, route.path)


async def test_another_property_and_nothing_at_all_are_answered_alike(staff):
    token = staff.badge(*Role)
    nothing = "key_01KSAMP1E00000000000000009"
    for route in (each for each in ROUTES if "keyCredentialId" in each.parameters):
        answers = [
            await _try(staff, route, token, {**IDS, "keyCredentialId": key}) for key in (THERE_KEY, nothing)
        ]
        assert [status for status, *_ in answers] == [404, 404]
        there, gone = ({**answer, "requestId": ""} for *_, answer in answers)
        assert there == gone
    for named in ("ppt_herat", "ppt_nowhere", "ppt_far"):
        status, _, _ = await _try(staff, ROUTES[1], token, {**IDS, "propertyId": named})
        assert status == 404


async def test_a_use_case_that_forgets_to_ask_where_its_thing_is_is_not_heard(staff):
    for token in (staff.badge(*Role), staff.badge(*Role, at=None)):
        status, _, answer = await staff.ask("GET", f"/{NAME}/t/v1/forgetful", token)
        assert (status, answer["code"]) == (500, "crashed")
        assert "forgot" not in str(answer)


async def test_a_service_account_gets_through_where_its_key_says_and_nowhere_else(staff):
    for route in ROUTES:
        if route.permission is None or route.path == "/t/v1/forgetful":
            continue
        status, _, answer = await _try(staff, route, staff.key.text)
        assert status == (200 if route.permission is Permission.KEY_READ else 403), route.path
        assert THERE_KEY not in str(answer)


async def test_old_proof_is_asked_for_anew_where_harm_is_great(staff):
    now = int(staff.on.clock.now().timestamp())
    for signed_in in (now - 301, None):
        old = staff.gm(staff.silk, auth_time=signed_in, iat=now - 302, exp=now + 3000)
        for route in (each for each in ROUTES if each.permission and RULES[each.permission].fresh):
            status, headers, answer = await _try(staff, route, old)
            assert (status, answer["code"]) == (401, "sign-in-again"), route.path
            assert "max_age=300" in headers["www-authenticate"]


async def test_refusals_are_logged_seldom_and_never_with_what_was_sent(staff):
    for _ in range(20):
        await _try(staff, ROUTES[0], "canary.canary.canary")
        await _try(staff, ROUTES[3], staff.badge(Role.HOUSEKEEPER))
    said = [line for line in staff.house.said() if "person not" in line]
    assert 2 <= len(said) <= 4  # a minute may end meanwhile
    assert "canary" not in staff.house.log.getvalue()
