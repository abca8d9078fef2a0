"""What callers hear of themselves."""

from datetime import datetime

import pytest

from infra.local.people import Badge
from shared.domain.ids import PropertyId, TenantId, UserId
from shared.domain.permissions import RULES, Role
from tests.support.simulated import play

KABUL = PropertyId("ppt_kabul")


def ask(tmp_path, path, *roles, at=frozenset({KABUL}), later=0):
    """Ask the API of the sample fleet as somebody, and return what it says."""

    async def scenario(on):
        import asyncio

        badge = Badge(TenantId("tnt_silk"), UserId("usr_1"), frozenset(roles), at)
        token = on.fleet.people.token(badge, on.fleet.config.base_url)
        await asyncio.sleep(later)
        return await on.send(
            f"lock-api/lock/v1/{path}", method="GET", headers={"authorization": f"Bearer {token}"}
        )

    status, told = play(tmp_path, scenario)
    assert status == 200
    return told


def test_a_person_hears_who_they_are_and_where(tmp_path):
    me = ask(tmp_path, "me", Role.SECURITY, Role.GM)
    assert (me["id"], me["kind"], me["tenantId"]) == ("usr_1", "person", "tnt_silk")
    assert (me["roles"], me["properties"], me["everywhere"]) == (["gm", "security"], ["ppt_kabul"], False)
    fresh, signed_in = (datetime.fromisoformat(me[each]) for each in ("freshUntil", "signedInAt"))
    assert (fresh - signed_in).total_seconds() == 300


def test_everywhere_is_said_as_such(tmp_path):
    me = ask(tmp_path, "me", Role.TENANT_ADMIN, at=None)
    assert (me["everywhere"], me["properties"]) == (True, [])


@pytest.mark.parametrize("role", Role)
def test_every_permission_is_told_with_what_stands_between(tmp_path, role):
    told = ask(tmp_path, "permissions", role)["permissions"]
    assert [each["permission"] for each in told] == list(RULES)
    for each, rule in zip(told, RULES.values(), strict=True):
        holds = role in rule.roles and each["where"] == "property"
        assert each["verdict"] == ("allowed" if holds else "forbidden")
        assert each["fresh"] is rule.fresh


def test_an_old_sign_in_is_told_where_it_is_not_enough(tmp_path):
    told = ask(tmp_path, "permissions", Role.GM, later=301)["permissions"]
    for each in told:
        if each["verdict"] != "forbidden":
            assert each["verdict"] == ("stale_proof" if each["fresh"] else "allowed")
