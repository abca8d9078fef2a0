"""Entry point of the mock vendor's adapter."""

from shared.runtime.adapter import OpenVendor, adapter


@adapter
def adapter_mock() -> OpenVendor:
    """Make one attempt at the key of a saga, or at taking it back."""
    from shared.vendors.mock.adapter import open_vendor

    return open_vendor
