"""What a tenant may register of those who sign in."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from shared.domain.documents import from_document, to_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import IntegratorId, PropertyId
from shared.domain.permissions import Permission, Role
from shared.domain.sign_in import Integrator, RoleAttribute, SigningAlgorithm, StaffIssuer, TenantAccess

LOGIN = StaffIssuer(
    issuer="https://login.example/realms/silk",
    jwks_uri="https://login.example/realms/silk/certs?v=1",
    algorithms=(SigningAlgorithm.RS256, SigningAlgorithm.ES256),
    clients=("desk",),
)
OFFLINE = RoleAttribute(permission=Permission.KEY_ISSUE_OFFLINE, roles=(Role.FRONT_DESK,))
PROGRAM = Integrator(
    id=IntegratorId(f"itg_{'0' * 26}"),
    name="Property system",
    digests=("0" * 64,),
    permissions=(Permission.KEY_READ,),
    properties=(PropertyId("ppt_kabul"),),
    expires_at=datetime(2026, 5, 1, tzinfo=UTC),
)


@pytest.mark.parametrize(
    "value", [TenantAccess(issuers=(LOGIN,), role_attributes=(OFFLINE,)), TenantAccess(), PROGRAM]
)
def test_what_is_registered_is_read_back_as_it_was(value):
    assert from_document(type(value), to_document(value)) == value


ADDRESSES = [
    "",
    "login.example",
    "ftp://login.example",
    "http://login.example",
    "https://login",
    "https://",
    "https://169.254.169.254/keys",
    "https://[::1]/keys",
    "https://[::ffff:10.0.0.1]/keys",
    "https://10.0.0.1/keys",
    "https://127.1/keys",
    "https://2130706433/keys",
    "https://0x7f.0.0.0x1/keys",
    "https://user@login.example/keys",
    "https://login.example@evil.example/keys",
    "https://login.example/keys#there",
    "http://localhost@evil.example/",
    "http://[::1",
    " https://login.example/keys",
    "https://login.exa\nmple/keys",
    "https://logìn.example/keys",
]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("field", ["issuer", "jwks_uri"])
def test_an_address_that_leads_elsewhere_is_not_registered(address, field):
    with pytest.raises(InvalidInput) as refusal:
        replace(LOGIN, **{field: address})
    assert refusal.value.field == field


@pytest.mark.parametrize("address", ["http://127.0.0.1:8080/keys", "http://localhost:8080/keys"])
def test_a_provider_on_this_machine_may_be_registered(address):
    assert replace(LOGIN, issuer=address, jwks_uri=address)


def test_an_issuer_has_no_query_and_some_algorithm():
    for change in ({"issuer": "https://login.example/?x=1"}, {"algorithms": ()}):
        with pytest.raises(InvalidInput):
            replace(LOGIN, **change)


def test_issuers_are_named_once_and_one_of_them_may_name_our_users():
    ours, other = (replace(LOGIN, issuer=f"https://{name}.example", names_users=True) for name in "ab")
    assert TenantAccess(issuers=(ours, LOGIN))
    for issuers in ((LOGIN, LOGIN), (ours, other), tuple(_many(9))):
        with pytest.raises(InvalidInput) as refusal:
            TenantAccess(issuers=issuers)
        assert refusal.value.field == "issuers"


def _many(count):
    return [replace(LOGIN, issuer=f"https://login{number}.example") for number in range(count)]


def test_a_tenant_gives_away_configurable_permissions_only():
    with pytest.raises(InvalidInput):
        TenantAccess(role_attributes=(replace(OFFLINE, permission=Permission.TENANT_WRITE),))


@pytest.mark.parametrize(
    "change",
    [
        {"permissions": (Permission.PIN_REVEAL,)},
        {"permissions": (Permission.KEY_READ, Permission.TENANT_READ)},
        {"digests": ()},
        {"digests": ("0" * 64,) * 3},
        {"digests": ("kfk.secret",)},
    ],
)
def test_a_service_account_holds_what_it_may_and_digests_only(change):
    with pytest.raises(InvalidInput):
        replace(PROGRAM, **change)
