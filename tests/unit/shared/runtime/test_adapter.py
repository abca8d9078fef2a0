"""A vendor's adapter as a function: named after its vendor, and opened when it is first called."""

import pytest

from shared.runtime.adapter import adapter, vendor_of


@pytest.mark.parametrize(("name", "vendor"), [("adapter_acme", "acme"), ("adapter_acme_locks", "acme-locks")])
def test_an_adapter_is_of_the_vendor_that_its_name_says(name, vendor):
    assert vendor_of(name) == vendor


@pytest.mark.parametrize("name", ["adapter_", "acme", "on_booking_confirmed"])
def test_a_name_that_says_no_vendor_is_refused(name):
    with pytest.raises(ValueError, match="adapter_<vendor>"):
        vendor_of(name)


def test_making_an_adapter_opens_no_vendor():
    @adapter
    def adapter_acme():
        """Make one attempt."""
        raise AssertionError("opened before it was called")

    assert (adapter_acme.__name__, adapter_acme.__doc__) == ("adapter_acme", "Make one attempt.")
    assert adapter_acme.__wrapped__.__name__ == "adapter_acme"
