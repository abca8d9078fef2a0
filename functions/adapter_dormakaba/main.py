"""Entry point of dormakaba's adapter."""

from shared.runtime.adapter import OpenVendor, adapter


@adapter
def adapter_dormakaba() -> OpenVendor:
    """Make one attempt at the key of a saga, or at taking it back."""
    from shared.vendors.dormakaba.adapter import open_vendor

    return open_vendor
