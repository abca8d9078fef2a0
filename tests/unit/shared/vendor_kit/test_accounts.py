"""An account's name is of one property and no other."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.domain.kinds import VendorCode
from shared.vendor_kit.accounts import account_secret
from tests.support.vendors import ASSA_ABLOY, TTLOCK

BODIES = some.lists(
    some.sampled_from(["a", "-", "_", "-ppt_", "-tnt_", "ppt_", "-api"]), min_size=1, max_size=5
)
TENANTS = BODIES.map(lambda parts: TenantId("tnt_" + "".join(parts)))
PROPERTIES = BODIES.map(lambda parts: PropertyId("ppt_" + "".join(parts)))
VENDORS = some.sampled_from([TTLOCK, ASSA_ABLOY, VendorCode("assa")])
PLACES = some.tuples(VENDORS, TENANTS, PROPERTIES)


def named(place):
    """Return the name of a property's account, or nothing where it can have none."""
    try:
        return account_secret(*place)
    except InvalidInput:
        return None


def test_an_account_is_named_after_its_vendor_tenant_and_property():
    name = account_secret(TTLOCK, TenantId("tnt_silk"), PropertyId("ppt_kabul"))
    assert name == "lock-ttlock-tnt_silk-ppt_kabul-api"


@given(PLACES, PLACES)
@example(
    (TTLOCK, TenantId("tnt_a-ppt_b"), PropertyId("ppt_c")),
    (TTLOCK, TenantId("tnt_a"), PropertyId("ppt_b-ppt_c")),
)
def test_no_two_properties_keep_their_accounts_under_one_name(one, other):
    assert one == other or named(one) is None or named(one) != named(other)


def test_a_tenant_whose_accounts_could_be_anothers_is_refused_with_the_remedy():
    with pytest.raises(InvalidInput, match=r"^tenantId: contains '-ppt_'. Give the tenant another id"):
        account_secret(TTLOCK, TenantId("tnt_a-ppt_b"), PropertyId("ppt_c"))


def test_a_property_may_be_called_anything():
    assert (
        named((TTLOCK, TenantId("tnt_a"), PropertyId("ppt_b-ppt_c"))) == "lock-ttlock-tnt_a-ppt_b-ppt_c-api"
    )
