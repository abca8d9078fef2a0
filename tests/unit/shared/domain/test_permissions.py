"""Permissions: deny by default, no way round a property, fresh proof where harm is great."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import IntegratorId, PropertyId, TenantId, UserId
from shared.domain.permissions import (
    FRESH_FOR,
    RULES,
    Permission,
    Principal,
    Role,
    Verdict,
    Where,
    held_by_key,
    held_by_roles,
    role_attributes,
)

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
HERE, THERE = PropertyId("ppt_here"), PropertyId("ppt_there")
FRESH = {
    Permission.PIN_REVEAL,
    Permission.MASTER_KEY_ISSUE,
    Permission.RESIDUE_CLOSE,
    Permission.TENANT_WRITE,
    Permission.HOTEL_WRITE,
    Permission.VENDOR_ACCOUNT_WRITE,
}


def person(*roles, at=(HERE,), signed_in=NOW, attributes=None):
    where = None if at is None else frozenset(at)
    held = held_by_roles(roles, attributes or {})
    return Principal(UserId("usr_a"), TenantId("tnt_a"), held, where, frozenset(roles), signed_in)


def test_every_permission_has_a_rule_and_somebody_who_holds_it():
    assert RULES.keys() == set(Permission)
    of_programs = [each for each, rule in RULES.items() if not rule.roles]
    assert of_programs == [Permission.GUEST_SERVE]
    assert all(RULES[each].integrators for each in of_programs)


def test_nobody_without_a_role_holds_anything():
    assert held_by_roles([], {}) == frozenset()
    assert {person().verdict(each, NOW) for each in Permission} == {Verdict.FORBIDDEN}


@pytest.mark.parametrize("role", [Role.HOUSEKEEPER, Role.CONCIERGE, Role.AUDITOR])
def test_who_only_looks_changes_nothing(role):
    assert {each for each in held_by_roles([role], {}) if not each.endswith(".read")} == set()


@pytest.mark.parametrize(
    ("permission", "roles"),
    [
        (Permission.PIN_REVEAL, {Role.FRONT_DESK_SUPERVISOR, Role.NIGHT_AUDITOR, Role.GM}),
        (Permission.KEY_ISSUE_OFFLINE, {Role.FRONT_DESK_SUPERVISOR, Role.NIGHT_AUDITOR, Role.GM}),
        (Permission.MASTER_KEY_ISSUE, {Role.GM}),
        (Permission.RESIDUE_CLOSE, {Role.SECURITY, Role.GM}),
        (Permission.TENANT_WRITE, {Role.TENANT_ADMIN}),
    ],
)
def test_what_can_do_harm_is_held_by_these_roles_and_no_other(permission, roles):
    assert {role for role in Role if permission in held_by_roles([role], {})} == roles


def test_several_roles_hold_together_what_each_holds():
    both = held_by_roles([Role.FRONT_DESK, Role.SECURITY], {})
    assert both == held_by_roles([Role.FRONT_DESK], {}) | held_by_roles([Role.SECURITY], {})


def test_a_thing_at_another_property_is_not_there():
    clerk = person(Role.FRONT_DESK)
    assert clerk.verdict_at(Permission.KEY_REVOKE, HERE, NOW) is Verdict.ALLOWED
    assert clerk.verdict_at(Permission.KEY_REVOKE, THERE, NOW) is Verdict.ELSEWHERE
    assert clerk.verdict_at(Permission.MASTER_KEY_ISSUE, THERE, NOW) is Verdict.FORBIDDEN


def test_another_property_is_not_told_by_asking_for_fresh_proof():
    old = person(Role.GM, signed_in=NOW - timedelta(hours=1))
    assert old.verdict_at(Permission.PIN_REVEAL, THERE, NOW) is Verdict.ELSEWHERE
    assert old.verdict_at(Permission.PIN_REVEAL, HERE, NOW) is Verdict.STALE_PROOF


def test_what_is_the_companys_asks_for_somebody_at_all_its_properties():
    assert person(Role.TENANT_ADMIN).verdict(Permission.TENANT_READ, NOW) is Verdict.FORBIDDEN
    assert person(Role.TENANT_ADMIN, at=None).verdict(Permission.TENANT_READ, NOW) is Verdict.ALLOWED


@pytest.mark.parametrize("permission", sorted(FRESH))
@pytest.mark.parametrize(
    ("age", "verdict"),
    [
        (timedelta(0), Verdict.ALLOWED),
        (FRESH_FOR - timedelta(seconds=1), Verdict.ALLOWED),
        (FRESH_FOR, Verdict.STALE_PROOF),
        (None, Verdict.STALE_PROOF),
    ],
)
def test_great_harm_asks_for_a_sign_in_of_the_last_five_minutes(permission, age, verdict):
    signed_in = None if age is None else NOW - age
    everybody = person(*Role, at=None, signed_in=signed_in)
    assert everybody.verdict(permission, NOW) is verdict


def test_a_service_account_holds_no_more_than_such_a_key_may():
    told = [*Permission, "lock.key.everything", ""]
    held = held_by_key(told)
    assert held == {each for each, rule in RULES.items() if rule.integrators}
    assert Permission.PIN_REVEAL not in held
    assert held_by_key(["lock.key.read"]) == {Permission.KEY_READ}


def test_nothing_that_asks_for_fresh_proof_or_is_the_companys_is_a_service_accounts():
    for rule in RULES.values():
        assert not (rule.integrators and (rule.fresh or rule.where is Where.TENANT))


def test_a_service_account_works_where_its_key_says():
    program = Principal(IntegratorId(f"itg_{'0' * 26}"), TenantId("tnt_a"), frozenset(Permission), {HERE})
    assert program.verdict_at(Permission.KEY_READ, HERE, NOW) is Verdict.ALLOWED
    assert program.verdict_at(Permission.KEY_READ, THERE, NOW) is Verdict.ELSEWHERE
    assert program.verdict(Permission.PIN_REVEAL, NOW) is Verdict.STALE_PROOF


def test_a_tenant_says_itself_who_issues_offline():
    told = role_attributes({"lock.key.issue.offline": ["front_desk"]})
    assert Permission.KEY_ISSUE_OFFLINE in held_by_roles([Role.FRONT_DESK], told)
    assert Permission.KEY_ISSUE_OFFLINE not in held_by_roles([Role.GM], told)
    assert Permission.KEY_ISSUE_OFFLINE not in held_by_roles(
        Role, role_attributes({told_: [] for told_ in told})
    )


@pytest.mark.parametrize("permission", [each for each in Permission if not RULES[each].configurable])
def test_a_tenant_gives_away_nothing_else(permission):
    with pytest.raises(InvalidInput, match="not a permission that tenants give"):
        role_attributes({permission: ["housekeeper"]})


def test_a_role_that_does_not_exist_is_refused():
    with pytest.raises(InvalidInput, match="not a role"):
        role_attributes({"lock.pin.reveal": ["owner"]})
