"""C spells some things otherwise: each spelling is read back as ours."""

import pytest

from shared.domain.ids import PropertyId
from shared.domain.kinds import VendorCode
from shared.events.backoffice.boundary import our_property, our_vendor, their_property, their_vendor


def test_a_property_goes_there_and_back():
    assert their_property(PropertyId("ppt_01H8Y")) == "prop_01H8Y"
    assert our_property("prop_01H8Y") == PropertyId("ppt_01H8Y")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("ttlock", "ttlock"),
        ("salto", "salto"),
        ("assa-abloy", "assa-vostio"),
        ("generic-wiegand", "wiegand-generic"),
        ("dormakaba", "dormakaba"),
    ],
)
def test_a_vendor_goes_there_and_back(ours, theirs):
    assert their_vendor(VendorCode(ours)) == theirs
    assert our_vendor(theirs) == ours
